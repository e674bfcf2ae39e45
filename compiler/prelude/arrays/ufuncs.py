"""A ufunc with two results, and methods of ufuncs, which Numba does not compile: `np.add.reduce`, `np.maximum.accumulate`, `np.subtract.outer`, `np.add.at`."""

from __future__ import annotations

from types import EllipsisType
from typing import Any, NoReturn

import numpy as np

from backsweep.prelude.declare import (
    as_array,
    has_array,
    is_known,
    means,
    overloaded,
    refuse,
)
from backsweep.runtime.overloads.ufuncs import AT

REDUCTIONS: Any = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
"""The functions that reduce as the `reduce` of a ufunc does."""
TRUTHS: Any = (np.all, np.any, np.isclose)
"""What gives truths of NumPy's, and is no ufunc; `np.allclose` and `np.array_equal` give Python's."""
SCANS: Any = {np.add: np.cumsum, np.multiply: np.cumprod}
"""The functions that do what the `accumulate` of a ufunc does."""
BY_PARTS = (np.add, np.multiply, np.maximum, np.minimum, np.logaddexp)
"""The ufuncs whose `reduceat` is known."""
LACKING = "is a method of a ufunc, which Numba does not compile"
SIGNS: Any = {np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/"}
"""The operators that stand for ufuncs."""


@means(np.divmod)
def divmod_(x1, x2):
    """Quotients and remainders."""
    return np.floor_divide(x1, x2), np.remainder(x1, x2)


@means(np.ufunc.reduce)
def reduce(self, array, *more, **options):
    """The entries along an axis, combined from the left."""
    array = as_array(array)
    if self in REDUCTIONS and len(more) <= 1:
        named = options if len(more) > 0 or "axis" in options else {"axis": 0, **options}
        return REDUCTIONS[self](array, *more, **named)
    axis = _one_axis(more, options)
    if self.nin != 2 or axis is None:
        called = f"np.{self.__name__}"
        _refuse(
            f"{called}.reduce",
            f"reduce along one axis at a time, as in {called}.reduce({called}.reduce(a, axis=1), axis=0)"
            if "axis" in options
            else f"call it with the arrays alone, {called}.reduce(...), and convert or store the result",
        )
    a = _turned(array, axis)
    if a.shape[0] == 0:
        raise ValueError("zero-size array to reduction operation")
    y = a[0] + 0.0
    for k in range(1, a.shape[0]):
        y = self(y, a[k])
    return y


@means(np.ufunc.accumulate)
def accumulate(self, array, axis=0, dtype=None, out=None):
    """Each entry along an axis, combined with what was combined before it."""
    array = as_array(array)
    if self in SCANS:
        return SCANS[self](array, axis, dtype, out)
    if self.nin != 2 or out is not None or not is_known(axis) or not isinstance(axis, int):
        _refuse_alone(f"np.{self.__name__}.accumulate")
    if dtype is not None:
        array = array.astype(dtype)
    y = _turned(array, axis).copy()
    for k in range(1, y.shape[0]):
        y[k] = self(y[k - 1], y[k])
    return y if axis == 0 else np.moveaxis(y, 0, axis)


@means(np.ufunc.outer)
def outer(self, a, b, **options):
    """Each entry of an array, combined with each of another."""
    if (self.nin, self.nout) != (2, 1) or self.signature is not None or len(options) > 0:
        _refuse_alone(f"np.{self.__name__}.outer")
    a, b = as_array(a), as_array(b)
    if not has_array(a) or not has_array(b):
        return self(a, b)
    return self(a[(*(slice(None),) * a.ndim, *(np.newaxis,) * b.ndim)], b)


@means(np.ufunc.reduceat)
def reduceat(self, array, indices, *more, **options):
    """The entries from each position up to the next one, combined."""
    axis = _one_axis(more, options)
    if self not in BY_PARTS or axis is None:
        called = f"np.{self.__name__}"
        _refuse(
            f"{called}.reduceat",
            f"write the loop, as in `for k in range(start.size): y[k] = {called}.reduce(a[start[k]:stop[k]])`",
        )
    array, indices = as_array(array), as_array(indices)
    if not has_array(indices) or np.result_type(indices).kind not in "iu":
        refuse("the positions of `reduceat` are no whole numbers", "convert them: k.astype(np.int64)")
    if not has_array(array) or np.result_type(array).kind not in "fc":
        refuse("`reduceat` is supported for floats", "convert them: a.astype(np.float64)")
    a = _turned(array, axis)
    y = np.empty((indices.size, *a.shape[1:]), a.dtype)
    for k in range(indices.size):
        start = indices[k]
        if start < 0 or start >= a.shape[0]:
            raise IndexError("index out-of-bounds in reduceat")
        stop = indices[k + 1] if k < indices.size - 1 else a.shape[0]
        y[k] = a[start]
        for j in range(start + 1, stop):
            if self is np.add:
                y[k] += a[j]
            elif self is np.multiply:
                y[k] *= a[j]
            else:
                y[k] = self(y[k], a[j])
    return y if axis == 0 else np.moveaxis(y, 0, axis)


@means(np.ufunc.at)
def at(self, a, indices, *b) -> None:
    """The entry at each position is changed, one after the other: positions may repeat."""
    called = f"np.{self.__name__}"
    value = (
        f"a[index[k]] {SIGNS[self]}= values[k]"
        if self in SIGNS
        else f"a[index[k]] = {called}(a[index[k]], values[k])"
    )
    instead = f"write the loop, as in `for k in range(index.size): {value}`"
    if self not in AT or len(b) != self.nin - 1:
        _refuse(f"{called}.at", instead)
    parts = indices if isinstance(indices, tuple) else (indices,)
    if any(isinstance(each, (slice, EllipsisType)) for each in parts):
        place = _places(a, 0, parts)
    else:
        arrays = tuple([as_array(each) for each in parts])
        place = arrays if isinstance(indices, tuple) else arrays[0]
    values = [as_array(each) for each in b]
    overloaded(AT[self], f"`{called}.at` {LACKING}", instead)(a, place, *values)


def _places(a, axis, parts):
    """The index of `at` from an axis on: a slice becomes a tuple of its positions, of none if it is whole; dots are whole slices."""
    if len(parts) == 0:
        return ()
    first, rest = parts[0], parts[1:]
    if isinstance(first, EllipsisType):
        left = a.ndim - axis - _count(rest)
        return (*((),) * left, *_places(a, axis + left, rest))
    if isinstance(first, slice):
        is_whole = first.start is None and first.stop is None and first.step is None
        return (() if is_whole else (np.arange(a.shape[axis])[first],), *_places(a, axis + 1, rest))
    return (as_array(first), *_places(a, axis + _count((first,)), rest))


def _count(parts):
    """How many axes of an array parts of an index go along."""
    if len(parts) == 0:
        return 0
    first = as_array(parts[0])
    if first is None:
        return _count(parts[1:])
    is_mask = not isinstance(first, slice) and has_array(first) and np.result_type(first).kind == "b"
    return (first.ndim if is_mask else 1) + _count(parts[1:])


def _turned(array, axis):
    """The array with an axis as its first one."""
    return array if axis == 0 else np.moveaxis(array, axis, 0)


def _one_axis(more, options):
    """The axis that a call names, or the first one, if it asks for nothing else; else None."""
    if len(more) + len(options) > 1 or (len(options) == 1 and "axis" not in options):
        return None
    axis = more[0] if len(more) > 0 else options.get("axis", 0)
    return axis if is_known(axis) and isinstance(axis, int) else None


def _refuse(called: str, instead: str) -> NoReturn:
    refuse(f"`{called}` {LACKING}", instead, "BS109")


def _refuse_alone(called: str) -> None:
    _refuse(called, f"call it with the arrays alone, {called}(...), and convert or store the result")
