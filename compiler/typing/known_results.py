"""Know the result types of library calls that Numba types only by compiling them for seconds: products, inverses, solutions.

Numba types a call of such a function by compiling it, LAPACK's errors included, even if no code will call it.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype, from_dtype

from backsweep.runtime.linalg import cofactors

NumbaType = Any  # Numba ships no annotations


_PRODUCT: Mapping[tuple[int, ...], str] = {(1, 1): "number", (1, 2): "1C", (2, 1): "1C", (2, 2): "2C"}
RESULTS: Mapping[Any, Mapping[tuple[int, ...], str]] = {
    np.dot: _PRODUCT,
    operator.matmul: _PRODUCT,
    np.outer: {(1, 1): "2C"},
    np.linalg.inv: {(2,): "2F"},
    np.linalg.solve: {(2, 1): "1C", (2, 2): "2F"},
    np.linalg.det: {(2,): "number"},
    cofactors: {(2,): "2C"},
    np.linalg.matrix_power: {(2,): "2C"},  # Numba thinks that it may return None
}
"""By function and ranks of the arguments that are arrays: rank and layout of the result, if all of these are of one dtype.

Other arguments are whole numbers that only the run knows.
"""


def type_returned(function: NumbaType, args: Sequence[NumbaType]) -> NumbaType | None:
    """Numba's type of the result of a call; None where Numba has to be asked.

    `function` is an operator, or Numba's type of a function.
    """
    called = getattr(
        function, "dispatcher" if isinstance(function, types.Dispatcher) else "typing_key", function
    )
    declared = getattr(called, "returns", None)
    if declared is not None:  # what Python runs
        return declared
    if called is np.array and len(args) == 1:
        return _of_arrays(args[0])
    arrays = [type_ for type_ in args if isinstance(type_, types.Array)]
    form = RESULTS[called].get(tuple(type_.ndim for type_ in arrays)) if called in RESULTS else None
    dtypes = {type_.dtype for type_ in arrays}
    exponents = [type_ for type_ in args if type(type_) is types.Integer]
    if form is None or len(arrays) + len(exponents) < len(args) or len(dtypes) > 1:
        return None
    (dtype,) = dtypes
    if not isinstance(dtype, types.Float | types.Complex):
        return None
    return dtype if form == "number" else types.Array(dtype, int(form[0]), form[1])


def _of_arrays(items: NumbaType) -> NumbaType | None:
    """The type of the array that `np.array` makes of a tuple of arrays, or of tuples of them, which Numba refuses; None for other items."""
    if not isinstance(items, types.BaseTuple) or not len(items):
        return None
    nested = [each for each in items if isinstance(each, types.BaseTuple)]
    if nested and (len(nested) < len(items) or len(set(map(len, nested))) > 1):
        return None
    parts: list[NumbaType] = list(map(_of_arrays, items)) if nested else list(items)
    if not all(isinstance(each, types.Array) and each.ndim == parts[0].ndim for each in parts):
        return None
    dtype = np.result_type(*(as_dtype(each.dtype) for each in parts))
    return types.Array(from_dtype(dtype), parts[0].ndim + 1, "C")
