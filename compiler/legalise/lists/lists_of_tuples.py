"""A list of tuples becomes one list for each item of the tuples; they are as long as each other. A list of such lists likewise.

`points.append((x, y))` appends to two lists, and `points[k]` makes a tuple of what they hold at `k`. What becomes of lists of
numbers and of arrays is up to the passes for these.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping

from backsweep.analysis.list_aliases import list_text
from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.ir.nodes import (
    Append,
    Apply,
    Const,
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
from backsweep.ir.types import List, Scalar, Tuple, Type
from backsweep.ir.walk import (
    definitions_of,
    leaving,
    operands,
    results,
    rewrite,
    substitute,
    walk,
    with_body,
)
from backsweep.legalise.lists.splitting import ListSplitter
from backsweep.runtime.lists.results import unlisted
from backsweep.runtime.lists.sequences import shortened


def split_lists_of_tuples(function: Function) -> Function:
    """The typed program with lists of numbers, of arrays and of lists in place of lists of tuples."""
    while any(_is_split(result) for node in walk(function.body) for result in results(node)):
        function = with_body(function, _Splitter(function).block(function.body))
        function = _without_unread_tuples(function)
    return function


def _without_unread_tuples(function: Function) -> Function:
    """The program without tuples of lists that only became entries or were entries: they would be uses of the lists."""
    made = definitions_of(function)
    items = {node.result: _item_of(node, made) for node in made.values() if isinstance(node, Apply)}
    found: dict[Value, Operand] = {value: item for value, item in items.items() if item is not None}
    function = with_body(function, substitute(function.body, found)) if found else function
    nodes = [node for node in walk(function.body) if not found.keys() & set(results(node))]
    read = {operand for node in nodes for operand in (*operands(node), *leaving(node))}
    read |= set(function.body.yields)

    def kept(node: Node) -> list[Node]:
        if not isinstance(node, Apply) or node.result in read:
            return [node]
        return [] if node.result in found or (node.function is tuple and _holds_list(node)) else [node]

    return rewrite(function, kept)


def _item_of(node: Apply, made: Mapping[Value, Node]) -> Operand | None:
    """What the node reads from a tuple that holds lists; None for other nodes."""
    match node:
        case Apply(function=operator.getitem, operands=(Value() as whole, Const(value=int() as number))):
            source = made.get(whole)
            if isinstance(source, Apply) and source.function is tuple and _holds_list(source):
                return source.operands[number]
    return None


def _holds_list(node: Node) -> bool:
    return any(isinstance(each, Value) and isinstance(each.type, List) for each in operands(node))


class _Splitter(ListSplitter):
    """Puts a list for each item of the tuples in the place of a list of tuples."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.definitions = definitions_of(function)

    def is_split(self, value: Value) -> bool:
        return _is_split(value)

    def split(self, value: Value) -> tuple[Value, ...]:
        """New lists for a list of tuples."""
        item = _item(value)
        names = item.names or tuple(map(str, range(len(item.items))))
        self.parts[value] = tuple(
            Value(f"{value.name}_{name}" if value.name else "", _holding(value.type, type_), value.loc)
            for name, type_ in zip(names, item.items, strict=True)
        )
        return self.parts[value]

    def node(self, node: Node) -> None:
        """One node with the parts of the lists of tuples in it."""
        match node:
            case If() | For() | While():
                self.region(node)
            case Apply(result=result, function=function) if function is list and _is_split(result):
                items = [self.items(operand, result) for operand in node.operands]
                for number, part in enumerate(self.split(result)):
                    entries = tuple(each[number] for each in items)
                    self.builder.add(Apply(part, list, entries, node.loc))
            case Append(buffer=buffer, value=value) if buffer in self.parts:
                items = [self.items(value, buffer)]
                for part, item in zip(self.parts[buffer], items[0], strict=True):
                    self.builder.add(Append(part, item, node.loc))
            case Load(buffer=Value() as buffer, result=Value(type=List())) if buffer in self.parts:
                for made, part in zip(self.split(node.result), self.parts[buffer], strict=True):
                    self.builder.add(Load(made, part, node.index, node.loc))
            case Load(buffer=Value() as buffer) if buffer in self.parts:
                self.load(node, self.parts[buffer])
            case Store(buffer=buffer, accumulate=False) if buffer in self.parts:
                for part, item in zip(self.parts[buffer], self.items(node.value, buffer), strict=True):
                    self.builder.add(dataclasses.replace(node, buffer=part, value=item))
            case Apply(function=function, operands=(Value() as buffer,)) if (
                function is len and buffer in self.parts
            ):
                self.builder.add(dataclasses.replace(node, operands=self.parts[buffer][:1]))
            case Apply(function=function, operands=(Value() as buffer,)) if (
                function is unlisted and buffer in self.parts
            ):
                self.unlist(node, self.parts[buffer])
            case Apply(function=function, operands=(Value() as buffer, count)) if (
                function is shortened and buffer in self.parts
            ):
                first, *others = self.parts[buffer]
                self.builder.add(dataclasses.replace(node, operands=(first, count)))
                for other in others:
                    gone = dataclasses.replace(node.result)
                    self.builder.add(dataclasses.replace(node, result=gone, operands=(other, count)))
            case _:
                self.check(node)
                self.builder.add(node)

    def load(self, node: Load, parts: tuple[Value, ...]) -> None:
        """`points[k]`: a tuple of what the parts hold there."""
        assert isinstance(node.result.type, Tuple)
        items = tuple(
            self.builder.load(part, node.index, name="", type=type_)
            for part, type_ in zip(parts, node.result.type.items, strict=True)
        )
        self.builder.add(Apply(node.result, node.result.type.cls or tuple, items, node.loc))

    def unlist(self, node: Apply, parts: tuple[Value, ...]) -> None:
        """`unlisted(points)`: a tuple of the arrays of the parts; of anything but numbers the caller gets no list."""
        assert isinstance(node.result.type, Tuple)
        for part in parts:
            assert isinstance(part.type, List)
            assert isinstance(node.operands[0], Value)
            if not isinstance(part.type.item, Scalar) or _item(node.operands[0]).cls is not None:
                raise _refused(node.operands[0], node.loc)
        arrays = tuple(
            self.builder.apply(unlisted, part, type=type_)
            for part, type_ in zip(parts, node.result.type.items, strict=True)
        )
        self.builder.add(Apply(node.result, tuple, arrays, node.loc))

    def items(self, operand: Operand, buffer: Value) -> tuple[Operand, ...]:
        """The items of a tuple that becomes an entry of the list, or the lists of a list of tuples."""
        if isinstance(operand, Value) and operand in self.parts:
            return self.parts[operand]
        types = _item(buffer).items
        if isinstance(operand, Const):
            return tuple(map(Const, operand.value))
        made = self.definitions.get(operand)
        if isinstance(made, Apply) and made.function in (tuple, _item(buffer).cls):
            return made.operands
        return tuple(
            self.builder.apply(operator.getitem, operand, Const(number), type=type_)
            for number, type_ in enumerate(types)
        )

    def check(self, node: Node) -> None:
        """Refuse a list of tuples that is used as a whole."""
        for value in (*operands(node), *results(node)):
            if isinstance(value, Value) and _is_split(value):
                raise _refused(value, node.loc)


def _is_split(value: Value) -> bool:
    """Whether this is a list of tuples that have items, or a list of such lists."""
    item = _innermost(value.type)
    return isinstance(value.type, List) and isinstance(item, Tuple) and bool(item.items)


def _innermost(type_: Type | None) -> Type | None:
    """The type of what lists of lists hold in the end."""
    while isinstance(type_, List):
        type_ = type_.item
    return type_


def _holding(type_: Type | None, item: Type) -> List:
    """The type of a list with another type of what it holds in the end."""
    assert isinstance(type_, List)
    return List(_holding(type_.item, item) if isinstance(type_.item, List) else item)


def _item(value: Value) -> Tuple:
    """The type of the list's entries."""
    type_ = _innermost(value.type)
    assert isinstance(type_, Tuple)
    return type_


def _refused(value: Value, loc: Loc) -> UnsupportedError:
    message = (
        f"{list_text(value)} holds tuples and is used as a whole, but only its items can be differentiated"
    )
    remedy = "append to it, index it or loop over it; or keep a list for each item of the tuples"
    return UnsupportedError(Problem("BS109", message, loc, remedy))
