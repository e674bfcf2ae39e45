"""Kernels that gather and scatter entries, sort them, and tell which of several is the first or the last."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from backsweep.runtime.support.compiled import declared, kernel, shaped_like


@declared(writes=["x_bar"])
@kernel
def scatter_add(x_bar, index, y_bar) -> None:
    """Add `y_bar[k]` to `x_bar[index[k]]` for every k, one after the other: positions may repeat.

    `index` holds whole numbers and has one dimension; where `x_bar` has more, whole rows are added.
    """
    for position in range(index.shape[0]):
        x_bar[index[position]] += y_bar[position]


@shaped_like("x")
@kernel
def sort_pullback(y_bar, x):
    """The adjoint of `x` where `y = np.sort(x)` and `x` has one dimension."""
    order = np.argsort(x)
    x_bar = np.empty_like(x)
    for position in range(x.size):
        x_bar[order[position]] = y_bar[position]
    return x_bar


@shaped_like("x")
@kernel
def median_pullback(y_bar, x):
    """The adjoint of `x` where `y = np.median(x)`: the middle entry's, or a half for each of the two."""
    if x.size == 0:
        return np.zeros_like(x)
    order = np.argsort(x.ravel())
    x_bar = np.zeros(x.size, x.dtype)
    x_bar[order[(x.size - 1) // 2]] += 0.5 * y_bar
    x_bar[order[x.size // 2]] += 0.5 * y_bar
    if np.any(np.isnan(x)):
        x_bar[:] = np.nan  # as the value is
    return x_bar.reshape(x.shape)


@shaped_like("x")
@kernel
def repeat_pullback(y_bar, x, count: int):
    """The adjoint of `x` where `y = np.repeat(x, count)`, every entry the same number of times."""
    x_bar = np.zeros(x.size, x.dtype)
    for position in range(y_bar.size):
        x_bar[position // count] += y_bar[position]
    return x_bar.reshape(x.shape)


@shaped_like("x")
@kernel
def sort_rows_pullback(y_bar, x):
    """The adjoint of the matrix `x` where `y = np.sort(x)`, each row by itself."""
    x_bar = np.empty_like(x)
    for i in range(x.shape[0]):
        order = np.argsort(x[i])
        for j in range(x.shape[1]):
            x_bar[i, order[j]] = y_bar[i, j]
    return x_bar


@shaped_like("x")
@kernel
def unique_pullback(y_bar, x, y):
    """The adjoint of `x` where `y = np.unique(x)`: equal entries share the cotangent of theirs evenly."""
    entries = x.ravel()
    places = np.searchsorted(y, entries)
    count = np.zeros(y.size)
    for i in range(entries.size):
        count[places[i]] += 1.0
    x_bar = np.empty(x.size, x.dtype)
    for i in range(x.size):
        x_bar[i] = y_bar[places[i]] / count[places[i]]
    return x_bar.reshape(x.shape)


@shaped_like("x")
@kernel
def repeats_pullback(y_bar, x, counts):
    """The adjoint of the vector `x` where `y = np.repeat(x, counts)`, entry `i` `counts[i]` times, or each as often as the only count says."""
    x_bar = np.zeros_like(x)
    place = 0
    for i in range(x.size):
        for _ in range(counts[0 if counts.size == 1 else i]):
            x_bar[i] += y_bar[place]
            place += 1
    return x_bar


@shaped_like("x")
@kernel
def quantile_pullback(y_bar, x, q: float):
    """The adjoint of `x` where `y = np.quantile(x, q)`: shared by the two entries that `q` lies between."""
    if x.size == 0:
        return np.zeros_like(x)
    order = np.argsort(x.ravel())
    place = q * (x.size - 1)
    low = int(np.floor(place))
    high = min(low + 1, x.size - 1)
    share = place - low
    x_bar = np.zeros(x.size, x.dtype)
    x_bar[order[low]] += y_bar * (1.0 - share)
    x_bar[order[high]] += y_bar * share
    if np.any(np.isnan(x)):
        x_bar[:] = np.nan  # as the value is
    return x_bar.reshape(x.shape)


@kernel
def quantile_slope(x, q: float):
    """The derivative of `np.quantile(x, q)` by `q`: how far the two entries lie apart that `q` lies between."""
    if x.size < 2:
        return 0.0
    entries = np.sort(x.ravel())
    low = min(int(np.floor(q * (x.size - 1))), x.size - 2)
    slope = (x.size - 1.0) * (entries[low + 1] - entries[low])
    return np.nan if np.any(np.isnan(x)) else slope


@shaped_like("places")
@kernel
def bincount_pullback(y_bar, places):
    """The adjoint of `weights` where `y = np.bincount(places, weights)`."""
    weights_bar = np.empty(places.size, y_bar.dtype)
    for i in range(places.size):
        weights_bar[i] = y_bar[places[i]]
    return weights_bar


@kernel
def any_outside(index, length: int) -> bool:
    """Whether a position in the index array is none of an axis of this length, counted from either end."""
    found = False
    for position in np.ravel(index):
        found = found or position >= length or position < -length
    return found


@declared(shaped_like="t")
def first_among(t):
    """Whether an entry is the first that holds."""
    return _one_among(t, 0)


@declared(shaped_like="t")
def last_among(t):
    """Whether an entry is the last that holds."""
    return _one_among(t, -1)


def _one_among(t, which: int):
    """Whether an entry is a certain one of those that hold."""
    found = np.zeros(np.shape(t), np.bool_)
    places = np.flatnonzero(t)
    if places.size:
        found[np.unravel_index(places[which], np.shape(t))] = True
    return found[()]


def _overload_among(function, which: int) -> None:
    """The same for Numba."""

    def of_a_number(t):
        return t

    def of_an_array(t):
        found = np.zeros(t.shape, np.bool_)
        places = np.flatnonzero(t)
        if places.size:
            for count, place in enumerate(np.ndindex(t.shape)):
                found[place] = count == places[which]
        return found

    @overload(function)
    def typed(t):
        return of_an_array if isinstance(t, types.Array) else of_a_number


_overload_among(first_among, 0)
_overload_among(last_among, -1)
