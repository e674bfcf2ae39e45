"""Write checks, before calls that combine arrays, that the arrays fit: along the joined axes of a product, or entry by entry.

A gradient does not always need the result itself, and what is not computed cannot raise.
"""

from __future__ import annotations

import operator
from collections.abc import Set as AbstractSet

import numpy as np

from backsweep.analysis.integers.affine import ONE, Affine, Shape
from backsweep.analysis.integers.extents import Shapes, shapes_of
from backsweep.analysis.integers.guards import checks_on_entry
from backsweep.ir.build import Builder
from backsweep.ir.dead_code import surely_computed
from backsweep.ir.nodes import Apply, Block, Const, Function, If, Node, Operand, Raise, Value
from backsweep.ir.operations import Kind, kind, operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, Array
from backsweep.ir.walk import map_blocks, rewrite, walk, with_body, with_nodes
from backsweep.legalise.arrays.equal_extents import check_equal, raise_if
from backsweep.rules.declare import is_elementwise

_AXES_OF_MATRIX = 2
Pair = tuple[Operand, int, Operand, int]


def check_joined_lengths(function: Function) -> Function:
    """The typed program, with a check before each call whose operands are not proved to fit.

    What is combined entry by entry is checked only if nothing needs the result, or it is a comparison: else it is aligned.
    """
    if not any(_pair(node) or _matrix(node) or _by_entry(node) for node in walk(function.body)):
        return function
    shapes, computed = shapes_of(function), surely_computed(function)
    return rewrite(function, lambda node: _checked(node, shapes, computed))


def remove_repeated_checks(function: Function) -> Function:
    """The program without the checks that are followed by the product itself, which raises the same error."""
    if not any(_pair(node) for node in walk(function.body)) or not any(
        _test(node) for node in walk(function.body)
    ):
        return function
    compared: dict[Operand | None, Apply] = {
        node.result: node
        for node in walk(function.body)
        if isinstance(node, Apply) and node.function is operator.ne
    }
    shapes = shapes_of(function)
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

    return with_body(function, change(function.body))


def _checked(node: Node, shapes: Shapes, computed: AbstractSet[Value]) -> list[Node]:
    """The node, behind checks if its arrays are not proved to fit."""
    if not isinstance(node, Apply):
        return [node]
    builder = Builder(loc=node.loc)
    matrix, pair = _matrix(node), _pair(node)
    if matrix is not None:
        rows, columns = shapes.of(matrix)
        if rows != columns:
            sides = builder.extent(matrix, 0), builder.extent(matrix, 1)
            check_equal(builder, *sides, "the matrix must be square", np.linalg.LinAlgError)
    if pair is not None:
        array, axis, partner, place = pair
        one, other = _extents(pair, shapes)
        if one != other:
            lengths = builder.extent(array, axis), builder.extent(partner, place)
            check_equal(builder, *lengths, f"{_name(node)}: the lengths of the arrays do not match")
    elif kind(node.function) is Kind.COMPARISON or node.result not in computed:
        _check_entries(builder, _by_entry(node), shapes)
    return [*builder.current.nodes, node]


def _matrix(node: Node) -> Value | None:
    """The matrix that must be square; None for a node that takes none."""
    if isinstance(node, Apply) and node.operands and operation(node.function).square:
        first = node.operands[0]
        if isinstance(first, Value) and isinstance(first.type, Array) and first.type.ndim == _AXES_OF_MATRIX:
            return first
    return None


def _by_entry(node: Node) -> list[Operand]:
    """The arrays that the node combines entry by entry, if it combines several."""
    if not isinstance(node, Apply) or not isinstance(node.result.type, Array):
        return []
    if not is_elementwise(node) and kind(node.function) is not Kind.COMPARISON:
        return []
    arrays = [each for each in node.operands if isinstance(type_of(each), Array)]
    return arrays if len(arrays) > 1 else []


def _check_entries(builder: Builder, arrays: list[Operand], shapes: Shapes) -> None:
    """Raise ValueError when the program runs and arrays do not broadcast, where that is not known."""
    for number, array in enumerate(arrays):
        for before in arrays[:number]:
            one, other = _shape(array, shapes), _shape(before, shapes)
            for axis in range(1, min(len(one), len(other)) + 1):
                if one[-axis] == other[-axis] or ONE in (one[-axis], other[-axis]):
                    continue
                lengths = [
                    builder.extent(array, len(one) - axis),
                    builder.extent(before, len(other) - axis),
                ]
                tests = [(lengths[0], lengths[1]), *((length, Const(1)) for length in lengths)]
                different = [builder.apply(operator.ne, *test, type=BOOL) for test in tests]
                unfit = builder.apply(operator.and_, different[0], different[1], type=BOOL)
                unfit = builder.apply(operator.and_, unfit, different[2], type=BOOL)
                raise_if(builder, unfit, ValueError, "the shapes of the arrays do not match")


def _pair(node: Node) -> Pair | None:
    """The two arrays that the node joins, each with the axis that it joins them along; None for any other node."""
    if not isinstance(node, Apply):
        return None
    places = operation(node.function).joined
    if places is None or len(node.operands) <= max(places):
        return None
    first, second = (node.operands[place] for place in places)
    match first, type_of(first), second, type_of(second):
        case _, Array(ndim=before), _, Array(ndim=behind) if before and behind:
            is_last = behind == 1 or operation(node.function).joins_last
            return first, before - 1, second, behind - (1 if is_last else 2)
        case _:
            return None


def _extents(pair: Pair, shapes: Shapes) -> tuple[Affine, Affine]:
    """The two extents along which the arrays are joined."""
    array, axis, partner, place = pair
    return _shape(array, shapes)[axis], _shape(partner, shapes)[place]


def _shape(array: Operand, shapes: Shapes) -> Shape:
    found = shapes.of_operand(array)
    assert found is not None
    return found


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
    """The text of the call, as the user wrote it."""
    called = getattr(node.function, "__name__", "")
    return "@" if node.function is operator.matmul else f"np.{'linalg.' * hasattr(np.linalg, called)}{called}"
