"""What stands for a list in the result of a function: arrays, of which the caller's list is made again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, type_callable
from numba.np.numpy_support import as_dtype
from numba.np.unsafe.ndarray import to_fixed_tuple

from backsweep.runtime.support.compiled import declared


@declared()
def as_list(values) -> list[Any]:
    """The list of the numbers in a vector."""
    found: list[Any] = values.tolist()
    return found


@overload(as_list)
def _as_list(values) -> Callable[..., Any]:  # noqa: ARG001
    def implementation(values):
        return [value for value in values]  # noqa: C416  Numba's `list` takes no array

    return implementation


@declared()
def as_arrays(parts) -> list[Any]:
    """The list of the arrays that lie one behind the other in a vector; beside it stand their extents, by axis."""
    entries, extents = parts
    found, start = [], 0
    for shape in zip(*extents, strict=True):
        stop = start + int(np.prod(shape))
        found.append(entries[start:stop].copy().reshape(shape))
        start = stop
    return found


@overload(as_arrays)
def _as_arrays(parts) -> Callable[..., Any]:
    ndim = len(parts[1])

    def implementation(parts):
        entries, extents = parts
        found = []
        start = 0
        for k in range(len(extents[0])):
            shape = to_fixed_tuple(np.array([each[k] for each in extents]), ndim)
            stop = start + np.array(shape).prod()
            found.append(entries[start:stop].copy().reshape(shape))
            start = stop
        return found

    return implementation


@declared()
def as_tuples(columns) -> list[Any]:
    """The list of the tuples whose items are in these vectors."""
    return list(zip(*(column.tolist() for column in columns), strict=True))


@overload(as_tuples)
def _as_tuples(columns) -> Callable[..., Any]:  # noqa: ARG001
    def implementation(columns):
        return [_row(columns, k) for k in range(len(columns[0]))]

    return implementation


def _row(columns, k):
    """What the columns have at `k`."""
    return tuple(column[k] for column in columns)


@overload(_row)
def _own_row(columns, k) -> Callable[..., Any]:  # noqa: ARG001
    is_last = len(columns) == 1

    def implementation(columns, k):
        return (columns[0][k],) if is_last else (columns[0][k], *_row(columns[1:], k))

    return implementation


@declared()
def unlisted(items):
    """What stands for a list in the result of a function: the inverse of `as_list`, `as_arrays` and `as_tuples`."""
    if items and isinstance(items[0], tuple):
        return tuple(np.array(column) for column in zip(*items, strict=True))
    if items and isinstance(items[0], np.ndarray):
        extents = [np.array(column) for column in zip(*(item.shape for item in items), strict=True)]
        return np.concatenate([item.ravel() for item in items]), tuple(extents)
    return np.array(items)


def type_unlisted(item):
    """Numba's type of what stands for a list with items of this type."""
    row = types.Array(types.int64, 1, "C")
    if isinstance(item, types.Array):
        return types.Tuple((types.Array(item.dtype, 1, "C"), types.UniTuple(row, item.ndim)))
    if isinstance(item, types.BaseTuple) and len(item) > 0:
        return types.BaseTuple.from_types(tuple(type_unlisted(types.unliteral(each)) for each in item))
    return types.Array(item, 1, "C")


@type_callable(unlisted)
def _unlisted(_) -> Callable[..., Any]:
    """The type alone: the compiler writes the arrays out (`backsweep.legalise.lists`)."""
    return lambda items: type_unlisted(items.dtype)


class _Nothing(np.ndarray[Any, Any]):
    """What stands for an empty list where nobody knows what it would hold: an array, and all of its parts."""

    def __getitem__(self, _):
        return self


def nothing_listed(type_):
    """What stands for an empty list of this type of Numba's; None if nobody knows the type."""
    item = getattr(type_, "dtype", None)
    if item is None:
        return np.empty(0).view(_Nothing)
    if isinstance(item, types.Array):
        return np.empty(0, as_dtype(item.dtype)), (np.empty(0, np.int64),) * item.ndim
    if isinstance(item, types.BaseTuple):
        return tuple(np.empty(0, as_dtype(each)) for each in item)
    return np.empty(0, as_dtype(item))
