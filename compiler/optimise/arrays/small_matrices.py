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
from backsweep.ir.build import Builder, christen
from backsweep.ir.nodes import Apply, Const, Function, Index, NewAxis, Node, Slice, Value
from backsweep.ir.types import Array, Type
from backsweep.ir.walk import changed, rewrite, walk
from backsweep.runtime.linalg import (
    cofactors,
    small_cofactors,
    small_determinant,
    small_inverse,
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
    left, right = (operand for operand in node.operands if isinstance(operand, Value))
    if not is_small_product(numbers(shapes.of(left)), numbers(shapes.of(right))):
        return [node]
    builder = Builder(loc=node.loc)
    christen(node.result, f"{left.name}_at_{right.name}" if left.name and right.name else "product")
    assert isinstance(left.type, Array)
    assert isinstance(right.type, Array)
    dtype, axes = left.type.dtype, left.type.ndim + right.type.ndim - 1
    if right.type.ndim > 1:  # the left operand's elements are the same for all columns of the right one
        index: Index = (*(Slice(),) * left.type.ndim, NewAxis())
        left = builder.view(left, index, type=Array(dtype, axes, "A"))
    terms = builder.apply(operator.mul, left, right, type=Array(dtype, axes))
    along = () if axes == 1 else (Const(axes - right.type.ndim),)
    return [*builder.current.nodes, Apply(node.result, np.sum, (terms, *along), node.loc)]


def _eliminated(node: Apply, shapes: Shapes) -> Apply:
    """The node; for a small matrix, the call of the runtime's function in place of NumPy's, if there is one."""
    arrays = [shapes.of(operand) for operand in node.operands if isinstance(operand, Value)]
    function = _SMALL.get((node.function, _form(node.result.type)))
    if function is None or not is_small_system(*map(numbers, arrays)):
        return node
    if function is small_cofactors and arrays[0][0].const > _MOST_ROWS_OF_MINORS:
        return node
    return changed(node, function=function)


def _form(type_: Type | None) -> str:
    """The rank and the layout of a result."""
    return f"{type_.ndim}{type_.layout}" if isinstance(type_, Array) else "number"


_SMALL: dict[tuple[Any, str], Any] = {
    (np.linalg.inv, "2F"): small_inverse,
    (np.linalg.solve, "1C"): small_solution,
    (np.linalg.solve, "2F"): small_solutions,
    (np.linalg.det, "number"): small_determinant,
    (cofactors, "2C"): small_cofactors,
}
"""What replaces a function whose result has this form."""
_MOST_ROWS_OF_MINORS = 4
