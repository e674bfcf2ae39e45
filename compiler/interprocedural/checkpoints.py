"""Make calls of what the user marks with `bs.checkpoint` and `bs.checkpointed`: the reverse sweep computes calls again.

The body of a marked loop becomes a function that computes a block of its iterations. The loop becomes one over the blocks
but the last, which stays a plain loop: its records are at hand when the reverse sweep begins.
"""

from __future__ import annotations

import dataclasses
import itertools
import operator
from collections.abc import Iterator, Sequence

import numpy as np

from backsweep.analysis.alias import find_aliases
from backsweep.analysis.integers.affine import literal
from backsweep.analysis.integers.dependence import Subscripts
from backsweep.analysis.integers.extents import Shape, Shapes, shape_given
from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.interprocedural.summaries import bundle, bundled, own_results, parts_of, pure
from backsweep.ir.build import Builder
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.effects import effect
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Callee,
    Checkpoint,
    Const,
    Dots,
    For,
    Function,
    Grow,
    Kept,
    Load,
    Node,
    Operand,
    Store,
    Tap,
    Value,
    View,
    While,
)
from backsweep.ir.operations import Sharing, is_random, operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT, Array, List, Other, Scalar, Tuple, Type, contiguous
from backsweep.ir.walk import (
    carried_parameters,
    free_values,
    growing,
    grows,
    map_blocks,
    renewed,
    results,
    rewrite,
    substitute,
    walk,
    with_body,
    with_nodes,
)
from backsweep.runtime import checkpoints, ranges

ZERO, ONE = Const(0), Const(1)


def is_marked(function: Function) -> bool:
    """Whether the program has a marked loop or call."""
    return any(isinstance(node, For | While) and node.checkpoint is not None for node in walk(function.body))


def without_checkpoints(function: Function) -> Function:
    """The program without the marks; a marked call is written out again."""
    replaced: dict[Value, Operand] = {}

    def plain(node: Node) -> list[Node]:
        if not isinstance(node, For | While) or node.checkpoint is None:
            return [node]
        if node.checkpoint.kept is not Kept.ARGUMENTS:
            return [dataclasses.replace(node, checkpoint=None)]
        nodes, yields = _of_call(node)
        replaced.update(zip(node.results, yields, strict=True))
        return list(nodes)

    found = rewrite(function, plain)
    if found is function:
        return function
    return eliminate_dead_code(with_body(found, substitute(found.body, replaced)))


def checkpoints_to_calls(function: Function) -> Function:
    """The program with marked calls and the blocks of marked loops as calls that stay calls.

    What is marked within a loop or a branch becomes a call as a whole, so that a loop over blocks stands at the top.
    """
    if not is_marked(function):
        return function
    return eliminate_dead_code(_Outliner(function).run())


def _of_call(node: For | While) -> tuple[Sequence[Node], Sequence[Operand]]:
    """The nodes of a marked call, which is a loop of one iteration that reads nothing of an earlier one, and its results."""
    body = substitute(node.body, {node.body.parameters[0]: ZERO})
    return body.nodes, body.yields


class _Outliner:
    """Rewrites one program."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.aliases = find_aliases(function)
        self.shapes = Shapes(function)
        self.definitions = {value: node for node in walk(function.body) for value in results(node)}
        self.replaced: dict[Value, Operand] = {}
        self.meant: dict[Value, Value] = {}
        """What a new value is in the program as it was."""
        self.settled: set[Value] = set()
        """Of the marked loop at hand: memory of which a second run reads and writes the same as the first."""
        self.fresh = {
            node.result
            for node in walk(function.body)
            if isinstance(node, Apply) and operation(node.function).sharing is Sharing.NEVER
        }

    def run(self) -> Function:
        """The program with its marked parts rewritten."""
        return with_body(self.function, self._block(self.function.body, is_top=True))

    def _block(self, block: Block, *, is_top: bool) -> Block:
        nodes: list[Node] = []
        for node in block.nodes:
            inner = map_blocks(node, lambda each: self._block(each, is_top=False))
            if not isinstance(inner, For | While) or inner.checkpoint is None:
                nodes.append(inner)
            elif inner.checkpoint.kept is Kept.ARGUMENTS:
                nodes += self._call(inner)
            elif is_top:
                nodes += self._loop(inner, node)
            else:
                nodes += self._nested(inner)
        return substitute(with_nodes(block, nodes), self.replaced)

    # Calls

    def _call(self, node: For | While) -> list[Node]:
        """A marked call as a call that stays one."""
        assert node.checkpoint is not None
        nodes, yields = _of_call(node)
        return self._called(
            node.checkpoint.name, nodes, list(zip(yields, node.results, strict=True)), node.loc
        )

    def _nested(self, node: For | While) -> list[Node]:
        """A marked loop within a loop or a branch, as one call."""
        assert node.checkpoint is not None
        own = tuple(dataclasses.replace(result) for result in node.results)
        self.meant.update(zip(own, node.results, strict=True))
        inside = dataclasses.replace(node, results=own)
        name = node.checkpoint.name.removesuffix("_steps") + "_loop"
        return self._called(name, (inside,), list(zip(own, node.results, strict=True)), node.loc)

    def _called(
        self,
        name: str,
        nodes: Sequence[Node],
        handed: Sequence[tuple[Operand, Value]],
        loc: Loc,
        given: Sequence[tuple[Value, Operand]] = (),
        *,
        is_block: bool = False,
    ) -> list[Node]:
        """A call of a function of these nodes.

        `handed` are the function's results with the values that they become here; `given` are parameters of its own with
        their arguments. Everything else that the nodes read is passed, too.
        """
        self._check(nodes, name)
        before: list[Node] = []
        made = {value for value, _ in given}
        inside = Block(tuple(made), tuple(nodes), tuple(end for end, _ in handed))
        free = list(free_values(inside))
        for end, result in handed:
            if end in free or isinstance(end, Const):  # it comes from outside: nothing to hand out
                self.replaced[result] = end
        handed = [(end, result) for end, result in handed if result not in self.replaced]
        nodes = (*self._extents(free), *nodes)
        free = list(free_values(Block(tuple(made), tuple(nodes), ())))
        own = _parameters([value.name for value, _ in given], free)
        self._check_types(free, name, loc)
        body = list(nodes)
        whole = bundled([end for end, _ in handed], body, loc)
        parameters = (*(value for value, _ in given), *own.values())
        program = Function(name, Block(parameters, tuple(body), (whole,)), loc)
        program = with_body(program, renewed(substitute(program.body, dict(own))))
        types = [part for value in program.body.parameters for part in parts_of(value.type or INT)]
        arguments = [
            part
            for argument in (*(each for _, each in given), *free)
            for part in self._parts(argument, before, loc)
        ]
        flat = pure(program)
        summary = dataclasses.replace(
            flat, program=dataclasses.replace(flat.program, assumed=self._equal_shapes(arguments))
        )
        ends = [type_of(end) or Scalar("float64") for end, _ in handed]
        new = [contiguous(types[k]) or types[k] for k in summary.changed]
        callee = Callee(
            name,
            tuple(types),
            bundle([*(contiguous(type_) or type_ for type_ in ends), *new]),
            changed=summary.changed,
            shares=summary.shares,
            is_checkpointed=True,
            is_block=is_block,
        )
        callee.alike = self._alike([end for end, _ in handed], arguments)
        settled = {
            k
            for k, each in enumerate(arguments)
            if isinstance(each, Value) and self.aliases.of(each) in self.settled
        }
        callee.settled = tuple(k for k in callee.changed if is_block and k in settled)
        callee.program = checkpoints_to_calls(summary.program)
        return [*before, *self._results(callee, arguments, [result for _, result in handed], loc)]

    def _results(
        self, callee: Callee, arguments: Sequence[Operand], results: Sequence[Value], loc: Loc
    ) -> list[Node]:
        """The call, what it returns, and the stores of the new contents of the arrays that it changes."""
        builder = Builder(loc=loc)
        whole = builder.apply(callee, *arguments, type=callee.result)
        types = callee.result.items if isinstance(callee.result, Tuple) else (callee.result,)
        count = len(own_results(callee)) + len(callee.changed)
        parts = [whole]
        if count > 1:
            parts = [builder.apply(operator.getitem, whole, Const(k), type=types[k]) for k in range(count)]
        for part, result in zip(parts, results, strict=False):
            object.__setattr__(part, "name", result.name)
            self.replaced[result] = part
        for part, position in zip(parts[len(results) :], callee.changed, strict=count > 0):
            array = arguments[position]
            assert isinstance(array, Value)
            object.__setattr__(part, "name", array.name)
            builder.store(array, (Dots(),), part)
        return builder.current.nodes

    def _extents(self, values: Sequence[Value]) -> list[Node]:
        """The nodes that read those of the values that are extents of arrays: the function reads them itself."""
        found: list[Node] = []
        for value in values:
            node = self.definitions.get(value)
            if not isinstance(node, Apply) or node.function is not operator.getitem:
                continue
            shape = self.definitions.get(node.operands[0]) if isinstance(node.operands[0], Value) else None
            if isinstance(shape, Apply) and shape.function is np.shape and not self._grows(shape.operands[0]):
                found += [each for each in (shape, node) if each not in found]
        return found

    def _grows(self, operand: Operand) -> bool:
        """Whether the operand is a list or an array that grows: its length may be another when the function is called."""
        return grows(operand, growing(self.function.body)) or not isinstance(operand, Value)

    def _equal_shapes(self, arguments: Sequence[Operand]) -> dict[int, Shape]:
        """For arrays of the shape of an earlier one among the arguments, by position: that shape."""
        arrays = [
            (k, each)
            for k, each in enumerate(arguments)
            if isinstance(each, Value) and isinstance(each.type, Array)
        ]
        found: dict[int, Shape] = {}
        for number, (position, each) in enumerate(arrays):
            for earlier, other in arrays[:number]:
                one, two = self.meant.get(each, each), self.meant.get(other, other)
                if earlier not in found and self.shapes.same(one, two):
                    assert isinstance(other.type, Array)
                    found[position] = shape_given(earlier, other.type)
                    break
        return found

    def _alike(self, ends: Sequence[Operand], arguments: Sequence[Operand]) -> dict[int, int]:
        """For results that are arrays of the shape of an argument: the position of that argument."""
        found: dict[int, int] = {}
        for number, end in enumerate(ends):
            if not isinstance(end, Value) or not isinstance(end.type, Array):
                continue
            for position, argument in enumerate(arguments):
                if isinstance(argument, Value) and isinstance(argument.type, Array):
                    if self.shapes.same(self.meant.get(end, end), self.meant.get(argument, argument)):
                        found[number] = position
                        break
        return found

    def _parts(self, operand: Operand, nodes: list[Node], loc: Loc) -> Iterator[Operand]:
        """The numbers and arrays of an argument."""
        type_ = type_of(operand)
        if not isinstance(type_, Tuple):
            yield operand
            return
        for k, item in enumerate(type_.items):
            part = Value("", item, loc)
            nodes.append(Apply(part, operator.getitem, (operand, Const(k)), loc))
            yield from self._parts(part, nodes, loc)

    # Loops

    def _loop(self, node: For | While, old: Node) -> list[Node]:
        """A marked loop as one over blocks of its iterations, and the last block as it was."""
        assert isinstance(old, For | While)
        self._check_carried(old)
        self.settled = self._settled_classes(old)
        if isinstance(node, While) or node.exit is not None:
            return self._of_unknown_length(node)
        mark, builder = node.checkpoint, Builder(loc=node.loc)
        assert mark is not None
        count = _count(builder, node)
        inits = [self._own(builder, init) for init in node.inits]
        slots = _slots(builder, mark, self._state(node, inits))
        length = mark.block
        if _is_none(length):
            length = builder.apply(checkpoints.block_length, count, slots, name="block", type=INT)
        before = builder.apply(max, _plus(builder, operator.sub, count, ONE), ZERO, type=INT)
        blocks = builder.apply(operator.floordiv, before, length, name="blocks", type=INT)
        entering = tuple(_renewed(value) for value in carried_parameters(node))
        number = builder.value("b", INT)
        with builder.block(number, *entering) as body:
            first = builder.apply(operator.mul, number, length, name="start", type=INT)
            bounds = [first, _plus(builder, operator.add, first, length)]
            low, high = (_along(builder, node, bound) for bound in bounds)
            nodes, leaving = self._block_call(node, entering, low, high)
            builder.add(*nodes)
        results = tuple(_renewed(value) for value in node.results)
        kept = Checkpoint(Kept.BLOCKS, mark.name, slots, block=length)
        body.yields = leaving
        builder.add(For(ZERO, blocks, ONE, tuple(inits), body.finish(), results, node.loc, None, kept))
        done = builder.apply(operator.mul, blocks, length, name="last", type=INT)
        start = _along(builder, node, done)
        rest = tuple(
            self._own(builder, result, like=param)
            for result, param in zip(results, carried_parameters(node), strict=True)
        )
        builder.add(dataclasses.replace(node, start=start, inits=rest, checkpoint=None))
        return builder.current.nodes

    def _of_unknown_length(self, node: For | While) -> list[Node]:
        """A marked loop that ends when it finds out: a loop over blocks, of which the last may be shorter."""
        mark, builder = node.checkpoint, Builder(loc=node.loc)
        assert mark is not None
        inits = tuple(self._own(builder, init) for init in node.inits)
        slots = _slots(builder, mark, self._state(node, inits))
        length = ONE if _is_none(mark.block) else mark.block
        kept = Checkpoint(Kept.BLOCKS, mark.name, slots)
        entering = tuple(_renewed(value) for value in carried_parameters(node))
        results = tuple(_renewed(value) for value in node.results)
        number = builder.value("b", INT)
        count = blocks = ZERO
        if isinstance(node, For):
            count = _count(builder, node)
            above = _plus(builder, operator.add, count, _plus(builder, operator.sub, length, ONE))
            blocks = builder.apply(operator.floordiv, above, length, name="blocks", type=INT)
        with builder.block(*([number] if isinstance(node, For) else []), *entering) as body:
            bounds: tuple[Operand, ...] = (ZERO, length)
            if isinstance(node, For):
                first = builder.apply(operator.mul, number, length, name="start", type=INT)
                high = builder.apply(min, _plus(builder, operator.add, first, length), count, type=INT)
                bounds = (_along(builder, node, first), _along(builder, node, high))
            nodes, leaving = self._block_call(node, entering, *bounds)
            builder.add(*nodes)
            body.yields = tuple(
                self.replaced.get(each, each) if isinstance(each, Value) else each for each in leaving
            )
        *ends, left = body.yields if node.exit is not None else (*body.yields, None)
        body.yields = tuple(ends)
        if isinstance(node, For):
            loop: Node = For(ZERO, blocks, ONE, inits, body.finish(), results, node.loc, left, kept)
        else:
            tested = tuple(_renewed(value) for value in node.condition.parameters)
            test = substitute(node.condition, dict(zip(node.condition.parameters, tested, strict=True)))
            condition = renewed(Block(tested, test.nodes, test.yields))
            loop = While(inits, condition, body.finish(), results, node.loc, left, kept)
        builder.add(loop)
        for own, result in zip(results, node.results, strict=True):
            self.replaced[result] = self._own(builder, own, like=result)
        return builder.current.nodes

    def _block_call(
        self, node: For | While, entering: Sequence[Value], low: Operand, high: Operand
    ) -> tuple[list[Node], tuple[Operand, ...]]:
        """The call that computes the iterations from `low` on, before `high`, and what they leave; then whether they broke off."""
        assert node.checkpoint is not None
        loc = node.loc
        start, stop = Value("start", INT, loc), Value("stop", INT, loc)
        read = self._read(node)
        inside: list[Node] = []
        inits: list[Operand] = []
        given: list[tuple[Value, Operand]] = [(start, low), (stop, high)]
        for parameter, enters in zip(carried_parameters(node), entering, strict=True):
            if parameter not in read:
                inits.append(_blank(parameter, inside))
                continue
            own = _renewed(parameter)
            given.append((own, enters))
            inits.append(self._written(own, parameter, inside))
        ends = tuple(dataclasses.replace(result) for result in node.results)
        self.meant.update(zip(ends, node.results, strict=True))
        self.meant.update(zip(entering, carried_parameters(node), strict=True))
        loop = dataclasses.replace(node, inits=tuple(inits), results=ends, checkpoint=None)
        if isinstance(loop, For):
            loop = dataclasses.replace(loop, start=start, stop=stop)
        else:
            loop = _at_most(loop, start, stop)
        if loop.exit is not None:
            loop = _telling(loop)
        inside.append(loop)
        after = tuple(_renewed(result) for result in node.results)
        left = (Value("left", BOOL, loc),) if loop.exit is not None else ()
        handed = [*zip(ends, after, strict=True), *zip(loop.results[-1:], left, strict=False)]
        nodes = self._called(node.checkpoint.name, inside, handed, loc, given, is_block=True)
        return nodes, (*after, *left)

    def _read(self, node: For | While) -> set[Value]:
        """What the loop carries and an iteration reads of the one before."""
        read = set(
            free_values(
                Block((), node.body.nodes, (*node.body.yields, *([] if node.exit is None else [node.exit])))
            )
        )
        if isinstance(node, While):
            tests = free_values(Block((), node.condition.nodes, node.condition.yields))
            pairs = zip(node.condition.parameters, node.body.parameters, strict=True)
            read |= {value for test, value in pairs if test in tests}
        return read

    def _settled_classes(self, loop: For | While) -> set[Value]:
        """The memory that a loop writes each element of once, and reads no element of that is written afterwards.

        Then it needs no snapshot: with its last contents, too, an iteration reads what it read the first time.
        """
        subscripts = Subscripts(self.function)
        stores = [node for node in walk(self.function.body) if isinstance(node, Store)]
        views: set[Value] = set()
        found: dict[Value, bool] = {}
        for node in walk(loop.body):
            touched, written = effect(node).touched, effect(node).writes
            if isinstance(node, Load | View | Store) and isinstance(node.buffer, Value):
                later = [each for each in stores if self.aliases.same(each.buffer, node.buffer)]
                fits = not any(subscripts.may_overwrite_later(node, each) for each in later)
                fits = fits and not (isinstance(node, Store) and node.accumulate)
                views.update([node.result] if isinstance(node, View) else [])
                touched = tuple(each for each in touched if each is not node.buffer)
                written = ()
                found[self.aliases.of(node.buffer)] = fits and found.get(self.aliases.of(node.buffer), True)
            found.update((self.aliases.of(each), False) for each in (*touched, *written) if each not in views)
        return {each for each, fits in found.items() if fits and each not in self.aliases.merged}

    def _state(self, node: For | While, inits: Sequence[Operand]) -> list[Operand]:
        """What a snapshot holds: what the loop carries, and the arrays from outside that it writes."""
        read = self._read(node)
        carried = [init for init, value in zip(inits, carried_parameters(node), strict=True) if value in read]
        free = free_values(node.body)
        written = {each for inner in walk(node.body) for each in effect(inner).writes}
        roots = {self.aliases.of(each) for each in written} - self.settled
        return [*carried, *(value for value in free if self.aliases.of(value) in roots)]

    def _own(self, builder: Builder, init: Operand, like: Value | None = None) -> Operand:
        """What a loop begins with: an array that is written, or not contiguous, as a copy that has no other name."""
        if not isinstance(init, Value) or not isinstance(init.type, Array):
            return init
        if (
            self.aliases.in_memory(init)
            or (like is not None and self.aliases.in_memory(like))
            or init.type.layout != "C"
        ):
            return builder.apply(np.copy, init, name=init.name, type=contiguous(init.type))
        return init

    def _written(self, own: Value, parameter: Value, nodes: list[Node]) -> Operand:
        """A parameter of a block: an array that the block writes is a copy, which it returns."""
        if not self.aliases.in_memory(parameter):
            return own
        copy = _renewed(own)
        nodes.append(Apply(copy, np.copy, (own,), own.loc))
        return copy

    # What is refused

    def _check(self, nodes: Sequence[Node], name: str) -> None:
        """Refuse what a second run of the nodes would not do again."""
        block = Block((), tuple(nodes), ())
        outside = free_values(block)
        for node in walk(block):
            if isinstance(node, Apply) and is_random(node.function):
                message = (
                    f"`{name}` is checkpointed and draws random numbers, and its second run would draw others"
                )
                remedy = "draw them before, and pass them as an argument."
                raise UnsupportedError(Problem("BS145", message, node.loc, remedy))
            if isinstance(node, Append | Grow) and node.buffer in outside:
                message = f"`{name}` is checkpointed and appends to a list that was made outside"
                remedy = "make an array of its final length before, and assign its elements."
                raise UnsupportedError(Problem("BS144", message, node.loc, remedy))
            if isinstance(node, Apply) and isinstance(node.function, Tap) and not node.function.optional:
                message = f"`{node.function.label}` is asked for by name, and assigned in `{name}`, which is checkpointed"
                remedy = "leave the checkpoint out, or ask for variables that are assigned outside."
                raise UnsupportedError(Problem("BS147", message, node.loc, remedy))

    def _check_types(self, values: Sequence[Value], name: str, loc: Loc) -> None:
        """Refuse arguments that are neither numbers nor arrays, nor tuples of these."""
        for value in values:
            for part in parts_of(value.type or INT):
                if isinstance(part, List | Other):
                    what = f"`{value.name}`" if value.name else "a value"
                    message = f"`{name}` is checkpointed and reads {what}, which is {_told(part)}"
                    remedy = "use numbers, arrays and tuples of them there."
                    raise UnsupportedError(Problem("BS144", message, loc, remedy))

    def _check_carried(self, node: For | While) -> None:
        """Refuse arrays that the loop carries and writes if they have other names, which would not see the writes."""
        parameters = carried_parameters(node)
        written = [
            (init, value)
            for init, value in zip(node.inits, parameters, strict=True)
            if isinstance(value.type, Array) and self.aliases.is_buffer(value)
        ]
        inits = [init for init, _ in written]
        inside = set(free_values(node.body))
        changed = {self.aliases.of(each) for inner in walk(node.body) for each in effect(inner).writes}
        after = self._read_after(node)
        for number, (init, value) in enumerate(written):
            others = {
                each
                for each in inside | after
                if isinstance(each.type, Array) and self.aliases.same(each, value)
            }
            shared = init not in self.fresh and self.aliases.of(value) in changed
            if others or init in inits[:number] or shared:
                name = f"`{value.name}`" if value.name else "an array"
                message = f"a checkpointed loop assigns and writes {name}, which may have another name"
                remedy = f"write into it with {name.strip('`')}[...] = ..., or begin with a copy of it."
                raise UnsupportedError(Problem("BS146", message, node.loc, remedy))

    def _read_after(self, loop: Node) -> set[Value]:
        """The values from before a loop at the top that the program reads after it."""
        nodes = self.function.body.nodes
        place = next(k for k, node in enumerate(nodes) if node is loop)
        rest = Block(
            loop.results if isinstance(loop, For | While) else (),
            nodes[place + 1 :],
            self.function.body.yields,
        )
        return set(free_values(rest))


def _parameters(taken: Sequence[str], values: Sequence[Value]) -> dict[Value, Value]:
    """A parameter for each value, under a name of its own."""
    used = set(taken)
    found: dict[Value, Value] = {}
    for value in values:
        base = value.name or "value"
        name = next(
            each
            for each in itertools.chain([base], (f"{base}_{k}" for k in itertools.count(1)))
            if each not in used
        )
        used.add(name)
        found[value] = dataclasses.replace(value, name=name)
    return found


def _told(type_: Type) -> str:
    """A type, for a message."""
    return "a list" if isinstance(type_, List) else "neither a number nor an array"


def _at_most(loop: While, start: Operand, stop: Operand) -> While:
    """The loop, which ends after `stop - start` iterations at the latest."""
    loc = loop.loc
    first, second, result = (Value("step", INT, loc) for _ in range(3))
    builder = Builder(loc=loc)
    with builder.block(*loop.condition.parameters, first) as condition:
        more = builder.apply(operator.lt, first, stop, type=BOOL)
        builder.add(*loop.condition.nodes)
        condition.yields = (builder.apply(operator.and_, more, *loop.condition.yields, type=BOOL),)
    with builder.block(*loop.body.parameters, second) as body:
        builder.add(*loop.body.nodes)
        body.yields = (*loop.body.yields, builder.apply(operator.add, second, ONE, type=INT))
    results = (*loop.results, result)
    parts = {"inits": (*loop.inits, start), "results": results}
    return dataclasses.replace(loop, condition=condition.finish(), body=body.finish(), **parts)


def _telling(loop: For | While) -> For | While:
    """The loop with one more result: whether it broke off."""
    loc = loop.loc
    assert loop.exit is not None
    parameter, result = Value("left", BOOL, loc), Value("left", BOOL, loc)
    body = dataclasses.replace(
        loop.body, parameters=(*loop.body.parameters, parameter), yields=(*loop.body.yields, loop.exit)
    )
    parts = {"inits": (*loop.inits, Const(False)), "body": body, "results": (*loop.results, result)}
    if isinstance(loop, While):
        tested = (*loop.condition.parameters, Value("left", BOOL, loc))
        parts["condition"] = dataclasses.replace(loop.condition, parameters=tested)
    return dataclasses.replace(loop, **parts)


def _is_none(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value is None


def _renewed(value: Value) -> Value:
    """A new value of the same name, whose array is contiguous."""
    return dataclasses.replace(value, type=contiguous(value.type))


def _blank(value: Value, nodes: list[Node]) -> Operand:
    """What a variable holds that is assigned before it is read."""
    if not isinstance(value.type, Array):
        dtype = value.type.dtype if isinstance(value.type, Scalar) else "float64"
        return Const({"b": False, "i": 0, "u": 0, "f": 0.0, "c": 0j}[np.dtype(dtype).kind])
    made = _renewed(value)
    dtype = np.bool_ if value.type.dtype == "bool" else getattr(np, value.type.dtype)
    shape = Const(0) if value.type.ndim == 1 else Const((0,) * value.type.ndim)
    nodes.append(Apply(made, np.empty, (shape, Const(dtype)), value.loc))
    return made


def _plus(builder: Builder, function: object, left: Operand, right: Operand) -> Operand:
    """A sum or difference of integers, without one that does nothing."""
    if literal(right) == 0:
        return left
    if literal(left) == 0 and function is operator.add:
        return right
    return builder.apply(function, left, right, type=INT)


def _count(builder: Builder, node: For) -> Operand:
    """How many iterations the loop has; where it has none, the number may be negative."""
    if literal(node.step) == 1:
        return _plus(builder, operator.sub, node.stop, node.start)
    return builder.apply(ranges.trip_count, node.start, node.stop, node.step, type=INT)


def _along(builder: Builder, node: For, number: Operand) -> Operand:
    """The loop's index in the iteration of this number."""
    along = number if literal(node.step) == 1 else builder.apply(operator.mul, number, node.step, type=INT)
    return _plus(builder, operator.add, along, node.start)


def _slots(builder: Builder, mark: Checkpoint, state: Sequence[Operand]) -> Operand:
    """How many snapshots there are room for."""
    if not _is_none(mark.slots):
        return mark.slots
    size: Operand = Const(0)
    for part in state:
        type_ = type_of(part)
        bytes_ = np.dtype(type_.dtype).itemsize if isinstance(type_, Scalar | Array) else 8
        room: Operand = Const(bytes_)
        if isinstance(type_, Array):
            entries = builder.apply(np.size, part, type=INT)
            room = builder.apply(operator.mul, entries, room, type=INT)
        size = _plus(builder, operator.add, size, room)
    return builder.apply(checkpoints.slots_within, mark.memory, size, name="slots", type=INT)
