"""Put functions of numbers that a GPU has in place of those of NumPy and `math` that `numba-cuda` does not compile."""

from __future__ import annotations

import dataclasses
import math
import operator
from typing import Any

import numpy as np

from backsweep.ir.nodes import Apply, Function, Node
from backsweep.ir.types import Scalar
from backsweep.ir.walk import rewrite
from backsweep.runtime import special
from backsweep.runtime.gpu import numbers

_UFUNCS = (
    "arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_or bitwise_xor conjugate cos cosh deg2rad degrees divide "
    "equal fmax fmin greater greater_equal hypot invert isnan left_shift less less_equal log log10 log2 logical_and logical_not "
    "logical_or logical_xor maximum minimum not_equal rad2deg radians right_shift sin sinh tan tanh"
)
KNOWN = frozenset(getattr(np, name) for name in _UFUNCS.split())
"""The functions of NumPy that `numba-cuda` compiles, of numbers."""
LACKING = frozenset({math.hypot, math.cbrt, math.frexp, math.modf, math.ulp, math.isclose})
"""The functions of `math` that it does not."""

_INSTEAD: dict[Any, Any] = {
    np.absolute: abs,
    np.fabs: abs,
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.power: operator.pow,
    np.float_power: operator.pow,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.negative: operator.neg,
    np.positive: operator.pos,
    math.hypot: np.hypot,
    math.cbrt: numbers.cbrt,
    **{getattr(np, name): getattr(numbers, name) for name in numbers.__all__},
    **{
        getattr(special, each.__name__): each
        for each in (
            numbers.falling_logistic,
            numbers.length_of_number,
            numbers.signed,
            numbers.chosen_sign,
            numbers.signed_or_nan,
            numbers.unchosen_sign,
            numbers.nan_at_zero,
            numbers.lost_at_root,
            numbers.power_kink,
        )
    },
}
_OF_FLOATS = {numbers.sign, numbers.reciprocal, numbers.square}
"""Functions whose results are floats here, and whole numbers in NumPy where they are given such."""


def in_words_of_gpu(kernel: Function) -> Function:
    """The kernel, whose functions of numbers `numba-cuda` compiles; what has no such form stays."""

    def changed(node: Node) -> list[Node]:
        found = (
            _INSTEAD.get(node.function) if isinstance(node, Apply) and _is_hashable(node.function) else None
        )
        if found is None or not isinstance(node, Apply) or not isinstance(node.result.type, Scalar):
            return [node]
        is_float = node.result.type.dtype in ("float64", "float32")
        is_bool = node.result.type.dtype == "bool"
        if not (is_float or is_bool) and (found in _OF_FLOATS or node.function is np.power):
            return [node]
        return [dataclasses.replace(node, function=found)]

    return rewrite(kernel, changed)


def _is_hashable(function: Any) -> bool:
    return type(function).__hash__ is not None
