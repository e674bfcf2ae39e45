"""A list of arrays or lists whose entries are replaced or taken away becomes a list that only grows and a list of places in it.

`rows[k] = row` appends `row` to what was ever an entry, and notes its place at `k`; `rows.pop()` forgets a place. So what
is referred to stays where it is, and the list of places is one of numbers, which may change in every way. An entry that
moves within the list takes its place along.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from backsweep.analysis.list_aliases import list_text
from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.ir.classes import Classes
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Const,
    Dots,
    For,
    Function,
    If,
    Load,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    While,
)
from backsweep.ir.types import INT, Array, List, Scalar
from backsweep.ir.walk import blocks, merges, operands, walk, with_body
from backsweep.legalise.lists.splitting import ListSplitter
from backsweep.runtime.lists.sequences import shortened


def keep_replaced_entries(function: Function) -> Function:
    """The typed program in which no entry of a list of arrays or lists is replaced or taken away."""
    changing = _changing(function)
    if not changing:
        return function
    for operand in function.body.yields:
        if operand in changing:
            raise _refused(operand, function.loc)
    return with_body(function, _Splitter(function, changing).block(function.body))


def puts_back(store: Store, before: Sequence[Node]) -> bool:
    """Whether a store puts an entry of a list of arrays back from where it was read, the list unchanged since."""
    if not refers(store.buffer):
        return False
    for node in reversed(before):
        if isinstance(node, Load) and node.result is store.value:
            return node.buffer is store.buffer and all(map(_same, node.index, store.index))
        if isinstance(node, Append) or blocks(node):
            return False
    return False


def _same(one: object, other: object) -> bool:
    """Whether two parts of an index are the same value or number."""
    if isinstance(one, Const) and isinstance(other, Const):
        return one.value == other.value and one.name == other.name
    return one is other


def refers(operand: Operand) -> bool:
    """Whether the operand is a list of arrays or of lists of numbers."""
    if not isinstance(operand, Value) or not isinstance(operand.type, List):
        return False
    item = operand.type.item
    return isinstance(item, Array) or (isinstance(item, List) and isinstance(item.item, Scalar))


def _changing(function: Function) -> frozenset[Value]:
    """The lists that change in more than growing, under any name, but for lists of the caller's."""
    classes = Classes()
    met: set[Value] = set(function.body.parameters)
    for node in walk(function.body):
        for group in merges(node):
            classes.join_all([each for each in group if isinstance(each, Value)])
            met |= {each for each in group if isinstance(each, Value)}
        if isinstance(node, Load) and _is_part(node) and isinstance(node.buffer, Value):
            classes.join(node.result, node.buffer)
        if isinstance(node, Load | Apply):
            met.add(node.result)
    changed = {classes.find(each) for each in _changed(function.body)}
    given = {classes.find(each) for each in function.body.parameters}
    return frozenset(each for each in met if refers(each) and classes.find(each) in changed - given)


def _changed(block: Block) -> Iterable[Value]:
    """The lists of which a node replaces or takes away an entry, or copies a part."""
    for number, node in enumerate(block.nodes):
        match node:
            case Store(buffer=buffer, accumulate=False) if refers(buffer):
                if not puts_back(node, block.nodes[:number]):
                    yield buffer
            case Apply(function=function, operands=(Value() as buffer, _)) if function is shortened:
                yield buffer
            case Load(buffer=Value() as buffer) if _is_part(node):
                yield buffer
            case _:
                for inner in blocks(node):
                    yield from _changed(inner)


def _is_part(node: Load) -> bool:
    return refers(node.buffer) and any(isinstance(part, Slice) for part in node.index)


class _Splitter(ListSplitter):
    """Puts the list of all that was ever an entry, and that of the places, in the place of a list.

    `places` has where an entry that was read stands, and in which list.
    """

    def __init__(self, function: Function, changing: frozenset[Value]) -> None:
        super().__init__(function)
        self.changing = changing
        self.places: dict[Operand, tuple[Value, Operand]] = {}

    def is_split(self, value: Value) -> bool:
        return value in self.changing

    def split(self, value: Value) -> tuple[Value, ...]:
        """New lists for a list: what was ever an entry, and the places of the entries."""
        name = f"{value.name}_places" if value.name else ""
        self.parts[value] = dataclasses.replace(value), Value(name, List(INT), value.loc)
        return self.parts[value]

    def node(self, node: Node) -> None:
        """One node with two lists for each that changes."""
        match node:
            case If() | For() | While():
                self.region(node)
            case Apply(result=result, function=function) if function is list and result in self.changing:
                entries, places = self.split(result)
                self.builder.add(Apply(entries, list, node.operands, node.loc))
                self.builder.add(Apply(places, list, tuple(map(Const, range(len(node.operands)))), node.loc))
            case Append(buffer=buffer, value=value) if buffer in self.parts:
                place = self.put(buffer, value, node)
                self.builder.add(Append(self.parts[buffer][1], place, node.loc))
            case Store(buffer=buffer, value=value, accumulate=False) if buffer in self.parts:
                place = self.put(buffer, value, node)
                self.builder.add(dataclasses.replace(node, buffer=self.parts[buffer][1], value=place))
            case Store(buffer=buffer) if buffer in self.parts:
                assert isinstance(buffer.type, List)
                entry = self.builder.value(type=buffer.type.item)
                self.load(Load(entry, buffer, node.index, node.loc))
                self.builder.add(Store(entry, (Dots(),), node.value, node.loc, accumulate=True))
            case Load(buffer=Value() as buffer) if buffer in self.parts:
                self.load(node)
            case Apply(function=function, operands=(Value() as buffer, *_)) if (
                function in (len, shortened) and buffer in self.parts
            ):
                counted = (self.parts[buffer][1], *node.operands[1:])
                self.builder.add(dataclasses.replace(node, operands=counted))
            case _:
                for operand in operands(node):
                    if operand in self.parts:
                        raise _refused(operand, node.loc)
                self.builder.add(node)

    def put(self, buffer: Value, entry: Operand, node: Node) -> Operand:
        """The place of an entry that is put into the list; one that was read from the same list has its place."""
        entries, _ = self.parts[buffer]
        kept, place = self.places.get(entry, (None, Const(0)))
        if kept is entries:
            return place
        place = self.builder.apply(len, entries, type=INT)
        self.builder.add(Append(entries, entry, node.loc))
        return place

    def load(self, node: Load) -> None:
        """Read an entry where it stands; a part of the list has a list of places of its own."""
        assert isinstance(node.buffer, Value)
        entries, places = self.parts[node.buffer]
        if _is_part(node):
            name = f"{node.result.name}_places" if node.result.name else ""
            part = Value(name, List(INT), node.loc)
            self.parts[node.result] = entries, part
            self.builder.add(dataclasses.replace(node, buffer=places, result=part))
            return
        place = self.builder.load(places, node.index, type=INT)
        self.builder.add(dataclasses.replace(node, buffer=entries, index=(place,)))
        self.places[node.result] = entries, place


def _refused(operand: Operand, loc: Loc) -> UnsupportedError:
    assert isinstance(operand, Value)
    message = f"{list_text(operand)} is used as a whole, but only its items can be differentiated"
    return UnsupportedError(Problem("BS109", message, loc, "append to it, index it or loop over it."))
