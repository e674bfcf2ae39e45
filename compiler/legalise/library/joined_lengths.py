"""Check that two arrays fit before a call that combines the last axis of one with an axis of the other, as a product does.

A gradient does not always need the product itself, and what is not computed cannot raise.
"""

from __future__ import annotations

import operator

from backsweep.analysis.integers.affine import Affine
from backsweep.analysis.integers.extents import Shapes
from backsweep.analysis.integers.guards import checks_on_entry
from backsweep.ir.build import Builder
from backsweep.ir.dead_code import eliminate_dead_code, surely_computed
from backsweep.ir.nodes import Apply, Block, Const, Function, If, Node, Operand, Raise, Value
from backsweep.ir.operations import operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array
from backsweep.ir.walk import map_blocks, rewrite, walk, with_body, with_nodes
from backsweep.legalise.arrays.equal_extents import check_equal
from backsweep.legalise.library.concatenate import extent

Pair = tuple[Value, int, Value, int]


def check_joined_lengths(function: Function) -> Function:
    """The typed program, with a check before each call whose operands are not proved to fit."""
    if not any(_pair(node) for node in walk(function.body)):
        return function
    shapes = Shapes(function)
    return rewrite(function, lambda node: _checked(node, shapes))


def remove_repeated_checks(function: Function) -> Function:
    """The program without such checks where a call behind them still computes the product, and raises by itself."""
    if not any(_pair(node) for node in walk(function.body)) or not any(
        _test(node) for node in walk(function.body)
    ):
        return function
    compared: dict[Operand | None, Apply] = {
        node.result: node
        for node in walk(function.body)
        if isinstance(node, Apply) and node.function is operator.ne
    }
    shapes = Shapes(function)
    first = function.body.nodes[: checks_on_entry(function)]
    computed = surely_computed(function)

    def change(block: Block) -> Block:
        nodes: list[Node] = []
        raised: list[tuple[Affine, Affine]] = []
        for node in reversed(block.nodes):
            pair = _pair(node)
            if pair is not None and isinstance(node, Apply) and node.result in computed:
                raised.append(_extents(pair, shapes))
            test = None if node in first else compared.get(_test(node))
            if test is not None:
                one, other = map(shapes.length, test.operands)
                if (one, other) in raised or (other, one) in raised:
                    continue
            nodes.append(map_blocks(node, change))
        return with_nodes(block, nodes[::-1])

    body = change(function.body)
    return function if body is function.body else eliminate_dead_code(with_body(function, body))


def _checked(node: Node, shapes: Shapes) -> list[Node]:
    """The node, behind a check if it joins arrays that are not proved to fit."""
    pair = _pair(node)
    if pair is None or not isinstance(node, Apply):
        return [node]
    one, other = _extents(pair, shapes)
    if one == other:
        return [node]
    builder = Builder(loc=node.loc)
    array, axis, partner, place = pair
    lengths = extent(builder, array, axis), extent(builder, partner, place)
    check_equal(builder, *lengths, f"{_name(node)}: the lengths of the arrays do not match")
    return [*builder.current.nodes, node]


def _pair(node: Node) -> Pair | None:
    """The two arrays that the node joins, each with the axis that it joins them along; None for any other node."""
    if not isinstance(node, Apply):
        return None
    places = operation(node.function).joined
    if places is None or len(node.operands) <= max(places):
        return None
    first, second = (node.operands[place] for place in places)
    match first, type_of(first), second, type_of(second):
        case Value(), Array(ndim=before), Value(), Array(ndim=behind) if before and behind:
            return first, before - 1, second, max(behind - 2, 0)
        case _:
            return None


def _extents(pair: Pair, shapes: Shapes) -> tuple[Affine, Affine]:
    """The two extents along which the arrays are joined."""
    array, axis, partner, place = pair
    return shapes.of(array)[axis], shapes.of(partner)[place]


def _test(node: Node) -> Operand | None:
    """The condition of a branch that only raises ValueError; None for any other node."""
    match node:
        case If(then=Block(nodes=(Raise(exception=Const(value=kind)),)), orelse=Block(nodes=())) if (
            kind is ValueError
        ):
            return node.condition
        case _:
            return None


def _name(node: Apply) -> str:
    """What is called, as the user wrote it."""
    return "@" if node.function is operator.matmul else f"np.{node.function.__name__}"
