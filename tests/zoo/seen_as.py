"""What arrays tell of their memory, and arrays seen as numbers of another type."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(4))
def signs_from_bits(x):
    bits = (x - 0.6).view(np.int64)
    total = 0.0
    for k in range(x.size):
        if bits[k] < 0:
            total += x[k] ** 3
        else:
            total += 2.0 * x[k]
    return total


@case(vector(3))
def bytes_of_whole_numbers(x):
    bytes_ = np.arange(3, dtype=np.int64).view(np.uint8).reshape(3, 8)
    return np.sum(x * x * bytes_[:, 0])


@case(vector(4))
def floats_from_constant_bits(x):
    bits = np.array([0.5, 2.0]).view(np.int64)
    scales = (bits + 0).view(np.float64)
    return x[0] * x[1] * scales[0] + x[2] ** 2 * scales[1]


@case(vector(4))
def numbers_of_parts(x):
    z = (x * x).view(np.complex128)
    return (z[0] * z[1]).real + np.sum(z.imag)


@case(matrix(2, 3))
def flags_of_layouts(a):
    total = 0.0
    if a.flags.c_contiguous and a.T.flags.f_contiguous:
        total += a[0, 0] ** 2
    if a.flags.f_contiguous:
        total += 5.0 * a[0, 1]
    if a[:1].copy().flags.f_contiguous and not a.T.flags.contiguous:
        total += a[1, 1] ** 3
    if a.flags.forc and not a.flags.fnc:
        total += a[1, 2] * a[0, 2]
    if a.flags["C_CONTIGUOUS"] and not a.flags["F"]:
        total += a[0, 0] * a[1, 0]
    return total


@case(matrix(2, 3))
def strides_of_rows(a):
    return a[0, 1] ** 2 * a.strides[0] + a[1, 0] * a.T.strides[1] / a.strides[1]


@case(vector(3), vector(3, 1))
def ravelled_by_columns_and_written(x, y):
    a = np.outer(x, y)
    columns = np.ravel(a, order="F")
    columns[1] = 3.0 * x[1] * y[0]
    return np.sum(a * a) + np.sum(columns**3)


@case(vector(3), vector(3, 1))
def ravelled_transposed_by_columns_and_written(x, y):
    a = np.outer(x, y)
    same = np.ravel(a.T, order="F")
    same[1] = 3.0 * x[1] * y[0]
    return np.sum(a * a) + np.sum(same**3)


@case(vector(5))
def windows_by_strides(x):
    pairs = np.lib.stride_tricks.as_strided(x, shape=(4, 2), strides=(8, 8))
    every = np.lib.stride_tricks.as_strided(x * x, (3,), (2 * x.strides[0],))
    return np.sum(pairs[:, 0] * pairs[:, 1] ** 2) + every[0] * every[2]


def _squares(x):
    if isinstance(x, (float, np.floating)):
        return x * x
    return np.sum(x * x)


@case(0.7, vector(4))
def of_one_of_several_kinds(x, y):
    """The calls wait for the types of what is computed, while the tuples of classes are there."""
    kinds = (float, np.floating)
    spread = np.ptp(np.sort(y * x))
    total = _squares(x) + _squares(y) * np.mean(np.histogram(y, 3)[1])
    return total * spread if isinstance(x, kinds) else total
