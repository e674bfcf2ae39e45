"""Refuse programs in which a list of numbers has two names, because a loop or a branch yields it, and is appended to under one.

`other = items` within a loop or a branch hands on the list itself: both names are one list from then on. It is handed on as
an array, which shows under either name what is written to it, but not what is appended. So nothing may be appended to a
list that was handed on before, and one that is appended to where it arrives may not be looked at under its former name.

A list that is put into a list of lists is handed on, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.ir.classes import Classes
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    For,
    Function,
    If,
    Load,
    Node,
    Operand,
    Store,
    Value,
    While,
)
from backsweep.ir.types import List, Scalar, Type
from backsweep.ir.walk import blocks, merges, operands, results, walk
from backsweep.runtime.lists.sequences import shortened


def is_list_of_numbers(type_: Type | None) -> bool:
    """Whether values of the type are lists of numbers."""
    return isinstance(type_, List) and isinstance(type_.item, Scalar)


def lengthened_or_shortened(node: Node) -> tuple[Value, ...]:
    """The list whose number of items the node itself changes."""
    match node:
        case Append(buffer=buffer):
            return (buffer,)
        case Apply(function=function, operands=(Value() as items, _)) if function is shortened:
            return (items,)
        case _:
            return ()


def is_list_of_lists(type_: Type | None) -> bool:
    """Whether values of the type are lists of lists of numbers."""
    return isinstance(type_, List) and is_list_of_numbers(type_.item)


def put_in(node: Node) -> tuple[Value, ...]:
    """The lists of numbers that the node itself puts into a list of lists."""
    match node:
        case Append(buffer=buffer, value=Value() as row) | Store(buffer=buffer, value=Value() as row):
            return (row,) if is_list_of_lists(buffer.type) else ()
        case Apply(function=function, operands=rows, result=result) if function is list:
            return (
                tuple(row for row in rows if isinstance(row, Value)) if is_list_of_lists(result.type) else ()
            )
        case _:
            return ()


def handed_on(function: Function) -> set[Value]:
    """The lists of numbers that loops and branches yield, the values that receive these, and what is put into other lists."""
    rows = {row for node in walk(function.body) for row in put_in(node)}
    return {value for group in _groups(function) for value in group} | rows


def shared_rows(function: Function) -> Mapping[Value, Node]:
    """The lists that are used after they were put into a list of lists, each with the first node of its block that does so."""
    found: dict[Value, Node] = {}
    rows = {row for node in walk(function.body) for row in put_in(node)}
    for value, home in _homes(function.body):
        if value not in rows:
            continue
        search = _Search(value, everything=True)
        search.block(home, function.loc)
        if search.found is not None:
            found[value] = next(node for node in home.nodes if _puts(node, value))
    return found


def _puts(node: Node, row: Value) -> bool:
    return any(row in put_in(inner) for inner in walk(Block((), (node,), ())))


def refuse_two_names(function: Function) -> None:
    """Raise UnsupportedError if a list of numbers is appended to, or shortened, where it may have another name."""
    appended = {value for node in walk(function.body) for value in lengthened_or_shortened(node)}
    classes = Classes()
    for group in _groups(function):
        classes.join_all(group)
    arriving = {value for node in walk(function.body) for value in _arriving(node)}
    grown = {classes.find(value) for value in appended}
    copied = {classes.find(value) for value in appended & arriving}
    for node in walk(function.body):
        if isinstance(node, Load) and isinstance(node.buffer, Value) and is_list_of_lists(node.buffer.type):
            row = node.result
            if row in appended or (is_list_of_numbers(row.type) and classes.find(row) in copied):
                raise _row_refused(node)
    for value, home in _homes(function.body):
        if classes.find(value) in grown:
            search = _Search(value, everything=classes.find(value) in copied)
            search.block(home, function.loc)
            if search.found is not None:
                raise two_names(value, search.found)


def _groups(function: Function) -> Iterator[list[Value]]:
    """For each time that a list of numbers is handed on, the values that are this list."""
    for node in walk(function.body):
        for group in merges(node):
            values = [value for value in group if isinstance(value, Value)]
            if is_list_of_numbers(values[0].type):
                yield values


def _arriving(node: Node) -> Iterator[Value]:
    """The values of the node that receive a handed-on value: its results and the parameters of its blocks."""
    if blocks(node):
        yield from results(node)
    for block in blocks(node):
        yield from block.parameters


def _homes(block: Block) -> Iterator[tuple[Value, Block]]:
    """The block that defines each list of numbers."""
    for value in (*block.parameters, *(value for node in block.nodes for value in results(node))):
        if is_list_of_numbers(value.type):
            yield value, block
    for node in block.nodes:
        for inner in blocks(node):
            yield from _homes(inner)


@dataclass(slots=True)
class _Search:
    """Searches for an append to a list that was handed on before, or, with `everything`, for any use of it."""

    member: Value
    everything: bool
    found: Loc | None = None

    def block(self, block: Block, loc: Loc, *, handed: bool = False) -> bool:
        """Whether the list has been handed on when the block ends; `handed` tells whether it had been before the block."""
        for node in block.nodes:
            handed = self.node(node, handed=handed)
        return self.hands_on(block.yields, loc, handed=handed)

    def node(self, node: Node, *, handed: bool) -> bool:
        """Whether the list has been handed on when the node ends; `handed` tells whether it had been before."""
        if handed and self.is_met(node):
            self.found = self.found or node.loc
        match node:
            case If():
                then, orelse = (
                    self.block(side, node.loc, handed=handed) for side in (node.then, node.orelse)
                )
                return then or orelse
            case For() | While():
                handed = self.hands_on(node.inits, node.loc, handed=handed)
                for inner in (*blocks(node), *blocks(node)):  # one iteration comes after another
                    handed = self.block(inner, node.loc, handed=handed)
                return handed
            case _:
                return self.hands_on(put_in(node), node.loc, handed=handed)

    def is_met(self, node: Node) -> bool:
        """Whether the node appends to the list; with `everything`, whether it uses the list at all."""
        if self.everything:
            return self.member in operands(node)
        return self.member in lengthened_or_shortened(node)

    def hands_on(self, ends: Sequence[Operand], loc: Loc, *, handed: bool) -> bool:
        """Whether the list has been yielded once a block has yielded `ends`; `handed` tells whether it had been before."""
        times = sum(operand is self.member for operand in ends)
        if self.everything and times and (handed or times > 1):
            self.found = self.found or loc
        return handed or times > 0


def list_text(value: Value) -> str:
    """The words for a list in a message."""
    return f"the list `{value.name}`" if value.name else "a list"


def two_names(value: Value, loc: Loc) -> UnsupportedError:
    """The error for a list that gets more or fewer items while it has two names."""
    return UnsupportedError(
        Problem(
            "BS109",
            f"{list_text(value)} gets more or fewer items while it has two names: the other name would not show that",
            loc,
            "append to it before it gets another name, or go on with a copy, other = items[:].",
        )
    )


def _row_refused(node: Load) -> UnsupportedError:
    assert isinstance(node.buffer, Value)
    return UnsupportedError(
        Problem(
            "BS109",
            f"an item of {list_text(node.buffer)} is a list that gets more or fewer items",
            node.loc,
            "append to the inner list before it is put into the other, or put a longer copy in its place.",
        )
    )
