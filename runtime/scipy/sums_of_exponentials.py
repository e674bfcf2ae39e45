"""`logsumexp`, `softmax` and `log_softmax` of `scipy.special`, of all entries of an array or along an axis."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.runtime.scipy.instead import Implementation, instead
from backsweep.runtime.scipy.instead import register as register_instead
from backsweep.runtime.support.compiled import declared, kernel
from backsweep.runtime.support.marks import stop_gradient
from backsweep.runtime.transforms.lines import split_at, with_extent


def register() -> None:
    """Tell Numba of these functions."""
    register_instead("scipy.special._logsumexp")


@kernel
def log_of_sum(x):
    """Logarithm of the sum of the exponentials of all entries."""
    largest = -math.inf
    for entry in x.flat:
        if not entry <= largest:  # the first that is nan stays
            largest = entry
            if math.isnan(entry):
                return entry
    if math.isinf(largest):
        return largest
    total = 0.0
    for entry in x.flat:
        total += math.exp(entry - largest)
    return largest + math.log(total)


@declared(along="axis")
@kernel
def log_of_sums(x, axis: int):
    """Logarithm of the sums of the exponentials along an axis, which stays with an extent of one."""
    result = np.empty(with_extent(x.shape, axis, 1), x.dtype)
    entries, sums = split_at(x, axis), split_at(result, axis)
    for i in range(sums.shape[0]):
        for j in range(sums.shape[2]):
            sums[i, 0, j] = log_of_sum(entries[i, :, j])
    return sums.reshape(result.shape)


@declared(along="axis")
@kernel
def sums_along(x, axis: int):
    """The sums along an axis, which stays with an extent of one."""
    result = np.zeros(with_extent(x.shape, axis, 1), x.dtype)
    entries, sums = split_at(x, axis), split_at(result, axis)
    for i in range(sums.shape[0]):
        for j in range(sums.shape[2]):
            sums[i, 0, j] = np.sum(entries[i, :, j])
    return sums.reshape(result.shape)


@declared(shaped_like="x")
@kernel
def spread_sums(x, axis: int):
    """The sums along an axis, at every place along it."""
    entries = split_at(x, axis)
    result = np.empty(entries.shape, x.dtype)
    for i in range(entries.shape[0]):
        for j in range(entries.shape[2]):
            result[i, :, j] = np.sum(entries[i, :, j])
    return result.reshape(x.shape)


@declared(shaped_like="x")
@kernel
def shares(x):
    """The exponentials of all entries, divided by their sum."""
    result = np.exp(x - np.max(x))
    return result / np.sum(result)


@declared(shaped_like="x")
@kernel
def shares_along(x, axis: int):
    """The exponentials of the entries, divided by their sums along an axis."""
    entries = split_at(x, axis)
    result = np.empty(entries.shape, x.dtype)
    for i in range(entries.shape[0]):
        for j in range(entries.shape[2]):
            result[i, :, j] = shares(entries[i, :, j])
    return result.reshape(x.shape)


@declared(shaped_like="x")
@kernel
def log_shares(x):
    """The logarithms of `shares`; where the largest entry is infinite, nothing is subtracted first, as in SciPy."""
    largest = np.max(x)
    shifted = x - (largest if np.isfinite(largest) else 0.0)
    return shifted - np.log(np.sum(np.exp(shifted)))


@declared(shaped_like="x")
@kernel
def log_shares_along(x, axis: int):
    """The logarithms of `shares_along`."""
    entries = split_at(x, axis)
    result = np.empty(entries.shape, x.dtype)
    for i in range(entries.shape[0]):
        for j in range(entries.shape[2]):
            result[i, :, j] = log_shares(entries[i, :, j])
    return result.reshape(x.shape)


@instead(sp.logsumexp, "a", "b")
def _logsumexp(
    a, axis=None, b=None, keepdims: bool = False, return_sign: bool = False
) -> Implementation | str:
    def of_all(a):
        return log_of_sum(a)

    def weighted(a, b):
        largest = stop_gradient(log_of_sum(a))
        shift = largest if np.isfinite(largest) else 0.0
        return np.log(np.sum(b * np.exp(a - shift))) + shift

    def weighted_along(a, b):
        a = a + 0.0 * np.isnan(b)  # with the axes of the weights
        largest = stop_gradient(log_of_sums(a, axis))
        shift = np.where(np.isfinite(largest), largest, 0.0)
        return np.log(np.sum(b * np.exp(a - shift), axis)) + np.sum(shift, axis)

    def weighted_along_kept(a, b):
        a = a + 0.0 * np.isnan(b)
        largest = stop_gradient(log_of_sums(a, axis))
        shift = np.where(np.isfinite(largest), largest, 0.0)
        return np.log(sums_along(b * np.exp(a - shift), axis)) + shift

    def along(a):
        return np.sum(log_of_sums(a, axis), axis)

    def along_kept(a):
        return log_of_sums(a, axis)

    def of_two_kept(a):
        return log_of_sums(log_of_sums(a, first), second)

    def of_two(a):
        return np.sum(np.sum(log_of_sums(log_of_sums(a, first), second), first), second)

    if return_sign:
        return "`return_sign` of `logsumexp` is not supported: take the logarithm of the sum with its sign yourself"
    if axis is None:
        if keepdims:
            return "`keepdims` of `logsumexp` needs an axis"
        return of_all if b is None else weighted
    if not isinstance(axis, int):
        axes = tuple(sorted(axis, reverse=True))
        if b is not None or len(axes) != 2 or (axes[0] >= 0) != (axes[1] >= 0):
            return "`logsumexp` is supported along two axes of one sign, without `b`: call it for each axis"
        first, second = axes if axes[0] >= 0 else axes[::-1]
        return of_two_kept if keepdims else of_two
    if b is not None:
        return weighted_along_kept if keepdims else weighted_along
    return along_kept if keepdims else along


@instead(sp.softmax, "x")
def _softmax(x, axis=None) -> Implementation | str:
    def along(x):
        return shares_along(x, axis)

    def along_each(x):
        total = x
        for each in axis:
            total = log_of_sums(total, each)
        return np.exp(x - total)

    return along_each if isinstance(axis, tuple) else shares if axis is None else along


@instead(sp.log_softmax, "x")
def _log_softmax(x, axis=None) -> Implementation | str:
    def along(x):
        return log_shares_along(x, axis)

    def along_each(x):
        total = x
        for each in axis:
            total = log_of_sums(total, each)
        return x - total

    return along_each if isinstance(axis, tuple) else log_shares if axis is None else along
