"""Convert integers that NumPy and Numba promote differently, before functions that make floats of them.

`np.sqrt` of a uint8 is a float16 in plain runs; a uint64 array plus an int stays uint64. Numba makes the first a float32
and the second a float64. These are the program's types, which adjoints and new arrays have.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from backsweep.ir.build import Builder, converted
from backsweep.ir.nodes import Apply, Function, Node
from backsweep.ir.operations import HALVES, Kind, kind
from backsweep.ir.typed import dtype_of, is_inexact
from backsweep.ir.types import Array, Scalar, is_float
from backsweep.ir.walk import rewrite

_TO_FLOATS = (Kind.ARITHMETIC, Kind.INTEGER_DIVISION, Kind.POWER)
"""Functions of a uint64 and a signed integer of which Numba makes a float."""


def convert_promoted_integers(function: Function) -> Function:
    """The typed, normalised program, in which integers are converted before functions that make floats of them."""
    return rewrite(function, _promoted)


def _promoted(node: Node) -> list[Node]:
    """The node, with integers converted before it."""
    type_ = node.result.type if isinstance(node, Apply) else None
    if not isinstance(node, Apply) or not isinstance(type_, Scalar | Array) or not is_float(type_):
        return [node]
    wanted = frozenset[str]() if any(map(is_inexact, node.operands)) else _misjudged(node.function)
    if wanted.isdisjoint(map(dtype_of, node.operands)):
        return [node]
    builder = Builder(loc=node.loc)
    operands = tuple(
        converted(builder, operand, type_.dtype) if dtype_of(operand) in wanted else operand
        for operand in node.operands
    )
    return [*builder.current.nodes, dataclasses.replace(node, operands=operands)]


def _misjudged(function: object) -> frozenset[str]:
    """The integer dtypes of which NumPy makes another float type than Numba."""
    if kind(function) in _TO_FLOATS or function in (np.maximum, np.minimum):
        return frozenset({"uint64"})
    if isinstance(function, np.ufunc) and function not in {np.true_divide, np.divide}:
        return HALVES
    return frozenset()
