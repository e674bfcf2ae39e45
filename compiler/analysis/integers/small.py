"""Decide which products and matrices are so small that loops are faster than calls of BLAS or LAPACK; the limits are measured.

A call of BLAS costs 100 ns whatever the size; the terms of a product of two 4x4 matrices take 40, of two 6x6 matrices
90. The inverse of a 4x4 matrix takes LAPACK 1,600 ns and elimination in loops 280, of 8x8 matrices 2,900 and 1,200.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from backsweep.analysis.integers.affine import Shape
from backsweep.ir.nodes import Apply, Node
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar, Tuple
from backsweep.runtime.linalg import cofactors

MOST_TERMS = 128
"""The most terms that all sums of a product have together."""
MOST_ADDED = 16
"""The most terms of one sum: in a loop, each addition waits for the one before."""
LARGEST_SYSTEM = 8
"""The number of rows of the largest matrix that is factorised in loops."""
MOST_SIDES = 16
"""The most right-hand sides of such a system."""
_DTYPES = ("float64", "float32")

Extents = Sequence[int | None]


def is_product(node: Node) -> TypeGuard[Apply]:
    """Whether the node is a product of vectors and matrices of real numbers of one width."""
    if not isinstance(node, Apply) or kind(node.function) is not Kind.PRODUCT or node.keywords:
        return False
    types = map(type_of, node.operands)
    arrays = [each for each in types if isinstance(each, Array) and each.ndim in (1, 2)]
    if len(node.operands) != 2 or len(arrays) != 2 or not isinstance(node.result.type, Array | Scalar):
        return False
    dtypes = {arrays[0].dtype, arrays[1].dtype, node.result.type.dtype}
    return len(dtypes) == 1 and dtypes <= set(_DTYPES)


def is_small_product(left: Extents, right: Extents) -> bool:
    """Whether arrays of these extents, None for an unknown one, have a product that is faster in loops."""
    entries = (*left, *(right[1:] if len(right) > 1 else ()))
    known = [extent for extent in (*entries, right[0]) if extent is not None]
    if len(known) <= len(entries) or left[-1] != right[0]:
        return False
    return 0 < math.prod(known[:-1]) <= MOST_TERMS and known[-1] <= MOST_ADDED


def is_system(node: Node) -> TypeGuard[Apply]:
    """Whether the node factorises a square matrix of real numbers, to invert it or to solve with it."""
    if not isinstance(node, Apply) or node.keywords or not node.operands:
        return False
    if node.function not in (np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.solve, cofactors):
        return False
    made = node.result.type
    types = [*map(type_of, node.operands), *(made.items if isinstance(made, Tuple) else (made,))]
    if not isinstance(types[0], Array):
        return False
    dtypes = {each.dtype if isinstance(each, Array | Scalar) else None for each in types}
    return len(dtypes) == 1 and dtypes <= set(_DTYPES)


def is_small_system(matrix: Extents, right: Extents = ()) -> bool:
    """Whether a square matrix of these extents is factorised faster in loops, and systems with that right-hand side solved."""
    rows, columns = matrix
    if rows is None or rows != columns or not 0 < rows <= LARGEST_SYSTEM:
        return False
    sides = right[1] if len(right) > 1 else 1
    return (not right or right[0] == rows) and sides is not None and 0 < sides <= MOST_SIDES


def numbers(shape: Shape) -> Extents:
    """The extents of a shape that are numbers."""
    return [None if extent.terms else extent.const for extent in shape]
