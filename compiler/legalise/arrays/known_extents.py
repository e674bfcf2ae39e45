"""Replace extents that are known to be numbers by these numbers, and read every other extent once.

Arrays that are computed from one another have extents in common. Loops over these then have one bound, for readers and
for later passes.
"""

from __future__ import annotations

import operator
from collections import ChainMap
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from backsweep.analysis.integers.affine import Affine, literal, variable
from backsweep.analysis.integers.extents import Shapes, shapes_of
from backsweep.analysis.integers.guards import checks_on_entry
from backsweep.ir.build import christen
from backsweep.ir.nodes import Apply, Block, Const, Function, Node, Operand, Value
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import INT, Array, Tuple
from backsweep.ir.walk import (
    blocks,
    map_blocks,
    rename_operands,
    results,
    rewrite,
    substitute,
    walk,
    with_body,
    with_nodes,
)


def write_known_extents(function: Function) -> Function:
    """The typed program, in which an extent is a constant if its value is known, and else is read once.

    What the checks at its beginning compare stays: they are why it is known.
    """
    if not any(_is_extent(node) for node in walk(function.body)):
        return function
    body = _Names(function).whole(function.body, checks_on_entry(function))
    return function if body is function.body else with_body(function, body)


def write_constant_extents(function: Function) -> Function:
    """The typed program, in which extents that are known to be numbers are constants, except in the checks at its beginning.

    The extent of an array that a loop makes is written as one that is known before the loop, or as a sum or difference of that
    and a number or another one: it is not recorded.
    """
    nodes = [node for node in walk(function.body) if isinstance(node, Apply)]
    if not any(map(_is_extent, nodes)):
        return function
    shapes = shapes_of(function)
    lengths = {node.result: shapes.length(node.result) for node in nodes if _is_extent(node) or _is_sum(node)}
    known: dict[Value, Operand] = {
        value: Const(length.const) for value, length in lengths.items() if not length.terms
    }
    before: dict[Hashable, Value] = {}
    written: dict[Node, Node] = {}
    outside = {*function.body.parameters, *(value for node in function.body.nodes for value in results(node))}
    checks = checks_on_entry(function)
    for number, node in enumerate(function.body.nodes):
        if isinstance(node, Apply) and node.result in lengths and _may_be_named(node):
            before.setdefault(lengths[node.result].key, node.result)
        for inner in (each for block in blocks(node) for each in walk(block)):
            if not isinstance(inner, Apply) or inner.result not in lengths or inner.result in known:
                continue
            if _is_extent(inner) and _measured(inner, shapes) in outside:
                continue
            length = lengths[inner.result]
            same = before.get(length.key)
            parts = _parts_of(length, before) if _is_extent(inner) and number >= checks else None
            if same is not None:
                christen(same, inner.result.name)
                known[inner.result] = same
            elif parts is not None:
                written[inner] = Apply(inner.result, *parts, inner.loc)
    if not known and not written:
        return function
    whole = rewrite(function, lambda node: [written.get(node, node)]).body
    body = substitute(with_nodes(whole, whole.nodes[checks:]), known)
    return with_body(function, with_nodes(whole, [*whole.nodes[:checks], *body.nodes], body.yields))


def _parts_of(length: Affine, before: Mapping[Hashable, Value]) -> tuple[Any, tuple[Operand, ...]] | None:
    """A sum or a difference that is this length, of one that is known before and a number or another one; None if there is none."""
    near = before.get((length - length.const).key)
    if near is not None:
        return operator.add if length.const > 0 else operator.sub, (near, Const(abs(length.const)))
    (more, _), *others = sorted(length.terms.items(), key=lambda term: -term[1])
    if length.const or [times for _, times in others] not in ([1], [-1]):
        return None
    first, second = before.get(variable(more).key), before.get(variable(others[0][0]).key)
    if first is None or second is None or length.terms[more] != 1:
        return None
    return operator.add if others[0][1] > 0 else operator.sub, (first, second)


class _Names:
    """Rebuilds blocks in program order.

    `names` are the values in scope that hold extents, by the extents. `known` says what replaces the other values.
    """

    def __init__(self, function: Function) -> None:
        self.shapes = shapes_of(function)
        self.known: dict[Value, Operand] = {}
        self.names: ChainMap[Hashable, Value] = ChainMap()

    def whole(self, body: Block, checks: int) -> Block:
        """The body of the function; its first nodes, `checks` of them, stay as they are, and what they read gets a name."""
        first, rest = body.nodes[:checks], body.nodes[checks:]
        for parameter in body.parameters:
            self.integer(parameter)
        for node in first:
            if isinstance(node, Apply) and (_is_extent(node) or _is_sum(node)):
                self.extent(node)
        return self.block(body, first, rest)

    def block(self, body: Block, first: tuple[Node, ...] = (), rest: tuple[Node, ...] | None = None) -> Block:
        """The block: the nodes `first` stay, the `rest` is rebuilt; without `rest`, all nodes are."""
        self.names = self.names.new_child()
        nodes = [*first]
        for node in body.nodes if rest is None else rest:
            if isinstance(node, Apply) and (_is_extent(node) or _is_sum(node)) and self.extent(node):
                continue
            if isinstance(node, Apply) and _is_clipped(node) and self.clips_nothing(node):
                self.known[node.result] = self.rename(node.operands[0])
                continue
            if isinstance(node, Apply):
                self.integer(node.result)
            nodes.append(map_blocks(rename_operands(node, self.rename), self.block, self.rename))
        self.names = self.names.parents
        return with_nodes(body, nodes, [*map(self.rename, body.yields)])

    def integer(self, value: Value) -> None:
        """Note an integer that is what nothing else tells: extents that are equal to it may read it."""
        own = variable(value)
        if value.type == INT and self.shapes.length(value) == own:
            self.names.setdefault(own.key, value)

    def rename(self, operand: Operand) -> Operand:
        """What replaces the operand; itself, if nothing does."""
        return self.known.get(operand, operand) if isinstance(operand, Value) else operand

    def clips_nothing(self, node: Apply) -> bool:
        """Whether `max(length, 0)` is the length itself, because that is proved not to be negative."""
        return self.shapes.equal(node.result, node.operands[0])

    def extent(self, node: Apply) -> bool:
        """Whether the node is not needed, because its extent is a constant or has a name; if it has none, the node's result becomes the name."""
        length = self.shapes.length(node.result)
        if not length.terms:
            self.known[node.result] = Const(length.const)
            return True
        key = length.key
        if not _may_be_named(node):
            is_name = length.const == 0 and key in self.names
            self.known.update({node.result: self.names[key]} if is_name else {})
            return is_name
        if key in self.names and self.names[key] is not node.result:
            christen(self.names[key], node.result.name)
            self.known[node.result] = self.names[key]
            return True
        self.names[key] = node.result
        return False


def _is_extent(node: Node) -> bool:
    """Whether the node reads an extent of an array."""
    match node:
        case Apply(
            result=Value(type=type_), function=operator.getitem, operands=(Value(type=Tuple()), Const())
        ):
            return type_ == INT
        case Apply(result=Value(type=type_), function=function, operands=(Value(type=Array()),)):
            return type_ == INT and (function is np.size or function is len)
        case _:
            return False


def _may_be_named(node: Node) -> bool:
    """Whether the node reads an extent, or divides a length by a number: other nodes with the same result may read its name."""
    match node:
        case Apply(function=operator.floordiv, operands=(Value(), by)):
            return literal(by) is not None
        case _:
            return _is_extent(node)


def _measured(node: Apply, shapes: Shapes) -> Operand:
    """The array whose extent the node reads."""
    shape = shapes.definitions.get(node.operands[0]) if isinstance(node.operands[0], Value) else None
    return shape.operands[0] if isinstance(shape, Apply) and shape.function is np.shape else node.operands[0]


def _is_clipped(node: Apply) -> bool:
    """Whether the node is `max(length, 0)`."""
    match node:
        case Apply(function=function, operands=(Value(), floor)) if function is max:
            return node.result.type == INT and literal(floor) == 0
        case _:
            return False


def _is_sum(node: Apply) -> bool:
    """Whether the node computes with integers."""
    return (
        (kind(node.function) is Kind.ARITHMETIC or _may_be_named(node))
        and node.result.type == INT
        and not all(map(literal, node.operands))
    )
