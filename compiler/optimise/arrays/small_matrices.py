"""Replace calls of BLAS and LAPACK with small matrices by loops.

A small product is written as a sum of products of elements: it becomes a nest, which machine code unrolls, and a
transposed operand is no array. What factorises a small matrix calls a function of the runtime.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from backsweep.analysis.integers.extents import Shapes, shapes_of
from backsweep.analysis.integers.small import (
    is_product,
    is_small_product,
    is_small_system,
    is_system,
    numbers,
)
from backsweep.ir.build import Builder, christen, with_last_axis
from backsweep.ir.nodes import Apply, Const, Function, Index, NewAxis, Node, Operand, Slice, Value
from backsweep.ir.typed import rank, type_of
from backsweep.ir.types import Array, Scalar, Tuple, Type
from backsweep.ir.walk import changed, rewrite, walk
from backsweep.runtime.linalg import (
    cofactors,
    small_cofactors,
    small_determinant,
    small_inverse,
    small_slogdet,
    small_solution,
    small_solutions,
)


def write_small_matrices(function: Function) -> Function:
    """The typed program, in which products and factorisations of small matrices of known extents do not call BLAS or LAPACK."""
    if not any(is_product(node) or is_system(node) for node in walk(function.body)):
        return function
    shapes = shapes_of(function)

    def written(node: Node) -> list[Node]:
        if is_product(node):
            return _sum(node, shapes)
        return [_eliminated(node, shapes)] if is_system(node) else [node]

    return rewrite(function, written)


def _sum(node: Apply, shapes: Shapes) -> list[Node]:
    """The node; for a small product, nodes that compute it as a sum."""
    left, right = node.operands
    shape, other = shapes.of_operand(left), shapes.of_operand(right)
    if shape is None or other is None or not is_small_product(numbers(shape), numbers(other)):
        return [node]
    builder = Builder(loc=node.loc)
    christen(node.result, f"{left.name}_at_{right.name}" if left.name and right.name else "product")
    if other[0].const <= _MOST_WRITTEN_OUT:
        return _written_out(node, builder, other[0].const)
    type_ = type_of(left)
    assert isinstance(type_, Array)
    dtype, axes = type_.dtype, len(shape) + len(other) - 1
    if len(other) > 1:  # the left operand's elements are the same for all columns of the right one
        left = with_last_axis(builder, left)
    terms = builder.apply(operator.mul, left, right, type=Array(dtype, axes))
    along = () if axes == 1 else (Const(axes - len(other)),)
    return [*builder.current.nodes, Apply(node.result, np.sum, (terms, *along), node.loc)]


def _written_out(node: Apply, builder: Builder, count: int) -> list[Node]:
    """The sum of products of the left operand's columns and the right one's rows."""
    left, right = (_as_value(operand, builder) for operand in node.operands)
    type_ = node.result.type
    column: Index = (Slice(),) * (rank(left) - 1)
    outer = (NewAxis(),) * (rank(left) + rank(right) == 4)
    total: Value | None = None
    for k in range(count):
        term = builder.apply(
            operator.mul,
            _part(builder, left, (*column, Const(k), *outer)),
            _part(builder, right, (Const(k), *(Slice(),) * (rank(right) - 1))),
            type=type_,
        )
        total = term if total is None else builder.apply(operator.add, total, term, type=type_)
    *nodes, last = builder.current.nodes
    assert isinstance(last, Apply)
    return [*nodes, changed(last, result=node.result)]


def _as_value(operand: Operand, builder: Builder) -> Value:
    """The operand; a constant table as a value, of which there are parts."""
    if isinstance(operand, Value):
        return operand
    return builder.apply(np.asarray, operand, type=type_of(operand))


def _part(builder: Builder, array: Value, index: Index) -> Value:
    """An element, a row, or a column of an array."""
    assert isinstance(array.type, Array)
    axes = sum(isinstance(item, Slice | NewAxis) for item in index)
    if axes:
        return builder.view(array, index, type=Array(array.type.dtype, axes, "A"))
    return builder.load(array, index, type=Scalar(array.type.dtype))


def _eliminated(node: Apply, shapes: Shapes) -> Apply:
    """The node; for a small matrix, the call of the runtime's function in place of NumPy's, if there is one."""
    arrays = [shape for operand in node.operands if (shape := shapes.of_operand(operand)) is not None]
    function = _SMALL.get((node.function, _form(node.result.type)))
    if function is None or not is_small_system(*map(numbers, arrays)):
        return node
    if function is small_cofactors and arrays[0][0].const > _MOST_ROWS_OF_MINORS:
        return node
    return changed(node, function=function)


def _form(type_: Type | None) -> str:
    """The rank and the layout of a result."""
    if isinstance(type_, Array):
        return f"{type_.ndim}{type_.layout}"
    return "numbers" if isinstance(type_, Tuple) else "number"


_SMALL: dict[tuple[Any, str], Any] = {
    (np.linalg.inv, "2F"): small_inverse,
    (np.linalg.solve, "1C"): small_solution,
    (np.linalg.solve, "2F"): small_solutions,
    (np.linalg.det, "number"): small_determinant,
    (np.linalg.slogdet, "numbers"): small_slogdet,
    (cofactors, "2C"): small_cofactors,
}
"""What replaces a function whose result has this form."""
_MOST_ROWS_OF_MINORS = 4
_MOST_WRITTEN_OUT = 4
"""The most terms of sums that are written one beside the other: their products are no arrays, and nothing is added up in memory."""
