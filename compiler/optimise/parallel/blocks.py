"""Run loops that the user marks with `prange` on all cores, in blocks of iterations.

Each core gets one block, a function of its own, which Numba compiles as it compiles any loop: what speeds up a loop on one
core speeds up a block. A block returns what it added up, and adds to copies of the arrays that all blocks add to. Afterwards these are
added up in the order of the blocks, so that a run gives what the run before gave, on as many cores.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence

import numpy as np

from backsweep.analysis.alias import find_aliases
from backsweep.analysis.integers.affine import literal
from backsweep.analysis.trip_counts import upwards
from backsweep.interprocedural.blocks import ONE, ZERO, index_at, iterations
from backsweep.interprocedural.outline import named_apart
from backsweep.interprocedural.summaries import bundle, bundled, raises
from backsweep.ir.build import Builder, christen, dtype_argument
from backsweep.ir.nodes import (
    Apply,
    Block,
    Callee,
    Const,
    For,
    Function,
    If,
    Node,
    Operand,
    Raise,
    Value,
    While,
    equals,
)
from backsweep.ir.sweeps import reverse_sweep
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT, NONE, Array, Scalar, Tuple, Type
from backsweep.ir.walk import (
    definitions_of,
    free_values,
    map_blocks,
    renewed,
    substitute,
    walk,
    with_body,
    with_marks,
    with_nodes,
)
from backsweep.optimise.parallel.certificates import Certificate, certificates
from backsweep.runtime import cores


def run_in_blocks(function: Function) -> Function:
    """The program, in which each loop that is marked and has a certificate runs in blocks; no other loop is marked."""
    if not any(isinstance(node, For) and node.parallel for node in walk(function.body)):
        return function
    return with_body(function, _Blocks(function).block(function.body))


class _Blocks:
    """Rebuilds the blocks of a program; `count` is the number of loops so far that run in blocks."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.aliases = find_aliases(function)
        self.definitions = definitions_of(function)
        self.found = {loop: (found, is_reverse) for loop, is_reverse, found in certificates(function)}
        self.count = 0

    def node(self, node: Node) -> list[Node]:
        """The node, with what takes the place of marked loops in it."""
        if isinstance(node, For) and node.parallel:
            found, is_reverse = self.found[node]
            if isinstance(found, Certificate):
                return self.in_blocks(node, found, is_reverse=is_reverse)
            node = dataclasses.replace(node, parallel=False)
        if isinstance(node, If | For | While):
            return [map_blocks(node, self.block)]
        return [node]

    def block(self, block: Block) -> Block:
        return with_nodes(block, [each for node in block.nodes for each in self.node(node)])

    def in_blocks(self, loop: For, found: Certificate, *, is_reverse: bool) -> list[Node]:
        """The nodes that run the loop in blocks, and add up what these return."""
        builder = Builder(loc=loop.loc)
        if literal(loop.step) == -1:
            loop = upwards(builder, loop)
        count = iterations(builder, loop)
        blocks = builder.apply(cores.blocks_for, count, name="blocks", type=INT)
        if found.reach > 1:
            blocks = builder.apply(cores.in_turns, blocks, count, Const(found.reach), name="blocks", type=INT)
        sums = [_parts_of_sum(builder, value, blocks) for value in loop.results]
        copies = {array: _copies(builder, array, blocks) for array in found.added}
        done = builder.apply(np.zeros, blocks, Const(np.bool_), name="done", type=Array("bool", 1, "C"))
        self.count += 1
        steps, handed = self.steps(builder, loop, found, is_reverse=is_reverse)
        given = [copies.get(each, each) if isinstance(each, Value) else each for each in handed]
        on_core = self.on_core(steps, [each in copies for each in handed], sums, done)

        def run(index: Operand) -> None:
            bounds = _bounds(builder, loop, index, blocks, count)
            builder.apply(on_core, index, *bounds, *given, *sums, done, type=NONE)

        _each_block(builder, blocks, run, in_turns=found.reach > 1)
        self.fail(builder, loop, steps, handed, (blocks, count, done))
        for result, init, parts in zip(loop.results, loop.inits, sums, strict=True):
            if equals(init, 0):
                builder.add(Apply(result, np.sum, (parts,), loop.loc))
                continue
            whole = builder.apply(np.sum, parts, name=result.name, type=result.type)
            builder.add(Apply(result, operator.add, (init, whole), loop.loc))
        for array, parts in copies.items():
            builder.apply(cores.add_parts, array, parts, type=NONE)
        return builder.current.nodes

    def steps(
        self, builder: Builder, loop: For, found: Certificate, *, is_reverse: bool
    ) -> tuple[Callee, list[Operand]]:
        """The function of a block's iterations, from `start` up to `stop`, and what it is given besides."""
        start, stop = (Value(name, INT, loop.loc) for name in ("start", "stop"))
        inits = tuple(_zero(value) for value in loop.results)
        ends = tuple(dataclasses.replace(value) for value in loop.results)
        inner = dataclasses.replace(loop, start=start, stop=stop, inits=inits, results=ends)
        handed = _Handed(builder, [start, stop], [])
        nodes: list[Node] = [reverse_sweep(loop.loc)] if is_reverse else []
        inside: dict[Value, Operand] = {}
        free = list(free_values(Block((start, stop), (*found.records, inner), ends)))
        for value in free:
            type_ = _of_block(value) if value in found.added else value.type
            own = Value(value.name or self.extent_name(value), type_, value.loc)
            inside[value] = handed.hand(own, value, nodes)
        nodes += substitute(Block((), (*found.records, inner), ()), inside).nodes
        whole = bundled(ends, nodes, loop.loc)
        body = renewed(_with_names_apart(Block(tuple(handed.parameters), tuple(nodes), (whole,))))
        program = Function(self.named("block"), body, loop.loc, self.together(handed.arguments, first=2))
        written = [
            number
            for number, each in enumerate(handed.arguments, 2)
            if isinstance(each, Value) and isinstance(each.type, Array) and self.aliases.is_buffer(each)
        ]
        callee = _callee(program, bundle([type_of(end) or INT for end in ends]), written)
        return callee, handed.arguments

    def on_core(self, steps: Callee, has_copy: Sequence[bool], sums: Sequence[Value], done: Value) -> Callee:
        """The function that runs a block on a core, and notes that it is done: no error leaves it, for nobody would hear of it."""
        assert steps.program is not None
        loc = steps.program.loc
        index, own = Value("block", INT, loc), [dataclasses.replace(each) for each in (*sums, done)]
        taken = [Value(each.name, each.type, loc) for each in steps.program.body.parameters]
        builder = Builder(loc=loc)
        given: list[Operand] = list(taken)
        for number, copied in enumerate(has_copy, 2):
            if copied:
                block = taken[number]
                assert isinstance(block.type, Array)
                many = Array(block.type.dtype, block.type.ndim + 1, "C")
                taken[number] = Value(f"{block.name}_parts", many, loc)
                given[number] = builder.view(taken[number], (index,), name=block.name, type=block.type)
        found = builder.apply(steps, *given, name="parts" if len(sums) > 1 else "", type=steps.result)
        for number, parts in enumerate(own[:-1]):
            part = found
            if isinstance(steps.result, Tuple):
                part = builder.apply(operator.getitem, found, Const(number), type=steps.result.items[number])
            builder.store(parts, (index,), part)
        builder.store(own[-1], (index,), Const(True))
        parameters = (index, *taken, *own)
        body = _with_names_apart(Block(parameters, tuple(builder.current.nodes), (Const(None),)))
        together = tuple(tuple(number + 1 for number in group) for group in steps.program.together)
        program = Function(self.named("on_core"), body, loc, together, catches=True)
        last = len(parameters) - len(own)
        written = [number + 1 for number in steps.writes]
        return _callee(program, NONE, [*written, *range(last, len(parameters))])

    def fail(
        self,
        builder: Builder,
        loop: For,
        steps: Callee,
        handed: Sequence[Operand],
        known: tuple[Operand, Operand, Value],
    ) -> None:
        """Run the first block that is not done once more, where its error is heard."""
        blocks, count, done = known
        index = builder.value("block", INT)
        with builder.block(index) as body:
            is_done = builder.load(done, (index,), type=BOOL)
            failed = builder.apply(operator.not_, is_done, type=BOOL)
            with builder.block() as then:
                bounds = _bounds(builder, loop, index, blocks, count)
                builder.apply(steps, *bounds, *handed, type=steps.result)
                message = Const("an iteration failed, and did not fail when it ran again")
                builder.add(Raise(Const(RuntimeError), (message,), loop.loc))
            builder.add(If(failed, then.finish(), Block((), (), ()), (), loop.loc))
        builder.add(For(ZERO, blocks, ONE, (), body.finish(), (), loop.loc))

    def named(self, ending: str) -> str:
        """The name of a function of the loop that is turned into blocks."""
        return f"{self.function.name}_{ending}{self.count if self.count > 1 else ''}"

    def extent_name(self, value: Value) -> str:
        """A name for a value without one: that of the extent that it is, as in `x_size0`."""
        match self.definitions.get(value):
            case Apply(function=operator.getitem, operands=(Value() as shape, Const(value=int() as axis))):
                of = self.definitions.get(shape)
                if isinstance(of, Apply) and of.function is np.shape and isinstance(of.operands[0], Value):
                    return f"{of.operands[0].name or 'array'}_size{axis}"
            case _:
                pass
        return "value"

    def together(self, arguments: Sequence[Operand], first: int) -> tuple[tuple[int, ...], ...]:
        """Groups of positions, counted from `first`, of arguments that may share memory."""
        groups: dict[Value, list[int]] = {}
        for position, each in enumerate(arguments, first):
            if isinstance(each, Value) and isinstance(each.type, Array):
                groups.setdefault(self.aliases.of(each), []).append(position)
        return tuple(tuple(group) for group in groups.values() if len(group) > 1)


@dataclasses.dataclass(slots=True)
class _Handed:
    """What a block's function takes, and what the call gives it."""

    builder: Builder
    parameters: list[Value]
    arguments: list[Operand]

    def hand(self, own: Value, value: Value, nodes: list[Node]) -> Value:
        """`own` is what the value is within the function: a parameter, or a tuple that `nodes` make of its items."""
        if not isinstance(own.type, Tuple):
            self.parameters.append(own)
            self.arguments.append(value)
            return own
        items = []
        for number, type_ in enumerate(own.type.items):
            item = self.builder.apply(operator.getitem, value, Const(number), type=type_)
            items.append(self.hand(Value(f"{own.name}_{number}", type_, own.loc), item, nodes))
        nodes.append(Apply(own, own.type.cls or tuple, tuple(items), value.loc))
        return own


def _with_names_apart(body: Block) -> Block:
    """The body of a function, each parameter under a name of its own."""
    apart = named_apart([], body.parameters)
    inside = substitute(Block((), body.nodes, body.yields), dict(apart))
    return dataclasses.replace(inside, parameters=tuple(apart.values()))


def _each_block(builder: Builder, blocks: Operand, run: Callable[[Operand], None], *, in_turns: bool) -> None:
    """Write the loop that runs each block on a core; in turns, every second one first, and then those between them."""
    if not in_turns:
        index = builder.value("block", INT)
        with builder.block(index) as body:
            run(index)
        builder.add(For(ZERO, blocks, ONE, (), body.finish(), (), builder.loc, parallel=True))
        return
    turn, half = builder.value("turn", INT), builder.value("half", INT)
    with builder.block(turn) as both:
        left = builder.apply(operator.sub, builder.apply(operator.add, blocks, ONE, type=INT), turn, type=INT)
        count = builder.apply(operator.floordiv, left, Const(2), type=INT)
        with builder.block(half) as body:
            twice = builder.apply(operator.mul, Const(2), half, type=INT)
            run(builder.apply(operator.add, twice, turn, name="block", type=INT))
        builder.add(For(ZERO, count, ONE, (), body.finish(), (), builder.loc, parallel=True))
    builder.add(For(ZERO, Const(2), ONE, (), both.finish(), (), builder.loc))


def _callee(program: Function, result: Type, writes: Sequence[int]) -> Callee:
    """The function as one that is called."""
    types = tuple(value.type or INT for value in program.body.parameters)
    plain = with_marks(program, False)
    return Callee(program.name, types, result, writes=tuple(writes), checks=raises(plain), program=plain)


def _bounds(builder: Builder, loop: For, block: Operand, blocks: Operand, count: Operand) -> list[Operand]:
    """The index at which a block starts, and that at which it stops."""
    after = builder.apply(operator.add, block, ONE, type=INT)
    numbers = [builder.apply(cores.first_of, each, blocks, count, type=INT) for each in (block, after)]
    bounds = [index_at(builder, loop, each) for each in numbers]
    for bound, name in zip(bounds, ("start", "stop"), strict=True):
        if isinstance(bound, Value):
            christen(bound, name)
    return bounds


def _zero(value: Value) -> Const:
    """Zero in the type of a sum."""
    dtype = value.type.dtype if isinstance(value.type, Scalar) else "float64"
    return Const({"i": 0, "u": 0, "f": 0.0, "c": 0j}[np.dtype(dtype).kind])


def _parts_of_sum(builder: Builder, value: Value, blocks: Operand) -> Value:
    """Memory for what each block adds to a number."""
    assert isinstance(value.type, Scalar)
    made = Array(value.type.dtype, 1, "C")
    return builder.apply(np.empty, blocks, *dtype_argument(made.dtype), name=f"{value.name}_parts", type=made)


def _copies(builder: Builder, array: Value, blocks: Operand) -> Value:
    """Zeros for what each block adds to an array."""
    assert isinstance(array.type, Array)
    made = Array(array.type.dtype, array.type.ndim + 1, "C")
    return builder.apply(cores.parts_for, array, blocks, name=f"{array.name}_parts", type=made)


def _of_block(array: Value) -> Array:
    assert isinstance(array.type, Array)
    return Array(array.type.dtype, array.type.ndim, "C")
