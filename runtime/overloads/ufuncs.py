"""Methods of ufuncs, which Numba does not compile: `reduce`, `accumulate`, `outer`, `at` and `reduceat`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba.core import types

from backsweep.runtime.overloads.forms import is_array, refused
from backsweep.runtime.overloads.texts import stands_for
from backsweep.runtime.overloads.ufunc_at import text_of_at

REDUCTIONS: Mapping[Any, Any] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
"""The functions that reduce as the `reduce` of a ufunc does."""
SCANS: Mapping[Any, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}
"""The functions that do what the `accumulate` of a ufunc does."""


def reduced_by(ufunc: Any) -> Callable[[Any], Any]:
    """The function that combines the entries along the first axis from the left."""

    def reduced(a: Any) -> Any:
        if a.shape[0] == 0:
            raise ValueError("zero-size array to reduction operation")
        y = a[0] + 0.0
        for k in range(1, a.shape[0]):
            y = ufunc(y, a[k])
        return y

    return _inlined(reduced)


def accumulated_by(ufunc: Any) -> Callable[[Any], Any]:
    """The function that combines each entry along the first axis with what was combined before it."""

    def accumulated(a: Any) -> Any:
        y = a.copy()
        for k in range(1, a.shape[0]):
            y[k] = ufunc(y[k - 1], y[k])
        return y

    return _inlined(accumulated)


def _importable(function: Any, ufunc: np.ufunc) -> Any:
    """A function under a name of its own in this module, by which the compiler refers to it."""
    function.__name__ = function.__qualname__ = f"{ufunc.__name__}_{function.__name__}"
    globals()[function.__name__] = function
    return function


def _at_by(ufunc: Any, statement: str) -> Any:
    """The function that does what the `at` of a ufunc does: positions may repeat."""

    def at(a: Any, indices: Any, b: Any = None) -> None:
        ufunc.at(a, indices, *(() if b is None else (b,)))

    @stands_for(at, ufunc=ufunc)
    def at_positions(a, indices, b=None):
        """Change the entry at each position, one after the other."""
        return text_of_at(statement, a, indices, b)

    return _importable(at, ufunc)


AT: Mapping[Any, Any] = {
    np.add: _at_by(np.add, "{} += {}"),
    np.subtract: _at_by(np.subtract, "{} -= {}"),
    np.multiply: _at_by(np.multiply, "{} *= {}"),
    np.divide: _at_by(np.divide, "{} /= {}"),
    **{
        each: _at_by(each, "{0} = ufunc({0}, {1})")
        for each in (np.maximum, np.minimum, np.fmax, np.fmin, np.power)
    },
    **{
        each: _at_by(each, "{0} = ufunc({0})")
        for each in (np.negative, np.exp, np.log, np.sqrt, np.square, np.abs)
    },
}
"""The ufuncs whose `at` is known, each with what does the same."""


def _outer_by(ufunc: Any) -> Any:
    """The function that does what the `outer` of a ufunc does."""

    def outer(a: Any, b: Any) -> Any:
        return ufunc.outer(a, b)

    @stands_for(outer, ufunc=ufunc)
    def outer_of_arrays(a, b):
        """Combine each entry of an array with each of another."""
        if not is_array(a) or not is_array(b):
            return "return ufunc(a, b)"
        whole, new = ", ".join([":"] * a.ndim), ", ".join(["np.newaxis"] * b.ndim)
        return f"return ufunc(a[{whole}, {new}], b)"

    return _importable(outer, ufunc)


def _reduceat_by(ufunc: Any, statement: str) -> Any:
    """The function that does what the `reduceat` of a ufunc does, along the first axis."""

    def reduceat(a: Any, indices: Any) -> Any:
        return ufunc.reduceat(a, indices)

    @stands_for(reduceat, ufunc=ufunc)
    def reduceat_of_parts(a, indices):
        """Combine the entries from each position up to the next one."""
        if not is_array(a) or not is_array(indices) or not isinstance(indices.dtype, types.Integer):
            raise refused(
                "the positions of `reduceat` are no whole numbers", "convert them: k.astype(np.int64)."
            )
        if not isinstance(a.dtype, types.Float | types.Complex):
            raise refused("`reduceat` is supported for floats", "convert them: a.astype(np.float64).")
        shape = ", ".join(["indices.size", *(f"a.shape[{axis}]" for axis in range(1, a.ndim))])
        return f"""
y = np.empty(({shape},), a.dtype)
for k in range(indices.size):
    start = indices[k]
    if start < 0 or start >= a.shape[0]:
        raise IndexError("index out-of-bounds in reduceat")
    stop = indices[k + 1] if k < indices.size - 1 else a.shape[0]
    y[k] = a[start]
    for j in range(start + 1, stop):
        {statement}
return y
"""

    return _importable(reduceat, ufunc)


_OF_TWO = [
    each
    for each in vars(np).values()
    if isinstance(each, np.ufunc) and (each.nin, each.nout) == (2, 1) and each.signature is None
]
OUTER: Mapping[Any, Any] = {each: _outer_by(each) for each in dict.fromkeys(_OF_TWO)}
"""The ufuncs of two operands, each with what its `outer` does."""
REDUCEAT: Mapping[Any, Any] = {
    np.add: _reduceat_by(np.add, "y[k] += a[j]"),
    np.multiply: _reduceat_by(np.multiply, "y[k] *= a[j]"),
    **{
        each: _reduceat_by(each, "y[k] = ufunc(y[k], a[j])")
        for each in (np.maximum, np.minimum, np.logaddexp)
    },
}
"""The ufuncs whose `reduceat` is known, each with what does the same."""


def _inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A runtime function that the compiler of derivatives writes out."""
    function.is_kernel = True  # type: ignore[attr-defined]
    return function
