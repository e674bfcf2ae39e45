"""`logsumexp`, `softmax` and `log_softmax` of `scipy.special`, of all entries of an array or along an axis."""

from __future__ import annotations

import math

import numpy as np

from backsweep.runtime.support.compiled import declared, kernel
from backsweep.runtime.transforms.lines import split_at, with_extent


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
