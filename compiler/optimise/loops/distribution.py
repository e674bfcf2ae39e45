"""Distribute loops of the reverse sweep that add up expensive numbers: one loop computes them, a second adds them up.

Carried sums and additions to elements that are not adjacent prevent vectorisation. The first loop has neither: it writes
the terms to contiguous arrays ("rows"), and reads columns of arrays from rows as well.
"""

from __future__ import annotations

import dataclasses
import operator
from functools import cached_property

from backsweep.analysis.integers.affine import at_least, infeasible, literal
from backsweep.analysis.order.iterations import reads_memory
from backsweep.analysis.trip_counts import arithmetic, is_short
from backsweep.diagnostics import Loc
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Comment, Const, For, Function, Load, Node, Operand, Store, Value
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import is_element
from backsweep.ir.types import INT
from backsweep.ir.walk import index_operands, operands, rename_operands
from backsweep.optimise.loops.inner_loops import FLOAT, Around, InnerLoops, Innermost, kind_of, row
from backsweep.optimise.loops.reductions import where_it_ran

_LONG = (Kind.DIVISION, Kind.ROOT)
"""What takes the machine many cycles for one number, and hardly more for several at once."""
LEAST_EXPENSIVE = 2
MOST_TERM_ARRAYS = 8
"""The most arrays that hold what one loop computes for the next."""


def distribute_loops(function: Function) -> Function:
    """The program, in whose reverse sweep an innermost loop that adds expensive numbers is two: one computes, one adds."""
    return _Distribution(function).rebuilt()


class _Distribution(InnerLoops):
    """Makes two loops of one.

    `rows` are all rows so far: columns by the elements that they hold, terms by name, so that later loops use them again.
    """

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.rows: dict[tuple[object, ...], Value] = {}

    def inner(self, loop: For, around: Around, before: list[Node]) -> list[Node]:
        """An innermost loop as two, if that pays; `before` gets the loop that fills the columns."""
        parts = _Loop(loop, around)
        if not parts.is_worth_it() or not self.is_own(parts.stores) or not self.places.is_from_front(loop):
            return [loop]
        builder = Builder(loc=loop.loc)
        first, (stop, length) = parts.first_start(), around.last_stop(loop, builder)
        if first is None or stop is None or not (isinstance(length, Const) or length in self.at_hand):
            return [loop]
        if first is not loop.start and stop is not loop.stop:
            return [loop]
        columns = {load.result: load for load in parts.loads if not parts.is_along(load)}
        rows = {
            result: self.row(_column_name(load), load.loc, length, _place(load, parts.index))
            for result, load in columns.items()
        }
        if columns:
            body = _filling(loop, {rows[result]: load for result, load in columns.items()})
            filling = dataclasses.replace(loop, start=first, stop=stop, inits=(), body=body, results=())
            whole: list[Node] = [*builder.current.nodes, filling]
            is_safe = stop is not loop.stop or self.runs_within(around.loop, first, stop)
            before += whole if is_safe else where_it_ran(around.loop, whole, self.places)
        terms: dict[Value, Value] = {}
        for value in parts.terms():
            name = f"{value.name or 'term'}_row"
            used = sum(other.name == name for other in terms.values())
            terms[value] = self.row(name, value.loc, length, (used,))
        return [*_from_zero(parts.computing(rows, terms)), parts.adding(terms)]

    def row(self, name: str, loc: Loc, length: Operand, kind: tuple[object, ...]) -> Value:
        """An array of so many entries: the one of this name and kind, made if there is none yet."""
        key = (name, length, *kind)
        if key not in self.rows:
            nodes, self.rows[key] = row(name, length, loc, self.places)
            self.made += nodes
        return self.rows[key]

    def is_own(self, stores: list[Store]) -> bool:
        """Whether the function made the memory itself: two arrays that it is given may be one."""
        return not any(self.aliases.root(store.buffer) in self.function.body.parameters for store in stores)

    def runs_within(self, loop: For, start: Operand, stop: Operand) -> bool:
        """Whether a loop over this range certainly has no iteration if `loop` has none."""
        affine = self.places.affine
        none = at_least(affine(loop.start), affine(loop.stop))
        one = at_least(affine(stop), affine(start) + 1)
        return infeasible(self.places.with_facts([*self.places.context(loop), none, one]))


class _Loop(Innermost):
    """An innermost loop: `chain` are its sums carried on, `stores` its additions, `loads` what else it reads."""

    def __init__(self, loop: For, around: Around) -> None:
        super().__init__(loop)
        self.around = around
        self.chain = self.links()
        self.loads = [node for node in loop.body.nodes if isinstance(node, Load) and self.index in node.index]

    def links(self) -> dict[Node, None] | None:
        """The additions to the carried sums, which nothing else reads; None if the loop carries anything but sums."""
        found: dict[Node, None] = {}
        uses: dict[Operand, int] = {}
        for node in self.loop.body.nodes:
            for operand in operands(node):
                uses[operand] = uses.get(operand, 0) + 1
        for parameter, last in zip(self.loop.body.parameters[1:], self.loop.body.yields, strict=True):
            if uses.get(last, 0) or uses.get(parameter, 0) != 1:
                return None
            while last is not parameter:
                link = self.definitions.get(last)
                if not isinstance(link, Apply) or link.function not in (operator.add, operator.sub):
                    return None
                found[link] = None
                last = link.operands[0]
                if uses.get(last, 0) != 1:
                    return None
        return found

    def is_worth_it(self) -> bool:
        """Whether the loop can become two, of which the first computes expensive numbers and can be vectorised."""
        loop = self.loop
        if self.chain is None or loop.exit is not None or literal(loop.step) != 1 or is_short(loop):
            return False
        if not self.chain and all(self.is_along(store) for store in self.stores):
            return False  # nothing is in the way
        expensive = [node for node in self.definitions.values() if self.is_expensive(node)]
        return (
            self.around.is_clear
            and len(expensive) >= LEAST_EXPENSIVE
            and all(map(self.is_plain, self.definitions.values()))
            and all(map(self.only_adds, self.stores))
            and len(self.terms()) <= MOST_TERM_ARRAYS
        )

    def is_expensive(self, node: Apply | Load) -> bool:
        """Whether the node calls an expensive function whose operands change from iteration to iteration."""
        varies = any(operand is self.index or operand in self.definitions for operand in operands(node))
        return kind_of(node) in _LONG and varies

    def is_plain(self, node: Apply | Load) -> bool:
        """Whether the node computes a number, an index, or reads a number that nothing here writes."""
        if isinstance(node, Apply):
            is_number = kind_of(node) in (Kind.ARITHMETIC, *_LONG) and node.result.type == FLOAT
            return is_number or self.is_repeated(node)
        aliases = self.around.aliases
        if node.result.type != FLOAT or any(
            reads_memory(node, aliases.of(store.buffer), aliases) for store in self.stores
        ):
            return False
        if self.index in node.index:
            return self.is_along(node) or self.around.is_same(node, self.index)
        own = {self.index, *self.definitions}
        return own.isdisjoint(operands(node))

    def only_adds(self, store: Store) -> bool:
        """Whether the store adds a number to an element whose place the second loop can compute as well."""
        if not store.accumulate or not is_element(store) or not isinstance(store.value, Value):
            return False
        made = (self.definitions.get(item) for item in index_operands(store.index))
        return store.value.type == FLOAT and all(node is None or self.is_repeated(node) for node in made)

    def is_repeated(self, node: Apply | Load) -> bool:
        """Whether the second loop computes the node again: the place of an element, or what is read there."""
        if isinstance(node, Load):
            return self.is_along(node)
        made = (self.definitions.get(each) for each in node.operands)
        return (
            node.result.type == INT
            and kind(node.function) is Kind.ARITHMETIC
            and all(each is None or (isinstance(each, Apply) and self.is_repeated(each)) for each in made)
        )

    def first_start(self) -> Operand | None:
        """The smallest start of the loop over all iterations of the loop around it; None if that is not known."""
        if self.loop.start not in self.around.own:
            return self.loop.start
        around = self.around.loop
        index, began = around.body.parameters[0], literal(around.start)
        for node in around.body.nodes:
            if isinstance(node, Apply) and node.result is self.loop.start and node.function is operator.add:
                further = literal(node.operands[1])
                if node.operands[0] is index and began is not None and further is not None:
                    return Const(began + further)
        return None

    # The two loops ---------------------------------------------------------------------------

    @cached_property
    def sinks(self) -> dict[Node, None]:
        """The nodes of the second loop that have an effect, in order."""
        assert self.chain is not None
        return {node: None for node in self.loop.body.nodes if isinstance(node, Store) or node in self.chain}

    def terms(self) -> list[Value]:
        """The values that the first loop computes for the second."""
        found: dict[Value, None] = {}
        for node in self.sinks:
            added = node.value if isinstance(node, Store) else operands(node)[1]
            made = self.definitions.get(added)
            while isinstance(made, Apply) and made.function is operator.neg:
                (added,) = made.operands
                made = self.definitions.get(added)
            if made is not None and not self.is_repeated(made):
                found[made.result] = None
        return list(found)

    def computing(self, columns: dict[Value, Value], terms: dict[Value, Value]) -> For:
        """The loop that writes the terms to their rows, and reads columns from theirs."""
        assert self.chain is not None
        index = self.index
        nodes: list[Node] = []
        for node in self.loop.body.nodes:
            if node in self.chain or isinstance(node, Store):
                continue
            if isinstance(node, Load) and node.result in columns:
                node = dataclasses.replace(node, buffer=columns[node.result], index=(index,))
            nodes.append(node)
            if isinstance(node, Apply | Load) and node.result in terms:
                nodes.append(Store(terms[node.result], (index,), node.result, node.loc))
        body = Block((index,), tuple(nodes), ())
        return dataclasses.replace(self.loop, inits=(), body=body, results=())

    def adding(self, terms: dict[Value, Value]) -> For:
        """The loop that adds up what the rows hold, each entry read where it is first needed."""
        index = dataclasses.replace(self.index)
        renewed: dict[Operand, Operand] = {self.index: index}
        nodes: list[Node] = []

        def again(operand: Operand) -> Operand:
            node = self.definitions.get(operand) if isinstance(operand, Value) else None
            if node is None or node in self.sinks or operand in renewed:
                return renewed.get(operand, operand)
            renewed[operand] = result = dataclasses.replace(node.result)
            if node.result in terms:
                nodes.append(Load(result, terms[node.result], (index,), node.loc))
            else:
                made = rename_operands(node, again)
                assert isinstance(made, Apply | Load)
                nodes.append(dataclasses.replace(made, result=result))
            return result

        for node in self.loop.body.nodes:
            if node in self.sinks or isinstance(node, Comment):
                copy = rename_operands(node, again)
                nodes.append(copy)
        parameters = (index, *self.loop.body.parameters[1:])
        return dataclasses.replace(self.loop, body=Block(parameters, tuple(nodes), self.loop.body.yields))


def _from_zero(loop: For) -> list[Node]:
    """The loop counted from 0: for an index that starts elsewhere, LLVM does not see that it is never negative."""
    if literal(loop.start) is not None:
        return [loop]
    builder = Builder(loc=loop.loc)
    index = loop.body.parameters[0]
    trip = Value("trip", INT, loop.loc)
    count = arithmetic(builder, operator.sub, loop.stop, loop.start)
    body = Block((trip,), (Apply(index, operator.add, (loop.start, trip), loop.loc), *loop.body.nodes), ())
    return [*builder.current.nodes, dataclasses.replace(loop, start=Const(0), stop=count, body=body)]


def _place(load: Load, index: Value) -> tuple[object, ...]:
    """A key for a column: the elements that `load` reads as `index` moves."""
    return (
        load.buffer,
        *(_word(item) if isinstance(item, Const) or item is index else item for item in load.index),
    )


def _word(item: object) -> str:
    return item.name if isinstance(item, Value) else str(literal(item)) if isinstance(item, Const) else ""


def _column_name(load: Load) -> str:
    """`x_column_0` for the elements `x[j, 0]`."""
    assert isinstance(load.buffer, Value)
    others = [_word(item) for item in load.index if isinstance(item, Const)]
    return "_".join([load.buffer.name or "x", "column", *others])


def _filling(loop: For, columns: dict[Value, Load]) -> Block:
    """The body of the loop that reads the columns."""
    index = dataclasses.replace(loop.body.parameters[0])
    nodes: list[Node] = []
    for column, load in columns.items():
        entry = dataclasses.replace(load.result, name="")
        place = tuple(index if item is loop.body.parameters[0] else item for item in load.index)
        nodes += [Load(entry, load.buffer, place, load.loc), Store(column, (index,), entry, load.loc)]
    return Block((index,), tuple(nodes), ())
