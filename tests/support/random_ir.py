"""Random programs in IR: nested loops, branches, exits, rebinding, swaps, loads and stores.

Two texts are made from each program; they must compute the same, bit for bit.
"""

import math
import operator
import random

import numpy as np

from backsweep.diagnostics import Loc
from backsweep.ir.build import Builder
from backsweep.ir.nodes import UNDEFINED, Block, Const, For, Function, If, Operand, Value, While
from backsweep.ir.types import BOOL, FLOAT, INT, Array

NAMES = ("x", "y", "z", "x_bar", "", "", "")
HERE = Loc("random.py", "program", 1, statement="y = program(x)")
IF = Loc("random.py", "program", 1, statement="if x:")
VECTOR = Array("float64", 1)


class Programs:
    """Writes one random program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.x, self.y = Value("x", FLOAT, HERE), Value("y", FLOAT, HERE)
        self.array = Value("a", VECTOR, HERE)
        self.build = Builder(self.x, self.y, self.array, loc=HERE)

    def program(self) -> Function:
        buffer = self.build.apply(np.copy, self.array, name="a", type=VECTOR)
        self.buffers = [buffer]
        seen = self.statements([self.x, self.y], [], 3)
        kept = [
            self.build.apply(math.tanh, value, type=FLOAT)
            for value in self.random.sample(seen, min(3, len(seen)))
        ]
        total = self.build.apply(np.sum, buffer, type=FLOAT)
        if self.random.random() < 0.4:
            result = self.returning([*kept, total], 2)
        else:
            result = self.build.apply(tuple, *kept, total)
        self.build.current.yields = (result,)
        return Function("program", self.build.current.finish(), HERE)

    def returning(self, seen: list[Value], depth: int) -> Value:
        """A last branch whose sides return."""
        result = Value(self.random.choice(("", ".result", "result")), FLOAT, HERE)
        sides = []
        for _ in range(2):
            with self.build.block() as block:
                inner = self.statements(list(seen), [], 0) if self.random.random() < 0.7 else seen
                if depth and self.random.random() < 0.4:
                    block.yields = (self.returning(inner, depth - 1),)
                else:
                    block.yields = (self.pick(inner),)
            sides.append(block.finish())
        self.build.add(If(self.test(seen), sides[0], sides[1], (result,), self.random.choice((IF, HERE))))
        return result

    def name(self) -> str:
        return self.random.choice(NAMES)

    def pick(self, seen: list[Value]) -> Operand:
        if self.random.random() < 0.15:
            return Const(self.random.choice((0.5, -1.5, 2.0)))
        # Recent values are likelier, so that single uses are common.
        return seen[-1 - min(int(self.random.expovariate(0.4)), len(seen) - 1)]

    def statements(self, seen: list[Value], indices: list[Value], depth: int) -> list[Value]:
        seen = list(seen)
        for _ in range(self.random.randint(1, 5)):
            kind = self.random.random()
            if kind < 0.45 or depth == 0:
                seen.append(self.arithmetic(seen))
            elif kind < 0.6:
                self.memory(seen, indices)
            elif kind < 0.75:
                self.branch(seen, indices, depth)
            elif kind < 0.9:
                self.loop(seen, indices, depth)
            else:
                self.while_loop(seen, indices, depth)
        return seen

    def arithmetic(self, seen: list[Value]) -> Value:
        function = self.random.choice(
            (operator.add, operator.sub, operator.mul, operator.neg, math.sin, operator.add)
        )
        if function in (operator.neg, math.sin):
            return self.build.apply(function, self.pick(seen), name=self.name(), type=FLOAT)
        value = self.build.apply(function, self.pick(seen), self.pick(seen), type=FLOAT, name=self.name())
        if function is operator.mul:  # keeps numbers small
            value = self.build.apply(math.tanh, value, type=FLOAT, name=self.name())
        return value

    def place(self, indices: list[Value]) -> tuple[Operand, ...]:
        if indices and self.random.random() < 0.8:
            index = self.random.choice(indices)
            if self.random.random() < 0.3:
                return (self.build.apply(operator.sub, index, Const(1), type=INT),)
            return (index,)
        return (Const(self.random.randint(0, 3)),)

    def memory(self, seen: list[Value], indices: list[Value]) -> None:
        buffer = self.random.choice(self.buffers)
        place = self.place(indices)
        if self.random.random() < 0.5:
            seen.append(self.build.load(buffer, place, name=self.name(), type=FLOAT))
            return
        if self.random.random() < 0.3:
            loaded = self.build.load(buffer, place, type=FLOAT)
            changed = self.build.apply(operator.mul, loaded, Const(0.5), type=FLOAT)
            self.build.store(buffer, place, changed)
            return
        self.build.store(buffer, place, self.pick(seen), accumulate=self.random.random() < 0.5)

    def test(self, seen: list[Value]) -> Value:
        comparison = self.random.choice((operator.lt, operator.gt))
        return self.build.apply(comparison, self.pick(seen), self.pick(seen), type=BOOL)

    def branch(self, seen: list[Value], indices: list[Value], depth: int) -> None:
        test = self.test(seen)
        if self.random.random() < 0.3:
            test = self.logical(test, seen, self.random.random() < 0.5)
        names = [self.name() for _ in range(self.random.randint(0, 2))]
        sides = []
        for _ in range(2):
            with self.build.block() as block:
                inner = self.statements(seen, indices, depth - 1) if self.random.random() < 0.7 else seen
                block.yields = tuple(self.pick(inner) for _ in names)
            sides.append(block.finish())
        results = tuple(Value(name, FLOAT, HERE) for name in names)
        self.build.add(If(test, sides[0], sides[1], results, self.random.choice((IF, HERE))))
        seen += results

    def logical(self, test: Value, seen: list[Value], constant: bool) -> Value:
        result = Value("", BOOL, HERE)
        with self.build.block() as second:
            second.yields = (self.test(seen),)
        sides = [second.finish(), Block((), (), (Const(constant),))]
        if constant:
            sides.reverse()
        self.build.add(If(test, sides[0], sides[1], (result,), HERE))
        return result

    def carried(self, seen: list[Value]) -> tuple[list[Operand], list[Value], list[Value]]:
        inits: list[Operand] = [self.pick(seen) for _ in range(self.random.randint(0, 3))]
        names = [
            init.name if isinstance(init, Value) and self.random.random() < 0.7 else self.name()
            for init in inits
        ]
        parameters = [Value(name, FLOAT, HERE) for name in names]
        return inits, parameters, [Value(name, FLOAT, HERE) for name in names]

    def yields(self, inner: list[Value], parameters: list[Value]) -> list[Operand]:
        if self.random.random() < 0.3:
            return self.random.sample(parameters, len(parameters))
        return [self.pick(inner) for _ in parameters]

    def exit(
        self, inner: list[Value], yields: list[Operand], names: list[str]
    ) -> tuple[list[Operand], Operand | None]:
        """Perhaps an exit: a test, or a branch that hands out the carried values as well."""
        kind = self.random.random()
        if kind < 0.5:
            return yields, None
        test = self.test(inner)
        if kind < 0.65:
            return yields, test
        flag = Value(self.random.choice(("", ".exit1")), BOOL, HERE)
        with self.build.block() as early:
            early.yields = (Const(True), *yields)
        with self.build.block() as late:
            more = self.statements(inner, [], 0)
            flags: tuple[Operand, ...] = (Const(False),)
            if self.random.random() < 0.3:
                flags = (self.test(more),)
            late.yields = (*flags, *(self.pick(more) for _ in yields))
        handed = [Value(name, FLOAT, HERE) for name in names]
        sides = [early.finish(), late.finish()]
        if self.random.random() < 0.3:
            sides.reverse()
        self.build.add(If(test, sides[0], sides[1], (flag, *handed), IF))
        return list(handed), flag

    def loop(self, seen: list[Value], indices: list[Value], depth: int) -> None:
        inits, parameters, results = self.carried(seen)
        index = Value(self.random.choice("iij"), INT, HERE)
        after = None
        if self.random.random() < 0.3:
            # The index stays known after the loop, as Python has it.
            after = Value(index.name, INT, HERE)
        with self.build.block(index, *parameters) as block:
            inner = self.statements([*seen, *parameters], [*indices, index], depth - 1)
            yields, leave = self.exit(inner, self.yields(inner, parameters), [p.name for p in parameters])
            block.yields = tuple(yields)
        body = block.finish()
        start, stop, step = self.random.choice(((0, 3, 1), (1, 4, 1), (3, 0, -1), (0, 4, 2)))
        if after is not None:
            last = Value(index.name, INT, HERE)
            body = Block((*body.parameters, last), body.nodes, (*body.yields, index))
            inits, results = [*inits, UNDEFINED], [*results, after]
        bounds = (Const(start), Const(stop), Const(step))
        self.build.add(For(*bounds, tuple(inits), body, tuple(results), HERE, leave))
        seen += results[: len(parameters)]
        if after is not None:
            indices.append(after)

    def while_loop(self, seen: list[Value], indices: list[Value], depth: int) -> None:
        inits, parameters, results = self.carried(seen)
        count = Value("k", INT, HERE)
        conditional = [Value(p.name, p.type, HERE) for p in (count, *parameters)]
        with self.build.block(*conditional) as condition:
            condition.yields = (self.build.apply(operator.lt, conditional[0], Const(3), type=BOOL),)
            if self.random.random() < 0.3:
                condition.yields = (
                    self.logical(condition.yields[0], [*seen, *conditional[1:]], constant=False),
                )
        with self.build.block(count, *parameters) as block:
            following = self.build.apply(
                operator.add, count, Const(1), type=INT, name=self.random.choice(("k", ""))
            )
            inner = self.statements([*seen, *parameters], [*indices, count], depth - 1)
            names = [p.name for p in parameters]
            yields, leave = self.exit(inner, self.yields(inner, parameters), names)
            block.yields = (following, *yields)
        results = [Value("k", INT, HERE), *results]
        loop = While((Const(0), *inits), condition.finish(), block.finish(), tuple(results), HERE, leave)
        self.build.add(loop)
        seen += results[1:]


def program(seed: int) -> Function:
    """A random program of two numbers and an array of four entries."""
    return Programs(seed).program()
