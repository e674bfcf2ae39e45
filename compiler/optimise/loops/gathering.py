"""Gather what a loop adds to neighbouring elements: one sum for each element, where each iteration added to several.

The adjoint of `y[i] = x[i - 1] + x[i] + x[i + 1]` adds `y_bar[i]` to three elements of `x_bar`. Seen from an element of
`x_bar`, three elements of `y_bar` are added to it: it is read and written once. The elements at both ends get fewer terms;
they have statements of their own, which are right where the loop has iterations enough.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from backsweep.analysis.alias import Aliases
from backsweep.analysis.integers.affine import literal
from backsweep.analysis.integers.extents import Shapes, shapes_of
from backsweep.analysis.order.iterations import IterationOrder, order_of, reads_memory, spelled
from backsweep.analysis.trip_counts import arithmetic, is_short
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Comment, Const, For, Function, Load, Node, Operand, Store, Value
from backsweep.ir.operations import Kind, kind
from backsweep.ir.sweeps import rebuild_reverse_sweep
from backsweep.ir.typed import is_element, type_of
from backsweep.ir.types import INT, Array
from backsweep.ir.walk import map_blocks, operands, rename_operands, renewed, results, with_nodes
from backsweep.optimise.loops.inner_loops import is_index, is_innermost

MOST_EXPENSIVE = 6
"""The most loads and operations that gathering may repeat for one term: each is computed for its element alone."""
MOST_LOOPS = 2
"""A nest of so many loops is gathered along all of them, a deeper one along one: each axis multiplies the statements for the ends."""


def gather_neighbours(function: Function) -> Function:
    """The program, in whose reverse sweep each iteration adds a sum to one element, instead of terms to its neighbours."""
    return rebuild_reverse_sweep(function, _Gathering(function).node)


class _Gathering:
    """Rebuilds blocks, outer loops first: a nest is gathered whole."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.order = order_of(function)

    @cached_property
    def shapes(self) -> Shapes:
        """What is known of extents."""
        return shapes_of(self.function)

    def node(self, node: Node) -> list[Node]:
        """The node, or the nests that it becomes."""
        nest = _nest(node, self.order) if isinstance(node, For) else None
        gathered = self.gathered(nest) if nest is not None else []
        return gathered or [map_blocks(node, self.block)]

    def block(self, block: Block) -> Block:
        return with_nodes(block, [each for node in block.nodes for each in self.node(node)])

    def gathered(self, nest: _Nest) -> list[Node]:
        """The nests that gather, followed by the nest with all that stays; nothing where nothing can be gathered."""
        groups: dict[tuple[object, ...], list[_Term]] = {}
        for store in nest.stores:
            term = self.term(store, nest)
            if term is not None:
                groups.setdefault((store.buffer, *term.axes), []).append(term)
        builder = Builder(loc=nest.loops[0].loc)
        builder.add(*nest.fixed)
        gone: set[Node] = set()
        for terms in groups.values():
            levels = self.levels(terms, nest) if nest.is_worthwhile(terms) else frozenset()
            if levels:
                headings = () if gone else nest.comments
                _Gathered(nest, levels, headings, builder).run(terms)
                gone |= {*(term.store for term in terms), *headings}
        if not gone:
            return []
        if not gone.issuperset(nest.stores):
            builder.add(nest.without({*gone, *nest.fixed}))
        return builder.current.nodes

    def term(self, store: Store, nest: _Nest) -> _Term | None:
        """What the store adds, if it can be computed for all iterations before anything else runs."""
        leader = nest.aliases.of(store.buffer)
        if not store.accumulate or not is_element(store) or nest.defines(store.buffer):
            return None
        for node in nest.nodes:
            if isinstance(node, Store) and not node.accumulate and nest.aliases.of(node.buffer) is leader:
                return None
            if reads_memory(node, leader, nest.aliases):
                return None
        places = [nest.place(item) for item in store.index if isinstance(item, Operand)]
        needed = nest.needed(store.value)
        if None in places or len(places) < len(store.index):
            return None
        if not all(self.is_repeatable(node, leader, nest) for node in needed):
            return None
        found = [place for place in places if place is not None]
        offsets = {place.level: place.offset for place in found if place.level is not None}
        if len(offsets) < sum(place.level is not None for place in found):
            return None
        axes = tuple(spelled(place.fixed) if place.level is None else place.level for place in found)
        return _Term(store, axes, offsets)

    def is_repeatable(self, node: Node, target: Value, nest: _Nest) -> bool:
        """Whether the node computes the same values in a nest of its own before this one."""
        if isinstance(node, Apply):
            return kind(node.function) is Kind.ARITHMETIC and not isinstance(node.result.type, Array)
        assert isinstance(node, Load)
        if not isinstance(node.buffer, Value) or nest.defines(node.buffer):
            return False
        argument_memory, aliases = self.order.argument_memory, nest.aliases
        if aliases.of(node.buffer) in argument_memory and target in argument_memory:
            return False
        around = [loop for loop in nest.loops if nest.is_in(node, loop)]
        return self.order.reads_as_before(around, nest.nodes, node, nest.stores)

    def levels(self, terms: Sequence[_Term], nest: _Nest) -> frozenset[int]:
        """The loops along which these terms are gathered, by their numbers from the outside in."""
        if len({type_of(term.store.value) for term in terms}) > 1:
            return frozenset()
        found: list[int] = []
        for level in reversed(range(len(nest.loops))):
            offsets = {term.offsets.get(level) for term in terms}
            if len(offsets) == 1:
                continue
            known = [offset for offset in offsets if offset is not None]
            if len(known) < len(offsets) or not self.is_long(nest.loops[level], max(known) - min(known)):
                break
            found.append(level)
        return frozenset(found if len(nest.loops) <= MOST_LOOPS else found[:1])

    def is_long(self, loop: For, span: int) -> bool:
        """Whether the loop is proved to have so many iterations."""
        return self.shapes.exceeds_at(loop.start, loop.stop, span, loop)


@dataclass(frozen=True, slots=True)
class _Place:
    """One item of an index: the index of the loop of that `level` plus an offset, or an operand that no iteration changes."""

    level: int | None
    offset: int = 0
    fixed: Operand | None = None


@dataclass(frozen=True, slots=True)
class _Term:
    """What a store adds: for each axis the loop that runs along it, or what fixes it; by loop the offset from its index."""

    store: Store
    axes: tuple[object, ...]
    offsets: dict[int, int]


def _nest(loop: For, order: IterationOrder) -> _Nest | None:
    """The loops of a nest over a box, of which each but the last only computes and loads before the next."""
    loops: list[For] = []
    nodes: list[Node] = []
    while True:
        if loop.exit is not None or loop.results or literal(loop.step) != 1 or is_short(loop):
            return None
        loops.append(loop)
        if is_innermost(loop):
            nodes += loop.body.nodes
            break
        *before, last = loop.body.nodes
        if not isinstance(last, For) or not all(isinstance(node, Apply | Load | Comment) for node in before):
            return None
        nodes += before
        loop = last
    nest = _Nest(tuple(loops), nodes, order.within(loops[0]))
    bounds = (bound for each in loops for bound in (each.start, each.stop))
    return None if any(map(nest.defines, bounds)) else nest


class _Nest:
    """Loops around one another, and their nodes in program order."""

    def __init__(self, loops: tuple[For, ...], nodes: list[Node], aliases: Aliases) -> None:
        self.loops = loops
        self.aliases = aliases
        self.indices: dict[Operand, int] = {loop.body.parameters[0]: k for k, loop in enumerate(loops)}
        self.definitions: dict[Operand, Node] = {each: node for node in nodes for each in results(node)}
        self.fixed: list[Apply] = []
        """Index arithmetic that gives the same in every iteration, so that it may run before the nest."""
        for node in nodes:
            if isinstance(node, Apply) and node.result.type == INT and kind(node.function) is Kind.ARITHMETIC:
                if not any(map(self.defines, operands(node))):
                    self.fixed.append(node)
                    del self.definitions[node.result]
        self.nodes = [node for node in nodes if node not in self.fixed]
        self.stores = [node for node in nodes if isinstance(node, Store)]
        self.comments = tuple(node for node in nodes if isinstance(node, Comment))

    def defines(self, operand: Operand) -> bool:
        """Whether the operand may differ between iterations."""
        return operand in self.indices or operand in self.definitions

    def is_in(self, node: Node, loop: For) -> bool:
        """Whether the loop holds the node."""
        inner = self.loops[self.loops.index(loop) :]
        return any(node in each.body.nodes for each in inner)

    def place(self, item: Operand) -> _Place | None:
        """The item as a place along a loop; None if it is neither that nor fixed."""
        if item in self.indices:
            return _Place(self.indices[item])
        if not self.defines(item):
            return _Place(None, 0, item)
        match self.definitions[item]:
            case Apply(function=operator.add | operator.sub as function, operands=(left, Const() as right)):
                distance, before = literal(right), self.place(left)
                if distance is None or before is None or before.level is None:
                    return None
                sign = 1 if function is operator.add else -1
                return dataclasses.replace(before, offset=before.offset + sign * distance)
            case _:
                return None

    def needed(self, operand: Operand) -> list[Node]:
        """The nodes that compute the operand, in program order."""
        found: set[Node] = set()
        todo = [operand]
        while todo:
            node = self.definitions.get(todo.pop())
            if node is not None and node not in found:
                found.add(node)
                todo += operands(node)
        return [node for node in self.nodes if node in found]

    def is_worthwhile(self, terms: Sequence[_Term]) -> bool:
        """Whether terms that are computed each for itself repeat little of what they share."""
        parts = [[node for node in self.needed(term.store.value) if not is_index(node)] for term in terms]
        together = {node for part in parts for node in part}
        return sum(map(len, parts)) - len(together) <= MOST_EXPENSIVE * (len(terms) - 1)

    def without(self, gone: set[Node]) -> For:
        """The nest without these nodes."""

        def rest(loop: For) -> For:
            nodes = [
                rest(node) if isinstance(node, For) else node for node in loop.body.nodes if node not in gone
            ]
            return dataclasses.replace(loop, body=Block(loop.body.parameters, tuple(nodes), ()))

        whole = rest(self.loops[0])
        return dataclasses.replace(whole, body=renewed(whole.body))


@dataclass(frozen=True, slots=True)
class _At:
    """The integer `base + offset`; without a base, the literal."""

    base: Operand | None
    offset: int

    def __add__(self, distance: int) -> _At:
        return _At(self.base, self.offset + distance)

    def operand(self, builder: Builder) -> Operand:
        """The integer as an operand."""
        if self.base is None:
            return Const(self.offset)
        if self.offset < 0:
            return arithmetic(builder, operator.sub, self.base, Const(-self.offset))
        return arithmetic(builder, operator.add, self.base, Const(self.offset))


def _at(bound: Operand) -> _At:
    number = literal(bound)
    return _At(bound, 0) if number is None else _At(None, number)


@dataclass(frozen=True, slots=True)
class _Read:
    """A term, and the iteration that computes it for the element in question: by loop the value of its index."""

    term: _Term
    indices: tuple[_At, ...]


class _Gathered:
    """Writes the nests that gather the terms of one array."""

    def __init__(
        self, nest: _Nest, levels: frozenset[int], headings: Sequence[Comment], builder: Builder
    ) -> None:
        self.nest = nest
        self.levels = levels
        self.headings = headings
        self.builder = builder

    def run(self, terms: Sequence[_Term]) -> None:
        """Write all nests."""
        self.along([_Read(term, ()) for term in terms])

    def along(self, reads: Sequence[_Read]) -> None:
        """Write what the next loop becomes: it and those around it give the reads' first indices."""
        level = len(reads[0].indices)
        if level == len(self.nest.loops):
            self.add(reads)
            return
        offsets = {read.term.offsets.get(level, 0) for read in reads}
        if level in self.levels and len(offsets) > 1:
            self.inside(reads, level, min(offsets), max(offsets))
            self.at_ends(reads, level, min(offsets), max(offsets))
        else:
            self.scattered(reads, level)

    def scattered(self, reads: Sequence[_Read], level: int) -> None:
        """Write the loop as it is; the elements that lie apart along it are added to one after another."""
        loop = self.nest.loops[level]
        index = dataclasses.replace(loop.body.parameters[0])
        by_offset: dict[int, list[_Read]] = {}
        for read in reads:
            by_offset.setdefault(read.term.offsets.get(level, 0), []).append(read)
        with self.builder.block(index) as block:
            for each in by_offset.values():
                self.along(_with(each, lambda _: _At(index, 0)))
        self.builder.add(dataclasses.replace(loop, body=block.finish()))

    def inside(self, reads: Sequence[_Read], level: int, least: int, greatest: int) -> None:
        """Write the loop over the elements that every term is added to."""
        loop = self.nest.loops[level]
        index = dataclasses.replace(loop.body.parameters[0])
        first, stop = _at(loop.start) + greatest, _at(loop.stop) + least
        here = _At(index, 0)
        if first.base is None:  # the machine vectorises loops from 0
            here, stop, first = here + first.offset, stop + -first.offset, _At(None, 0)
        start = first.operand(self.builder)
        end = stop.operand(self.builder)
        with self.builder.block(index) as block:
            self.along(_with(reads, lambda term: here + -term.offsets[level]))
        self.builder.add(dataclasses.replace(loop, start=start, stop=end, body=block.finish()))

    def at_ends(self, reads: Sequence[_Read], level: int, least: int, greatest: int) -> None:
        """Write the statements for the elements at both ends, to which some of the terms are added."""
        loop = self.nest.loops[level]
        if level == min(self.levels):
            self.builder.comment("near the ends, where fewer terms are added")
        for place in range(least, greatest):
            self.end(reads, level, _at(loop.start), place, lambda offset, place: offset <= place)
        for place in range(least, greatest):
            self.end(reads, level, _at(loop.stop), place, lambda offset, place: offset > place)

    def end(
        self,
        reads: Sequence[_Read],
        level: int,
        bound: _At,
        place: int,
        has_iteration: Callable[[int, int], bool],
    ) -> None:
        """Write the statements for the elements at one place beside a bound: of the terms that an iteration adds to it."""
        here = [read for read in reads if has_iteration(read.term.offsets[level], place)]
        self.along(_with(here, lambda term: bound + place + -term.offsets[level]))

    def add(self, reads: Sequence[_Read]) -> None:
        """Write the addition to one element."""
        self.builder.add(*self.headings)
        self.headings = ()
        store = reads[0].term.store
        ordered = sorted(reads, key=lambda read: [(at.base is None, at.offset) for at in read.indices])
        total = _Sum(self.nest, self.builder).of(ordered)
        target = _Copy(self.nest, self.builder, reads[0].indices)
        index = tuple(target.operand(item) for item in store.index if isinstance(item, Operand))
        self.builder.add(dataclasses.replace(store, index=index, value=total))


def _with(reads: Iterable[_Read], index: Callable[[_Term], _At]) -> list[_Read]:
    """The reads with their next index."""
    return [_Read(read.term, (*read.indices, index(read.term))) for read in reads]


class _Sum:
    """Writes the sum of terms, each as its own iteration computes it; what all are multiplied by is applied once."""

    def __init__(self, nest: _Nest, builder: Builder) -> None:
        self.nest = nest
        self.builder = builder
        self.copies: dict[tuple[_At, ...], _Copy] = {}

    def of(self, reads: Sequence[_Read]) -> Operand:
        """The sum of the reads' terms."""
        groups: dict[object, list[_Read]] = {}
        for read in reads:
            factors, rest = self.factors(read.term.store.value)
            key = (
                *((factor.function, *map(_factor_key, factor.operands[1:])) for factor in factors),
                type_of(rest),
            )
            groups.setdefault(key if factors else len(groups), []).append(read)
        parts = [self.copy(each[0]) if len(each) == 1 else self.multiplied(each) for each in groups.values()]
        return self.added(parts)

    def factors(self, operand: Operand) -> tuple[list[Apply], Operand]:
        """The signs and the factors that no iteration changes, from the outside in, and what they are applied to."""
        found: list[Apply] = []
        while True:
            match self.nest.definitions.get(operand):
                case Apply(function=operator.mul, operands=(inner, factor)) as node if not self.nest.defines(
                    factor
                ) and self.nest.defines(inner):
                    pass
                case Apply(function=operator.neg, operands=(inner,)) as node:
                    pass
                case _:
                    return found, operand
            if type_of(inner) != type_of(operand):
                return found, operand
            found.append(node)
            operand = inner

    def multiplied(self, reads: Sequence[_Read]) -> Operand:
        """The sum of terms that have the same factors."""
        factors, _ = self.factors(reads[0].term.store.value)
        inner = [(read, self.factors(read.term.store.value)[1]) for read in reads]
        total = self.added([self.copied(read, operand) for read, operand in inner])
        for factor in reversed(factors):
            argument_memory = (total, *factor.operands[1:])
            total = self.builder.apply(factor.function, *argument_memory, type=factor.result.type)
        return total

    def added(self, parts: Sequence[Operand]) -> Operand:
        """The sum of operands of one type."""
        total, *others = parts
        for each in others:
            total = self.builder.apply(operator.add, total, each, type=type_of(total))
        return total

    def copy(self, read: _Read) -> Operand:
        """The term of the read."""
        return self.copied(read, read.term.store.value)

    def copied(self, read: _Read, operand: Operand) -> Operand:
        """A value as the read's iteration computes it."""
        copies = self.copies.setdefault(read.indices, _Copy(self.nest, self.builder, read.indices))
        return copies.operand(operand)


def _factor_key(factor: Operand) -> object:
    """A key that tells one factor from another."""
    return (type(factor.value), factor.value) if isinstance(factor, Const) and not factor.name else factor


class _Copy:
    """Copies what one iteration of a nest computes."""

    def __init__(self, nest: _Nest, builder: Builder, indices: tuple[_At, ...]) -> None:
        self.nest = nest
        self.builder = builder
        self.indices = indices
        self.made: dict[Operand, Operand] = {}

    def operand(self, operand: Operand) -> Operand:
        """The operand in this iteration."""
        if not self.nest.defines(operand):
            return operand
        if operand not in self.made:
            place = self.nest.place(operand)
            if place is not None and place.level is not None:
                self.made[operand] = (self.indices[place.level] + place.offset).operand(self.builder)
            else:
                self.made[operand] = self.node(self.nest.definitions[operand])
        return self.made[operand]

    def node(self, node: Node) -> Value:
        """A copy of the node, after copies of what it reads."""
        assert isinstance(node, Apply | Load)
        renamed = rename_operands(node, self.operand)
        assert isinstance(renamed, Apply | Load)
        result = dataclasses.replace(node.result, name="")  # a part of an expression
        self.builder.add(dataclasses.replace(renamed, result=result))
        return result
