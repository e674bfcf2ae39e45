"""Scans, orders, diagonals, joins and turns of arrays, in the forms that Numba has."""

import numpy as np

from tests.zoo.case import case, matrix, positive_definite, transposed, vector, window

CUBE = np.linspace(0.2, 1.3, 24).reshape(2, 3, 4)
W = np.linspace(0.5, 2.0, 12).reshape(3, 4)
V = np.linspace(0.5, 2.0, 6)
GRID = np.array([0.0, 0.5, 1.0, 2.0, 3.0])


@case(vector(6), matrix(3, 4))
def running(x, a):
    s = np.sum(np.cumsum(x) ** 2) + np.sum(np.cumsum(a) ** 2) + np.sum(np.cumsum(a, 0) ** 2)
    return s + np.sum(np.cumsum(a, axis=-1) ** 3) + np.sum(np.cumprod(x) * V) + np.sum(np.cumprod(a) ** 2)


@case(vector(6), matrix(3, 4))
def differences(x, a):
    return (
        np.sum(np.diff(x, 2) ** 2)
        + np.sum(np.diff(x, n=1) ** 3)
        + np.sum(np.diff(a) ** 2)
        + x @ np.append(np.ediff1d(x), 1.0)
    )


@case(matrix(3, 4), vector(3))
def diagonals(a, x):
    s = np.trace(a, 1) ** 2 + np.trace(a, offset=-1) * a.trace()
    s += np.sum(np.diag(a, 1) ** 2) + np.sum(np.diag(a, -1) ** 3)
    return s + np.sum(np.diag(x) @ a) + np.sum(np.diag(x, k=-1) ** 2)


@case(matrix(3, 4))
@case(transposed(3, 4))
def triangles_and_turns(a):
    s = np.sum(np.tril(a) * W) + np.sum(np.triu(a, 1) * W) + np.sum(np.tril(a, k=-1) ** 2)
    return s + np.sum(np.rot90(a) ** 2 * W.T) + np.sum(np.rot90(a, 2) * W) + np.sum(np.roll(a, 2) * W)


@case(CUBE)
def cube_flipped(c):
    return np.sum(np.flip(c) * c * c) + np.sum(np.fliplr(c) * c) + np.sum(np.flipud(c) ** 2 * c)


@case(matrix(3, 4), vector(6))
def in_order(a, x):
    order = np.argsort(x)
    y = x * x
    y.sort()
    s = np.sum(np.sort(a) * W) + np.sum(x[order] * V) + np.sum(y * V) + np.median(x) ** 2
    for i in range(3):
        s += a[i, np.argmax(a[i])] ** 2 * a[i, a[i].argmin()]
    return s + np.quantile(x, 0.7) ** 2 + np.percentile(a, 30.0)


@case(np.array([0.3, 0.9, 0.1, 0.5]))
def distinct(x):
    return np.sum(np.repeat(x, np.array([1, 0, 3, 2])) ** 2) + np.sum(np.unique(x * x) * V[:4])


@case(vector(5))
def permuted(x):
    np.random.seed(1)
    order = np.random.permutation(5)
    y = np.random.permutation(x * x)
    np.random.shuffle(y)
    return np.sum(x[order] * y)


@case(0.8, np.array([0.2, 1.4, 0.7]), np.array([0.0, 0.55, 1.1, 2.0, 3.0]), vector(5))
def interpolated(x, z, points, values):
    k = np.searchsorted(points, z, side="right") - 1
    t = (z - points[k]) / (points[k + 1] - points[k])
    by_hand = values[k] * (1.0 - t) + values[k + 1] * t
    return (
        np.interp(x, points, values) ** 2
        + np.sum(by_hand * np.interp(z, points, values))
        + np.interp(x, GRID, values)
    )


@case(0.3, 1.7)
def ranges(a, b):
    s = np.sum(np.linspace(a, b, num=4) ** 3) + np.sum(np.linspace(0.0, b, 7) * a) + np.linspace(a, b)[7]
    s += np.sum(np.arange(a, 3.9) ** 2) + np.sum(np.arange(3) * a) + np.sum(np.arange(1, 7, 2) * b)
    return s + np.sum(np.full((2, 3), b) ** 2) + np.sum(np.full_like(np.ones(4), a * b))


@case(matrix(3, 4), vector(4), vector(3))
def joined(a, row, column):
    s = np.sum(np.column_stack((a, column)) ** 3) + np.sum(np.vstack((row, a[0])) ** 2 * 0.5)
    s += np.sum(np.hstack((row, column)) ** 2) + np.sum(np.dstack((a, a * a)) ** 2) + np.append(a, row)[13]
    return s + np.sum(np.stack((a, a * a), 2)[1] ** 2) + np.sum(np.concatenate((a, a * row), axis=-1) ** 3)


@case(vector(5), vector(3))
def orders_of_norms(x, y):
    s = np.linalg.norm(x, 1) * np.linalg.norm(x, np.inf) + np.linalg.norm(x, 3)
    return s + np.sum(np.correlate(x, y) ** 2) + np.sum(np.bincount(np.array([0, 1, 1, 2, 0]), x) ** 2)


@case(positive_definite(3), vector(6))
def extremes_of_array(a, x):
    return np.amax(a) * np.amin(x) + np.ptp(x) + x[np.nanargmin(x)] ** 2


@case(matrix(5, 3))
@case(transposed(5, 3))
@case(window(5, 3))
def spread_of_columns(x):
    centred = x - np.sum(x, axis=0) / x.shape[0]
    return np.sum((centred.T @ centred) ** 2 * 0.1)


@case(matrix(4, 3), vector(4))
def kernel_of_rows(x, y):
    gram = np.exp(0.1 * np.dot(x, x.T)) + np.eye(4)
    return y @ np.linalg.solve(gram, y)


@case(vector(2))
def rows_turned_and_reshaped(x):
    """Numba compiles no copy of an array in Fortran's order: it would raise."""
    return np.sum(np.vstack((x, x * x)).T.reshape(4, -1) ** 2 * np.arange(4.0).reshape(4, 1))


@case(transposed(3, 4))
@case(matrix(3, 4))
def turned_and_flat(a):
    w = np.arange(12.0)
    s = np.sum(a.T.reshape(-1) * w) * np.sum(a.reshape(a.size) * w)
    for k in range(2):
        s += np.sum(np.exp(a * k).T.reshape(2, 6) ** 2)
    return s


@case(matrix(3, 3))
@case(transposed(3, 3))
def turned_in_each_round(a):
    """A loop that carries rows, and whose adjoint comes in Fortran's order."""
    while a[1, 1] < 9.0:
        a = (a * 2.0).T
    return np.sum(np.sin(a))


@case(matrix(2, 3))
def methods_with_options(a):
    """The builtin `abs`, one bound, a shape of a part, and a conversion that is none."""
    own = a * 1.0
    same = own.astype(float, copy=False)
    same[0, 0] = 3.0 * a[1, 1]
    turned = a[::-1].reshape(3, 2)
    return np.sum(abs(a - 0.5) * own) + np.sum(turned[0] ** 2) + np.sum(a[:, ::2].reshape(-1).clip(0.2) ** 2)


@case(matrix(2, 3), 2, 1)
@case(matrix(2, 3), 3, 0)
def parts_along_any_axis(a, n, axis):
    s = 0.0
    if a.shape[axis - 2] > 2:
        for part in np.array_split(a, (1, n), axis):
            s += np.sum(part) * np.sum(part * part)
        first, second = np.array_split(a, 2, axis - 2)[:2]
        s += np.sum(first) * np.sum(second)
    return s * np.moveaxis(a, axis, 0)[0, 1]


@case(vector(4), 3)
def numbers_in_a_range_of_any_step(x, n):
    s = 0.0
    for k in range(4):
        if k in range(n, -1, -2) or x[k] * 0.0 + k in range(0, n, n):
            s += x[k] ** 2
        elif (k + x[0] * 0j) in range(0, 5, 2):
            s += x[k] ** 3
    return s
