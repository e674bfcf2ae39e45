"""Methods of ufuncs, which Numba does not compile: `reduce`, `accumulate`, `outer`, and `at` of sums and differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba.core import types

from backsweep.runtime.overloads.forms import is_array, refused
from backsweep.runtime.overloads.texts import indented_loops, stands_for

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


def outer_by(ufunc: Any) -> Callable[[Any, Any], Any]:
    """The function that combines each entry of an array with each of a vector."""

    def outer(a: Any, b: Any) -> Any:
        if b.ndim != 1:
            raise ValueError("the second operand of the `outer` of a ufunc is no vector")
        return ufunc(np.expand_dims(a, -1), b)

    return _inlined(outer)


def add_at(a: Any, indices: Any, b: Any) -> None:
    """`np.add.at`: positions may repeat."""
    np.add.at(a, indices, b)


def subtract_at(a: Any, indices: Any, b: Any) -> None:
    """`np.subtract.at`: positions may repeat."""
    np.subtract.at(a, indices, b)


AT: Mapping[Any, Any] = {np.add: add_at, np.subtract: subtract_at}


@stands_for(add_at)
def add_at_positions(a, indices, b):
    """Add at each position, one after the other."""
    return _at("+=", a, indices, b)


@stands_for(subtract_at)
def subtract_at_positions(a, indices, b):
    """Subtract at each position, one after the other."""
    return _at("-=", a, indices, b)


def _at(sign: str, a: Any, indices: Any, b: Any) -> str | None:
    """The loop over positions, which are a number, an array, or a tuple of vectors."""
    if not is_array(a):
        return None
    if isinstance(indices, types.Integer):
        return f"a[indices] {sign} b"
    several = isinstance(indices, types.BaseTuple)
    arrays = list(indices) if several else [indices]
    if not all(is_array(each) and isinstance(each.dtype, types.Integer) for each in arrays):
        raise refused("the positions of `at` are no whole numbers", "write the loop over them.")
    ndim = arrays[0].ndim
    if any(each.ndim != ndim for each in arrays):
        raise refused("the positions of `at` have different axes", "give one vector for each axis.")
    names = "ijkl"[:ndim]
    place = ", ".join(names)
    first = "indices[0]" if several else "indices"
    positions = [f"indices[{k}][{place}]" for k in range(len(arrays))] if several else [f"indices[{place}]"]
    if is_array(b) and b.ndim not in (ndim, ndim + a.ndim - len(arrays)):
        raise refused("the values of `at` have other axes than the positions", "give one for each position.")
    value = f"b[{place}]" if is_array(b) else "b"
    bounds = {name: f"{first}.shape[{axis}]" for axis, name in enumerate(names)}
    return "\n".join(indented_loops(bounds, f"a[{', '.join(positions)}] {sign} {value}"))


def _inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A runtime function that the compiler of derivatives writes out."""
    function.is_kernel = True  # type: ignore[attr-defined]
    return function
