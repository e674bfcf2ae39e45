"""Array functions of one number: its sum, its mean, its largest entry."""

import numpy as np

from tests.zoo.case import case, vector


@case(1.5)
def sums_and_means(x):
    return np.sum(x) * x + np.mean(x * x) * np.prod(x)


@case(1.5)
def extremes(x):
    return np.max(x) * np.min(x) * x


@case(1.5)
def of_whole_numbers_and_bools(x):
    return np.sum(3) * x + np.mean(2) * x * x + np.max(4) * x + np.sum(x > 1.0) * x


@case(1.5)
def spread_and_size(x):
    return np.std(x) * x + np.size(x) * x * x + len(np.shape(x)) * x


@case(1.5)
def as_arrays(x):
    return np.asarray(x) * x + np.array(x) * np.sum(x, axis=0)


@case(1.5)
def repeated(x):
    return np.repeat(x, 3).sum() * x + np.sum(np.broadcast_to(x, (2, 3)) ** 2)


@case(vector(3))
def of_elements(v):
    s = 0.0
    for i in range(v.size):
        s += np.sum(v[i]) * np.max(v[i]) + np.sum(v[..., i])
    return s


@case(1.0 + 2.0j)
def of_a_complex_number(z):
    return abs(np.sum(z) * np.mean(z))


@case(1.5)
@case(np.float32(1.5))
def extremes_by_other_names(x):
    return np.amax(x) * np.amin(x) * x + np.nanmax(x) * np.nanmin(x)


@case(1.5)
@case(np.float32(1.5))
def array_of_one_entry(x):
    return np.ascontiguousarray(x) * np.asfortranarray(2.0 * x)[0]


@case(vector(4), np.array([2, 0, 3, 1]))
def choices_that_are_added_up(x, counts):
    total = 0.0
    for v, n in zip(x, counts, strict=True):
        total += np.where(v > 0.5, v * v, n)
        total -= np.where(n > 1, 2.0, 1) * v
        total *= np.where(n, 1.5, True)
    return total


@case(vector(3))
def sorted_names(x):
    rates = {"b": x[0], "a": x[1], "c": 2.0}
    total = 0.0
    for place, (name, rate) in enumerate(sorted(rates.items(), reverse=True)):
        total += (place + 1) * rate * len(name)
    return total * sorted([("z", x[2]), ("y", x[1])])[0][1]


@case(0.7)
@case(0.3)
def chosen_without_axes(x):
    """`np.where` of arrays without axes is such an array in NumPy, and a number in Numba."""
    y = np.asarray(2.0 * x)
    chosen = np.where(y > 1, y * y, y)
    written = np.where(y > 1, 3, y)
    written[()] *= x
    return chosen[()] * x + written[()] * chosen[...]


@case(0.7)
def converted_without_axes(x):
    y = np.asarray(2.0 * x)
    whole = y.astype(np.int64)
    return np.nan_to_num(y) * y.astype(np.complex128).real * x + (y > 1).astype(np.float64) * whole * y
