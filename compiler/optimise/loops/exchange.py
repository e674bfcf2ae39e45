"""Exchange loops of the reverse sweep whose innermost one runs across rows of memory, so that it runs along them.

`for j: for k: w_bar[k, j] += s[j] * x[k]` touches another row in each iteration. What the reverse sweep adds to elements
may be added in any order, so that `k` may be the outer loop. What the outer loop computes besides stays in a loop of
its own; the numbers that the nest takes from there wait in an array ("row").

Source: loop interchange and distribution with scalar expansion, Allen and Kennedy, "Optimizing compilers for modern
architectures" (2001), sections 5.2 and 5.3.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.integers.affine import Affine, literal, to_affine, variable
from backsweep.analysis.trip_counts import arithmetic, is_short, unit
from backsweep.ir.build import Builder
from backsweep.ir.effects import effect, has_effect
from backsweep.ir.nodes import (
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
    Store,
    Value,
    View,
)
from backsweep.ir.operations import NUMBERS, Kind, kind, operation
from backsweep.ir.sweeps import rebuild_reverse_sweep
from backsweep.ir.typed import is_element
from backsweep.ir.types import BOOL, INT, Array, Scalar
from backsweep.ir.walk import map_blocks, operands, renewed, results, walk, with_nodes
from backsweep.optimise.loops.inner_loops import FLOAT, is_index

_WRITING = 2
"""What a store counts beside a read."""
_MOST_REPEATED = 3
"""How many loads and operations may be repeated in each iteration of the nest in place of a row."""


def exchange_loops(function: Function) -> Function:
    """The program, in whose reverse sweep the innermost loops of nests of additions run along rows of memory."""
    aliases = find_aliases(function)
    parameters = {*function.body.parameters}

    def exchanged(node: Node) -> list[Node]:
        changed = map_blocks(node, block)
        nest = _Exchange(changed, aliases, parameters) if isinstance(changed, For) else None
        return [changed] if nest is None or not nest.pays() else nest.written()

    def block(given: Block) -> Block:
        return with_nodes(given, [each for node in given.nodes for each in exchanged(node)])

    return rebuild_reverse_sweep(function, exchanged)


class _Exchange:
    """A loop, the nest in it (`loops`, outermost first), and the rest of its body."""

    def __init__(self, loop: For, aliases: Aliases, parameters: set[Value]) -> None:
        self.loop, self.aliases, self.parameters = loop, aliases, parameters
        self.index = loop.body.parameters[0]
        self.loops, self.nodes = _nest([node for node in loop.body.nodes if isinstance(node, For)])
        self.rest = [node for node in loop.body.nodes if node not in self.loops[:1]]

    # Whether it may be, and pays ---------------------------------------------------------------------

    def pays(self) -> bool:
        """Whether the loop may be the innermost of the nest, and then fewer accesses run across rows."""
        if not self.loops or not self.is_plain() or not self.is_independent():
            return False
        return self.across(self.index) < self.across(self.loops[-1].body.parameters[0])

    def is_plain(self) -> bool:
        """Whether the nest only adds to elements, in loops whose ranges the loop around does not change."""
        outer = self.loop
        if (
            outer.exit is not None
            or outer.checkpoint is not None
            or unit(outer.step) is None
            or is_short(outer)
        ):
            return False
        if unit(outer.step) == -1 and literal(outer.stop) != -1:
            return False
        if self.may_fail and outer.results:
            return False
        ranges = [each for loop in self.loops for each in (loop.start, loop.stop, loop.step)]
        if any(each in self.own and each not in self.fixed for each in ranges):
            return False
        stores = [node for node in self.nodes if isinstance(node, Store)]
        return bool(stores) and all(map(self.adds, stores)) and all(map(self.is_known, self.taken))

    def adds(self, store: Store) -> bool:
        """Whether the store adds a number to an element of an array that the function made itself."""
        root = self.aliases.root(store.buffer)
        return (
            store.accumulate and is_element(store) and _is_float(store.value) and root not in self.parameters
        )

    def is_known(self, value: Value) -> bool:
        """Whether the nest can have a value of the loop's body: computed before, computed again, or from a row."""
        return value in self.fixed or value in self.repeated or value.type == FLOAT

    def is_independent(self) -> bool:
        """Whether the rest may run before the whole nest: neither touches what the other changes, but to add to it."""
        of = self.aliases.of
        inside = [effect(node) for node in self.nodes]
        added = {of(each) for found in inside for each in found.writes}
        read = {of(each) for found in inside for each in found.touched}
        if any(found.keeps_place for found in inside) or not added.isdisjoint(read):
            return False
        for node in _all(self.rest):
            found = effect(node)
            only_adds = isinstance(node, Store) and node.accumulate and is_element(node)
            touched = {of(each) for each in found.touched}
            changed = {of(each) for each in found.writes}
            if not added.isdisjoint(touched) or not read.isdisjoint(changed):
                return False
            if not only_adds and not added.isdisjoint(changed):
                return False
        return True

    def across(self, index: Value) -> int:
        """How many accesses of the nest run across rows if the index moves."""
        found = 0
        for node in self.nodes:
            if isinstance(node, Load | Store) and node.index:
                moves = [index in self.affine(item).terms for item in node.index if isinstance(item, Operand)]
                type_ = node.buffer.type if isinstance(node.buffer, Value) else None
                in_rows = isinstance(type_, Array) and type_.layout == "C"
                if any(moves) and not (in_rows and not any(moves[:-1])):
                    found += _WRITING if isinstance(node, Store) else 1
        return found

    # What the nest takes from the loop around -----------------------------------------------------------

    @cached_property
    def definitions(self) -> dict[Value, Node]:
        """The nodes of the body, and of the nest, by what they define."""
        nodes = [*self.rest, *self.nodes]
        return {result: node for node in nodes for result in results(node)}

    @cached_property
    def own(self) -> set[Operand]:
        """What the loop's body defines, but for the nest."""
        return {*self.loop.body.parameters, *(each for node in self.rest for each in results(node))}

    @cached_property
    def taken(self) -> dict[Value, None]:
        """What the nest uses of it, but for the index."""
        read = [each for node in (*self.loops, *self.nodes) for each in operands(node)]
        return {
            each: None
            for each in read
            if isinstance(each, Value) and each in self.own and each is not self.index
        }

    @cached_property
    def written_here(self) -> set[Value]:
        """The memory that the loop changes."""
        return {self.aliases.of(each) for node in walk(self.loop.body) for each in effect(node).writes}

    def is_constant(self, buffer: Operand) -> bool:
        """Whether the loop does not change an array."""
        return not isinstance(buffer, Value) or self.aliases.of(buffer) not in self.written_here

    @cached_property
    def fixed(self) -> dict[Value, None]:
        """What is the same in all iterations and can be computed before the first, in program order: views, counts."""
        found: dict[Value, None] = {}
        for node in self.rest:
            if _is_view(node) or _is_count(node):
                if all(each not in self.own or each in found for each in operands(node)):
                    found.update(dict.fromkeys(results(node)))
        return found

    @property
    def may_fail(self) -> bool:
        """Whether what is computed before may have no place in memory if the loop has no iteration."""
        made = [self.definitions[each] for each in self.fixed]
        return any(
            isinstance(item, Operand) for node in made if isinstance(node, View) for item in node.index
        )

    @cached_property
    def repeated(self) -> dict[Operand, int]:
        """What is computed again in the nest, with the number of loads and operations of floats that this takes."""
        found: dict[Operand, int] = {self.index: 0}
        for node in self.rest:
            if not isinstance(node, Apply | Load) or not _is_number(node):
                continue
            if isinstance(node, Apply) and kind(node.function) is not Kind.ARITHMETIC:
                continue
            if isinstance(node, Load) and not self.is_constant(node.buffer):
                continue
            sources = [each for each in operands(node) if each in self.own and each not in self.fixed]
            if all(each in found for each in sources):
                own = 0 if is_index(node) else 1
                steps = own + sum(found[each] for each in sources)
                if steps <= _MOST_REPEATED:
                    found[node.result] = steps
        return found

    def affine(self, item: Operand) -> Affine:
        """An index as a linear expression of the loops' indices."""
        is_whole = isinstance(item, Const) or (isinstance(item, Value) and item.type == INT)
        return to_affine(item, self.definitions) if is_whole else variable(item)

    # The loops --------------------------------------------------------------------------------------------

    def written(self) -> list[Node]:
        """What is computed before, the loop of the rest, and the nest."""
        builder = Builder(loc=self.loop.loc)
        first, stop = self.range(builder)
        with builder.block() as made:
            self.write(builder, first, stop)
        if self.may_fail:
            runs = builder.apply(operator.lt, first, stop, type=BOOL)
            builder.add(If(runs, made.finish(), Block((), (), ()), (), self.loop.loc))
        else:
            builder.add(*made.nodes)
        return builder.current.nodes

    def write(self, builder: Builder, first: Operand, stop: Operand) -> None:
        """Write these for a loop from `first` to `stop`."""
        rest: list[Node] = []
        for node in self.rest:
            is_fixed = bool(results(node)) and results(node)[0] in self.fixed
            rest += [] if is_fixed else [node]
            builder.add(*([node] if is_fixed else []))
        rows = self.rows(first, stop, builder)
        if self.loop.results or rows or any(map(has_effect, _all(rest))):
            builder.add(self.loop_of(rest, rows, first))
            rest = []
        comments = [node for node in rest if isinstance(node, Comment)]
        builder.add(self.nest(rows, comments, first, stop))

    def range(self, builder: Builder) -> tuple[Operand, Operand]:
        """The first index, and the one behind the last, of the loop run upwards."""
        if unit(self.loop.step) == 1:
            return self.loop.start, self.loop.stop
        return Const(0), arithmetic(builder, operator.add, self.loop.start, Const(1))

    def rows(self, first: Operand, stop: Operand, builder: Builder) -> dict[Value, Value]:
        """The rows that hold what the nest takes."""
        waiting = [each for each in self.taken if each not in self.fixed and each not in self.repeated]
        length: Operand | None = None
        found: dict[Value, Value] = {}
        for value in waiting:
            if length is None:
                count = arithmetic(builder, operator.sub, stop, first)
                length = builder.apply(max, count, Const(0), type=INT)
            name = f"{value.name}_row" if value.name else "row"
            found[value] = builder.apply(np.empty, length, name=name, type=Array("float64", 1))
        return found

    def loop_of(self, rest: Sequence[Node], rows: Mapping[Value, Value], first: Operand) -> For:
        """The loop without the nest, which fills the rows."""
        builder = Builder(loc=self.loop.loc)
        place = arithmetic(builder, operator.sub, self.index, first) if rows else self.index
        for parameter in self.loop.body.parameters:
            if parameter in rows:
                builder.store(rows[parameter], (place,), parameter)
        for node in rest:
            builder.add(node)
            for result in results(node):
                if result in rows:
                    builder.store(rows[result], (place,), result)
        return dataclasses.replace(self.loop, body=with_nodes(self.loop.body, builder.current.nodes))

    def nest(
        self, rows: Mapping[Value, Value], comments: Sequence[Node], first: Operand, stop: Operand
    ) -> Node:
        """The nest with the loop as its innermost one."""
        builder = Builder(loc=self.loop.loc)
        place = arithmetic(builder, operator.sub, self.index, first) if rows else self.index
        for value, row in rows.items():
            builder.add(Load(value, row, (place,), value.loc))
        needed = self.needed(rows)
        body = (
            *comments,
            *builder.current.nodes,
            *(node for node in self.rest if node in needed),
            *self.nodes,
        )
        inner = dataclasses.replace(
            self.loop,
            start=first,
            stop=stop,
            step=Const(1),
            inits=(),
            results=(),
            body=Block((self.index,), body, ()),
        )
        for each in reversed(self.loops):
            inner = dataclasses.replace(each, body=Block(each.body.parameters[:1], (inner,), ()))
        (node,) = renewed(Block((), (inner,), ())).nodes
        return node

    def needed(self, rows: Mapping[Value, Value]) -> set[Node]:
        """The nodes of the rest that are computed again in the nest."""
        found: set[Node] = set()
        todo: list[Operand] = [each for each in self.taken if each in self.repeated and each not in rows]
        while todo:
            operand = todo.pop()
            node = self.definitions.get(operand) if isinstance(operand, Value) else None
            if node is not None and node not in found and results(node)[0] not in self.fixed:
                found.add(node)
                todo += [each for each in operands(node) if each in self.own]
        return found


def _nest(loops: Sequence[For]) -> tuple[list[For], list[Node]]:
    """The loops of a nest, outermost first, and the nodes in it, to be run in its innermost loop; none if it is no such nest."""
    found: list[For] = []
    nodes: list[Node] = []
    while loops:
        (loop, *others) = loops
        if (
            others
            or loop.inits
            or loop.exit is not None
            or loop.checkpoint is not None
            or unit(loop.step) is None
        ):
            return [], []
        found.append(loop)
        loops = [node for node in loop.body.nodes if isinstance(node, For)]
        own = [node for node in loop.body.nodes if not isinstance(node, For)]
        if not all(
            isinstance(node, Load | View | Comment) or _is_simple(node, last=not loops) for node in own
        ):
            return [], []
        nodes += own
    made = {result for node in nodes for result in results(node)}
    ranges = {each for loop in found for each in (loop.start, loop.stop, loop.step)}
    return (found, nodes) if made.isdisjoint(ranges) else ([], [])


def _is_simple(node: Node, *, last: bool) -> bool:
    """Whether the node only computes a number that costs next to nothing; any number, or an addition, in the last loop."""
    if isinstance(node, Store):
        return last
    if not isinstance(node, Apply) or not isinstance(node.result.type, Scalar) or node.keywords:
        return False
    known = operation(node.function)
    return known.is_pure and known.kind in (NUMBERS if last else (Kind.ARITHMETIC,))


def _is_view(node: Node) -> bool:
    """Whether the node selects a part of an array."""
    return isinstance(node, View) and isinstance(node.buffer.type, Array)


def _is_count(node: Node) -> bool:
    """Whether the node computes integers, or asks for a shape; it fails nowhere."""
    if not isinstance(node, Apply) or node.keywords:
        return False
    if kind(node.function) is Kind.EXTENT:
        return all(isinstance(each, Value) and isinstance(each.type, Array) for each in node.operands)
    is_item = node.function is operator.getitem and isinstance(node.operands[1], Const)
    return node.result.type == INT and (is_item or kind(node.function) is Kind.ARITHMETIC)


def _is_number(node: Apply | Load) -> bool:
    return node.result.type in (INT, FLOAT)


def _is_float(operand: Operand) -> bool:
    return isinstance(operand, Const) or operand.type == FLOAT


def _all(nodes: Sequence[Node]) -> Iterator[Node]:
    """The nodes and those in them."""
    return walk(Block((), tuple(nodes), ()))
