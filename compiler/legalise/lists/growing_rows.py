"""A list of lists whose rows get more or fewer items, as in `rows[k].append(v)`, becomes rows with room to spare and a list of counts.

A row stands for its place in the list of lists: each use reads it anew from there, cut to its count, so that it shows what was
appended since. A row that is full is replaced by one of twice its length. What would give a row a second name is refused.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from backsweep.analysis.list_aliases import (
    is_list_of_lists,
    lengthened_or_shortened,
    list_text,
    put_in,
    shared_rows,
)
from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.ir.classes import Classes
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Const,
    For,
    Function,
    If,
    Index,
    Load,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    While,
)
from backsweep.ir.types import BOOL, INT, List, Scalar
from backsweep.ir.walk import blocks, definitions_of, merges, operands, rename_operands, walk, with_body
from backsweep.legalise.lists.splitting import ListSplitter, written_at
from backsweep.runtime.lists.sequences import shortened

FEWEST = 4
"""The room that a row gets with its first item."""


def let_rows_grow(function: Function) -> Function:
    """The typed program in which no list changes its number of items while it is an item of another list."""
    rows = _rows(function)
    changed = {each for node in walk(function.body) for each in lengthened_or_shortened(node) if each in rows}
    extended = {node.buffer for node in walk(function.body) if isinstance(node, Store) and _extends(node)}
    if not changed and not extended:
        return function
    classes = _outer_lists(function)
    grown = {classes.find(each) for each in (*extended, *(_buffer(rows[row]) for row in changed))}
    grown -= {classes.find(each) for each in function.body.parameters}
    growing = frozenset(each for each in _lists(function) if classes.find(each) in grown)
    if not growing:
        return function
    rows = {row: node for row, node in rows.items() if _buffer(node) in growing}
    _refuse_other_names(function, rows, growing)
    _refuse_moved(function.body, rows, classes)
    return with_body(function, _Splitter(function, growing).block(function.body))


def _rows(function: Function) -> dict[Value, Load]:
    """What reads each list that is read from a list of lists."""
    loads = (node for node in walk(function.body) if isinstance(node, Load))
    return {
        node.result: node
        for node in loads
        if isinstance(node.buffer, Value) and is_list_of_lists(node.buffer.type) and not _is_part(node)
    }


def _extends(store: Store) -> bool:
    """Whether the node is `rows[k] += more`."""
    return store.accumulate and is_list_of_lists(store.buffer.type)


def _buffer(node: Load) -> Value:
    assert isinstance(node.buffer, Value)
    return node.buffer


def _is_part(node: Load) -> bool:
    return any(isinstance(part, Slice) for part in node.index)


def _lists(function: Function) -> Iterator[Value]:
    """The lists of lists."""
    met = [value for node in walk(function.body) for value in _defined(node)]
    return (each for each in met if is_list_of_lists(each.type))


def _defined(node: Node) -> Iterable[Value]:
    for group in merges(node):
        yield from (each for each in group if isinstance(each, Value))
    if isinstance(node, Load | Apply):
        yield node.result


def _outer_lists(function: Function) -> Classes:
    """The lists of lists that may be one."""
    classes = Classes()
    for node in walk(function.body):
        for group in merges(node):
            values = [each for each in group if isinstance(each, Value)]
            if values and is_list_of_lists(values[0].type):
                classes.join_all(values)
    return classes


def _refuse_other_names(function: Function, rows: Mapping[Value, Load], growing: frozenset[Value]) -> None:
    """Refuse rows that have names beside their places: the rows would not show what is appended under these."""
    made = definitions_of(function)
    shared = shared_rows(function)
    for node in walk(function.body):
        if isinstance(node, Store) and _extends(node):
            continue
        for each in put_in(node):
            if each in rows:
                raise _named_twice(_buffer(rows[each]), node.loc)
        for group in merges(node):
            _refuse_rows(group, rows)
        if isinstance(node, Load) and node.buffer in growing and _is_part(node):
            raise _named_twice(_buffer(node), node.loc)
        if _holder(node) in growing:
            for each in put_in(node):
                if each in shared or not _is_new(made.get(each)):
                    raise _named_twice(_holder(node), node.loc)
    _refuse_rows(function.body.yields, rows)


def _refuse_rows(handed_on: Iterable[Operand], rows: Mapping[Value, Load]) -> None:
    """Refuse rows that a branch, a loop or the function hands on."""
    for each in handed_on:
        if isinstance(each, Value) and each in rows:
            raise _named_twice(_buffer(rows[each]), rows[each].loc)


def _holder(node: Node) -> Value | None:
    """The list that a node puts something into."""
    match node:
        case Append(buffer=buffer) | Store(buffer=buffer):
            return buffer
        case Apply(function=function, result=result) if function is list:
            return result
        case _:
            return None


def _is_new(node: Node | None) -> bool:
    """Whether a node makes a list that nothing else refers to."""
    match node:
        case Apply(function=function):
            return function is list
        case Load():
            return _is_part(node)
        case _:
            return False


def _refuse_moved(block: Block, rows: Mapping[Value, Load], classes: Classes) -> None:
    """Refuse a row that is used after its list replaced or lost entries: its place may hold another row by then."""
    for number, node in enumerate(block.nodes):
        if isinstance(node, Load) and node.result in rows:
            outer, after = classes.find(_buffer(node)), block.nodes[number + 1 :]
            used = [k for k, each in enumerate(after) if _uses(each, node.result)]
            within = [part for each in after[: used[-1] + 1] for part in _all(each)] if used else []
            if any(_moves(part, rows, classes) is outer for part in within):
                raise _named_twice(_buffer(node), node.loc)
        for inner in blocks(node):
            _refuse_moved(inner, rows, classes)


def _all(node: Node) -> Iterator[Node]:
    return walk(Block((), (node,), ()))


def _uses(node: Node, row: Value) -> bool:
    return any(row in operands(part) for part in _all(node))


def _moves(node: Node, rows: Mapping[Value, Load], classes: Classes) -> Value | None:
    """The list of lists of which the node replaces or takes away entries."""
    match node:
        case Store(buffer=buffer) if is_list_of_lists(buffer.type):
            return None if _extends(node) or _puts_back(node, rows) else classes.find(buffer)
        case Apply(function=function, operands=(Value() as buffer, _)) if function is shortened:
            return classes.find(buffer) if is_list_of_lists(buffer.type) else None
        case _:
            return None


def _puts_back(store: Store, rows: Mapping[Value, Load]) -> bool:
    """Whether a store puts a row into the place where it was read, as `rows[k] += more` does."""
    read = rows.get(store.value) if isinstance(store.value, Value) else None
    if not isinstance(read, Load) or read.buffer is not store.buffer:
        return False
    pairs = zip(read.index, store.index, strict=True)
    return all(
        one is other or (isinstance(one, Const) and isinstance(other, Const) and one.value == other.value)
        for one, other in pairs
    )


class _Splitter(ListSplitter):
    """Puts the rows with room to spare and the list of their counts in the place of a list of lists.

    `places` has the list and the place that each row stands for.
    """

    def __init__(self, function: Function, growing: frozenset[Value]) -> None:
        super().__init__(function)
        self.growing = growing
        self.places: dict[Operand, tuple[Value, Operand]] = {}
        self.rows = _rows(function)

    def is_split(self, value: Value) -> bool:
        return value in self.growing

    def split(self, value: Value) -> tuple[Value, ...]:
        """New lists for a list of lists: its rows, and their counts."""
        name = f"{value.name}_counts" if value.name else ""
        self.parts[value] = dataclasses.replace(value), Value(name, List(INT), value.loc)
        return self.parts[value]

    def node(self, node: Node) -> None:
        """One node with two lists for each that has growing rows."""
        match node:
            case If() | For() | While():
                self.region(node)
            case Apply(result=result, function=function) if function is list and result in self.growing:
                lengths = tuple(self.length(each) for each in node.operands)
                rows, counts = self.split(result)
                self.builder.add(Apply(rows, list, node.operands, node.loc))
                self.builder.add(Apply(counts, list, lengths, node.loc))
            case Append(buffer=buffer, value=value) if buffer in self.parts:
                rows, counts = self.parts[buffer]
                length = self.length(value)
                self.builder.add(Append(rows, value, node.loc), Append(counts, length, node.loc))
            case Store(buffer=buffer, index=(index,), value=more, accumulate=True) if buffer in self.parts:
                assert isinstance(index, Value | Const)
                self.extend(buffer, index, more)
            case Store(buffer=buffer, index=index, value=value) if buffer in self.parts:
                if not _puts_back(node, self.rows):
                    rows, counts = self.parts[buffer]
                    length = self.length(value)
                    self.builder.store(rows, index, value)
                    self.builder.store(counts, index, length)
            case Load(buffer=Value() as buffer, index=(index,)) if buffer in self.parts:
                assert isinstance(index, Value | Const)
                rows, _ = self.parts[buffer]
                self.places[node.result] = buffer, self.from_start(index, rows)
            case Apply(function=function, operands=(Value() as buffer,)) if (
                function is len and buffer in self.parts
            ):
                self.builder.add(dataclasses.replace(node, operands=self.parts[buffer][:1]))
            case Apply(function=function, operands=(Value() as buffer, count)) if (
                function is shortened and buffer in self.parts
            ):
                rows, counts = self.parts[buffer]
                self.builder.add(dataclasses.replace(node, operands=(rows, count)))
                gone = dataclasses.replace(node.result)
                self.builder.add(dataclasses.replace(node, result=gone, operands=(counts, count)))
            case _:
                self.of_row(node)

    def extend(self, buffer: Value, index: Operand, more: Operand) -> None:
        """`rows[index] += more`."""
        assert isinstance(buffer.type, List)
        more = self.cut(more) if more in self.places else more
        row = Value("", buffer.type.item, self.builder.loc)
        self.places[row] = buffer, self.from_start(index, self.parts[buffer][0])
        stop = self.builder.apply(len, more, type=INT)
        place = self.builder.value("", INT)
        assert isinstance(row.type, List)
        with self.builder.block(place) as body:
            self.append(row, self.builder.load(more, (place,), type=row.type.item))
        self.builder.add(For(Const(0), stop, Const(1), (), body.finish(), (), self.builder.loc))

    def of_row(self, node: Node) -> None:
        """A node that reads or changes a row, or any other node."""
        match node:
            case Apply(result=result, function=function, operands=(row,)) if (
                function is len and row in self.places
            ):
                self.builder.add(Load(result, *self.count_at(row), node.loc))
            case Load(buffer=Value() as row, index=(index,)) if row in self.places and not _is_part(node):
                assert isinstance(index, Value | Const)
                index = self.from_end(index, row)
                self.builder.add(dataclasses.replace(node, buffer=self.read(row), index=(index,)))
            case Store(buffer=row, index=(index,)) if row in self.places and not isinstance(index, Slice):
                assert isinstance(index, Value | Const)
                index = self.from_end(index, row)
                self.builder.add(dataclasses.replace(node, buffer=self.read(row), index=(index,)))
            case Append(buffer=row, value=value) if row in self.places:
                self.append(row, value)
            case Apply(result=result, function=function, operands=(row, count)) if (
                function is shortened and row in self.places
            ):
                counts, place = self.count_at(row)
                before = self.builder.load(counts, place, type=INT)
                self.builder.add(Apply(result, operator.sub, (before, count), node.loc))
                self.builder.store(counts, place, count)
            case _:
                found = {each: self.cut(each) for each in operands(node) if each in self.places}
                self.builder.add(rename_operands(node, lambda each: found.get(each, each)))

    def length(self, row: Operand) -> Operand:
        """The number of items of a new row."""
        return self.builder.apply(len, row, type=INT)

    def count_at(self, row: Operand) -> tuple[Value, Index]:
        """The list of counts, and where in it that of a row is."""
        outer, place = self.places[row]
        return self.parts[outer][1], (place,)

    def read(self, row: Operand) -> Value:
        """The row with the room that it has to spare."""
        assert isinstance(row, Value)
        outer, place = self.places[row]
        return self.builder.load(self.parts[outer][0], (place,), name=row.name, type=row.type)

    def from_start(self, index: Operand, items: Value) -> Operand:
        """An index of a list that does not count from the end."""
        if isinstance(index, Const) and index.value >= 0:
            return index
        return self.shifted(index, self.builder.apply(len, items, type=INT))

    def from_end(self, index: Operand, row: Operand) -> Operand:
        """An index of a row, which counts from the end of what the row holds."""
        if isinstance(index, Const) and index.value >= 0:
            return index
        return self.shifted(index, self.builder.load(*self.count_at(row), type=INT))

    def shifted(self, index: Operand, count: Operand) -> Operand:
        """The place that an index means: a negative one counts from the end."""
        if isinstance(index, Const):
            return self.builder.apply(operator.add, count, index, type=INT)
        is_negative = self.builder.apply(operator.lt, index, Const(0), type=BOOL)
        with self.builder.block() as from_end:
            from_end.yields = (self.builder.apply(operator.add, count, index, type=INT),)
        result = self.builder.value("", INT)
        sides = from_end.finish(), Block((), (), (index,))
        self.builder.add(If(is_negative, *sides, (result,), self.builder.loc))
        return result

    def append(self, row: Value, value: Operand) -> None:
        """Put an item behind the last of a row, which is made longer if it is full."""
        outer, place = self.places[row]
        rows, (counts, index) = self.parts[outer][0], self.count_at(row)
        count = self.builder.load(counts, index, type=INT)
        before = self.read(row)
        room = self.builder.apply(len, before, type=INT)
        is_full = self.builder.apply(operator.eq, count, room, type=BOOL)
        with self.builder.block() as longer:
            made = self.copied(before, count)
            more = self.builder.apply(max, count, Const(FEWEST), type=INT)
            with self.builder.block(self.builder.value("", INT)) as filling:
                self.builder.add(Append(made, _zero(row), self.builder.loc))
            loc = self.builder.loc
            self.builder.add(For(Const(0), more, Const(1), (), filling.finish(), (), loc))
            self.builder.store(rows, (place,), made)
        self.builder.add(If(is_full, longer.finish(), Block((), (), ()), (), self.builder.loc))
        self.builder.store(self.read(row), (count,), value)
        after = self.builder.apply(operator.add, count, Const(1), type=INT)
        self.builder.store(counts, index, after)

    def cut(self, row: Operand) -> Value:
        """A copy of what a row holds."""
        count = self.builder.load(*self.count_at(row), type=INT)
        return self.copied(self.read(row), count)

    def copied(self, row: Value, count: Operand) -> Value:
        """A new list of the first `count` items of a row."""
        made = self.builder.apply(list, name=row.name, type=row.type)
        index = self.builder.value("", INT)
        assert isinstance(row.type, List)
        with self.builder.block(index) as body:
            item = self.builder.load(row, (index,), type=row.type.item)
            self.builder.add(Append(made, item, self.builder.loc))
        self.builder.add(For(Const(0), count, Const(1), (), body.finish(), (), self.builder.loc))
        return made


def _zero(row: Value) -> Const:
    """What fills the room of a row."""
    assert isinstance(row.type, List)
    assert isinstance(row.type.item, Scalar)
    return Const(np.dtype(row.type.item.dtype).type(0).item())


def _named_twice(outer: Value | None, loc: Loc) -> UnsupportedError:
    what = "a list" if outer is None else list_text(outer)
    message = f"an item of {what} is a list that gets more or fewer items, and it has another name here"
    remedy = "put a copy in, rows.append(row[:]), or go on with rows[i] in place of the other name."
    return UnsupportedError(Problem("BS109", message, written_at(loc), remedy))
