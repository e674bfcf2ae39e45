"""Advance the directions of a Jacobian together: the loop over its tangents, or its reverse sweeps, becomes the innermost one.

A loop whose index says only where an iteration stores does the same in each, but for a seed. Where that is a sequence, of which each
step needs the one before it, the machine computes one number at a time, and what all directions share is computed for each of them:

    for j in range(p.size):                        width = min(p.size, 32)
        p_dot[j] = 1.0                             x_dots = np.empty(width)
        x, x_dot = 1.0, 0.0                        ...
        for i in range(n):                         for i in range(n):
            x_dot += p_dot[0] * x + p[0] * x_dot       for k in range(width):
            x += p[0] * x                                  x_dots[k] += p_dot[0, k] * x + p[0] * x_dots[k]
        p_jacobian[j] = x_dot                          x += p[0] * x

What differs from direction to direction gets one more axis, the last: an array itself, a number where it is read in another loop than
that which computes it. Up to `AT_ONCE` directions advance together, so that tapes and arrays stay small.

Sources: D. Nuzman and A. Zaks, Outer-loop vectorization, revisited for short SIMD architectures, PACT 2008; scalar expansion in R. Allen
and K. Kennedy, Optimizing Compilers for Modern Architectures, section 5.3.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Sequence

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.integers.affine import literal
from backsweep.ir.build import Builder, dtype_argument, with_last_axis
from backsweep.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Comment,
    Const,
    For,
    Function,
    If,
    Load,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.operations import Kind, kind, operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, Scalar, Tuple
from backsweep.ir.walk import (
    blocks,
    definitions_of,
    free_values,
    map_blocks,
    merges,
    operands,
    rename_operands,
    results,
    rewrite_block,
    substitute,
    walk,
    with_body,
    with_nodes,
)
from backsweep.optimise.differing import Differing, may_be_of_directions

AT_ONCE = 32
"""How many directions advance together at most."""


def advance_together(function: Function) -> Function:
    """The program, in which the directions of a Jacobian advance together where each is a sequence."""
    if not any(map(may_be_of_directions, walk(function.body))):
        return function
    aliases = find_aliases(function)

    def within(block: Block) -> Block:
        nodes: list[Node] = []
        for node in block.nodes:
            together = _together(function, node, aliases) if isinstance(node, For) else None
            nodes += [map_blocks(node, within)] if together is None else together
        return with_nodes(block, nodes)

    return with_body(function, within(function.body))


def _together(function: Function, loop: For, aliases: Aliases) -> list[Node] | None:
    """What stands for a loop whose iterations advance together; None if they cannot, or gain nothing."""
    if not may_be_of_directions(loop):
        return None
    apart = Differing.of(function, loop, aliases)
    if apart is None or not any(apart.is_sequence(node) for node in walk(loop.body)):
        return None
    return _Together(function, loop, apart).nodes()


class _Together:
    """Writes the nodes of several directions. `short` are the loops over directions; what these read and keep is added last.

    `rows` hold numbers that differ, where another loop reads them than that which computes them; `arrays` are those with an axis more.
    """

    def __init__(self, function: Function, loop: For, apart: Differing) -> None:
        self.definitions = definitions_of(function)
        self.loop, self.apart = loop, apart
        self.builder = Builder(loc=loop.loc)
        self.first: Operand = Const(0)
        self.width: Operand = loop.stop
        self.rows: dict[Value, Value] = {}
        self.arrays: dict[Value, Value] = {}
        self.short: set[Node] = set()
        self.waiting: list[Node] = []
        self.comments: list[Node] = []
        self.place = self.builder.value("", INT)

    def nodes(self) -> list[Node]:
        """The loop over groups of directions, and before it the rows."""
        count = literal(self.loop.stop)
        builder = self.builder
        if count is not None and count <= AT_ONCE:
            with builder.block() as whole:
                self.body()
            made = self.completed(whole.finish())
            self.make_rows()
            return [*builder.current.nodes, *made.nodes]
        self.first = first = builder.value("first", INT)
        with builder.block(first) as group:
            left = builder.apply(operator.sub, self.loop.stop, first, type=INT)
            self.width = builder.apply(min, left, Const(AT_ONCE), name="width", type=INT)
            self.body()
        made = self.completed(group.finish())
        self.width = Const(AT_ONCE)
        self.make_rows()
        builder.add(dataclasses.replace(self.loop, step=Const(AT_ONCE), body=made))
        return builder.current.nodes

    def body(self) -> None:
        """Write what several directions do, each with a seed of its own, which is made for them and not taken back."""
        for seed, made in self.apart.seeds.items():
            self.make(dataclasses.replace(made, result=seed))
        nodes = self.loop.body.nodes
        self.write(nodes[:-1] if self.apart.seeds else nodes)
        self.flush()

    # Blocks: what is alike runs once, before what differs

    def write(self, nodes: Iterable[Node]) -> None:
        """Write statements: those that are alike in all directions as they are, the others in short loops, of which the last still waits."""
        for node in nodes:
            if isinstance(node, Comment):
                self.comments.append(node)
            elif isinstance(node, If | For | While) and self.apart.is_mixed(node):
                self.with_blocks(node)
            elif self.apart.is_number(node):
                self.waiting += [*self.comments, self.of_one(node)]
                self.comments.clear()
            else:
                self.of_all(node)

    def flush(self) -> None:
        """Write the short loop of the statements that wait."""
        if self.waiting:
            body = Block((self.place,), tuple(self.waiting), ())
            short = For(Const(0), self.width, Const(1), (), body, (), self.loop.loc)
            self.short.add(short)
            self.builder.add(short)
        self.waiting, self.place = [], self.builder.value("", INT)
        self.builder.add(*self.comments)
        self.comments.clear()

    def of_one(self, node: Node) -> Node:
        """A statement of a short loop."""
        renamed = rename_operands(node, self.array_of)
        if isinstance(node, Load | Store) and self.apart.differs(node.buffer):
            assert isinstance(renamed, Load | Store)
            return dataclasses.replace(renamed, index=(*renamed.index, self.place))
        return renamed

    def of_all(self, node: Node) -> None:
        """Write a statement that runs once for all directions."""
        differs, builder = self.apart.differs, self.builder
        if not any(map(differs, (*operands(node), *results(node)))):
            builder.add(*self.comments, node)
            self.comments.clear()
            return
        match node:
            case View():
                index = (*node.index, Slice())
                builder.add(View(self.array(node.result), self.array(node.buffer), index, node.loc))
            case Apply() if kind(node.function) is Kind.EXTENT:
                self.extent(node)
            case Apply() if kind(node.function) in (Kind.ALIKE, Kind.NEW) or not any(
                map(differs, operands(node))
            ):
                self.make(node)
            case Apply():
                self.flush()
                given = tuple(map(self.of_array, node.operands))
                builder.add(Apply(self.array(node.result), node.function, given, node.loc))
            case Store():
                self.flush()
                value = self.of_array(node.value)
                builder.store(
                    self.array(node.buffer), (*node.index, Slice()), value, node.loc, node.accumulate
                )

    def with_blocks(self, node: If | For | While) -> None:
        """Write a branch or a loop; the numbers that it hands on are in rows, where they differ."""
        handed = list(merges(node))
        in_rows = [result in self.apart.numbers for result in node.results]
        parameters = {each for block in blocks(node) for each in block.parameters}
        for (result, *others), is_row in zip(handed, in_rows, strict=True):
            if is_row:
                row = self.row(result)
                self.rows.update(
                    (each, row) for each in others if isinstance(each, Value) and each in parameters
                )
                if not isinstance(node, If):
                    self.keep(row, others[0])
        self.flush()

        def left(values: Sequence[Operand]) -> tuple[Operand, ...]:
            return tuple(
                self.array_of(each) for each, is_row in zip(values, in_rows, strict=True) if not is_row
            )

        def of_several(block: Block) -> Block:
            own = [self.array(each) for each in block.parameters if each not in self.apart.numbers]
            with self.builder.block(*own) as made:
                self.write(block.nodes)
                if isinstance(node, While) and block is node.condition:
                    made.yields = block.yields
                else:
                    made.yields = left(block.yields)
                    for (result, *_), end, is_row in zip(handed, block.yields, in_rows, strict=True):
                        if is_row:
                            self.keep(self.row(result), end)
                self.flush()
            return made.finish()

        several = map_blocks(node, of_several)
        results = tuple(self.array(each) for each in node.results if each not in self.rows)
        match several:
            case If():
                self.builder.add(dataclasses.replace(several, results=results))
            case For() | While():
                self.builder.add(dataclasses.replace(several, inits=left(several.inits), results=results))

    def keep(self, row: Value, number: Operand) -> None:
        """Store a number into a row, in the short loop that waits; what no path has assigned is not read later."""
        if number is not UNDEFINED:
            self.waiting.append(Store(row, (self.place,), number, self.loop.loc))

    # Arrays with one more axis

    def array(self, value: Value) -> Value:
        """An array for all directions, if it differs; any other value as it is."""
        if not isinstance(value.type, Array) or not self.apart.differs(value):
            return value
        if value not in self.arrays:
            layout = "C" if value.type.layout == "C" else "A"
            type_ = Array(value.type.dtype, value.type.ndim + 1, layout)
            self.arrays[value] = Value(value.name, type_, value.loc, value.role)
        return self.arrays[value]

    def array_of(self, operand: Operand) -> Operand:
        """The same of an operand."""
        return self.array(operand) if isinstance(operand, Value) else operand

    def of_array(self, operand: Operand) -> Operand:
        """An operand of a statement of whole arrays: what is alike in all directions is broadcast along their axis."""
        if isinstance(operand, Value) and operand in self.apart.numbers:
            row = self.row(operand)
            return self.builder.view(row, (Slice(Const(0), self.width),), type=row.type)
        if isinstance(type_of(operand), Array) and not self.apart.differs(operand):
            return with_last_axis(self.builder, operand)
        return self.array_of(operand)

    def make(self, node: Apply) -> None:
        """Make an array for all directions as the node makes that of one."""
        builder, known, result = self.builder, kind(node.function), self.array(node.result)
        assert isinstance(result.type, Array)
        base = node.operands[0]
        if known is Kind.ALIKE and self.apart.differs(base):
            builder.add(rename_operands(dataclasses.replace(node, result=result), self.array_of))
            return
        if known not in (Kind.ALIKE, Kind.NEW):
            base = Value(node.result.name, node.result.type, node.loc)
            node = dataclasses.replace(node, result=base)
            builder.add(node)
        lengths = self.lengths(node)
        shape = (*lengths, self.width)
        whole = builder.apply(tuple, *shape, type=Tuple((INT,) * len(shape))) if lengths else self.width
        function = operation(node.function).of_shape or (node.function if known is Kind.NEW else np.empty)
        filled = node.operands[1:2] if function is np.full else ()
        builder.add(Apply(result, function, (whole, *filled, *dtype_argument(result.type.dtype)), node.loc))
        if known not in (Kind.ALIKE, Kind.NEW):
            builder.store(result, (Slice(),) * result.type.ndim, with_last_axis(builder, base), node.loc)

    def lengths(self, made: Apply) -> list[Operand]:
        """The extents of the array that a node makes, as they are written where arrays of its shape are made first."""
        base = made.operands[0]
        if kind(made.function) is Kind.ALIKE:
            like = self.definitions.get(base) if isinstance(base, Value) else None
            is_made = isinstance(like, Apply) and kind(like.function) in (Kind.ALIKE, Kind.NEW, Kind.COPY)
            return self.lengths(like) if is_made and isinstance(like, Apply) else self.builder.extents(base)
        if kind(made.function) is not Kind.NEW:
            return self.builder.extents(made.result)
        if not isinstance(type_of(base), Tuple):
            return [base]
        tupled = self.definitions.get(base) if isinstance(base, Value) else None
        if isinstance(tupled, Apply) and tupled.function is tuple:
            return list(tupled.operands)
        assert isinstance(base, Value)
        assert isinstance(base.type, Tuple)
        axes = range(len(base.type.items))
        return [self.builder.apply(operator.getitem, base, Const(axis), type=INT) for axis in axes]

    def extent(self, node: Apply) -> None:
        """Ask the array for all directions for what the node asks one: shape, size or length, without the axis of directions."""
        builder = self.builder
        base = node.operands[0]
        assert isinstance(base, Value)
        lengths: list[Operand] = list(builder.extents(self.array(base))[:-1])
        if node.function is np.shape:
            builder.add(Apply(node.result, tuple, tuple(lengths), node.loc))
            return
        product = lengths[0] if lengths else Const(1)
        for length in lengths[1:-1] if node.function is np.size else ():
            product = builder.apply(operator.mul, product, length, type=INT)
        last = lengths[-1] if node.function is np.size and len(lengths) > 1 else Const(1)
        builder.add(Apply(node.result, operator.mul, (product, last), node.loc))

    # Short loops

    def row(self, operand: Operand) -> Value:
        """The row of a number that differs."""
        assert isinstance(operand, Value)
        assert isinstance(operand.type, Scalar)
        if operand not in self.rows:
            name = f"{operand.name}s" if operand.name else ""
            self.rows[operand] = Value(name, Array(operand.type.dtype, 1), operand.loc)
        return self.rows[operand]

    def make_rows(self) -> None:
        """Make the rows, before the loop."""
        for row in dict.fromkeys(self.rows.values()):
            assert isinstance(row.type, Array)
            self.builder.add(Apply(row, np.empty, (self.width, *dtype_argument(row.type.dtype)), row.loc))

    def completed(self, block: Block) -> Block:
        """The block, in whose short loops numbers are read from rows, and kept in rows for others."""
        for short in self.short:
            for value in self.from_others(short):
                if value is not self.loop.body.parameters[0]:
                    self.row(value)
        return rewrite_block(block, lambda node: [self.complete(node)] if node in self.short else [node])

    def from_others(self, short: Node) -> list[Value]:
        """The numbers that differ and that a short loop does not compute itself."""
        (body,) = blocks(short)
        return [value for value in free_values(body) if value in self.apart.numbers]

    def complete(self, short: Node) -> Node:
        """A short loop with its reads and writes of rows."""
        (body,) = blocks(short)
        (place,) = body.parameters
        builder = Builder(place, loc=self.loop.loc)
        own: dict[Value, Operand] = {}
        for value in self.from_others(short):
            if value is not self.loop.body.parameters[0]:
                own[value] = builder.load(self.rows[value], (place,), name=value.name, type=value.type)
            elif literal(self.first) == 0:
                own[value] = place
            else:
                own[value] = builder.apply(operator.add, self.first, place, type=INT)
        kept = [value for node in body.nodes for value in results(node) if value in self.rows]
        builder.add(*substitute(body, own).nodes)
        for value in kept:
            builder.store(self.rows[value], (place,), value)
        return map_blocks(short, lambda _: builder.current.finish())
