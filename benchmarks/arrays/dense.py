"""Dense decompositions in place, products of matrices and vectors."""

from __future__ import annotations

import numba
import numpy as np

from benchmarks.arrays.kernel import Kernel, by_size


def cholesky_arrays(matrix):
    a = matrix.copy()
    n = a.shape[0]
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, n):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])
    return np.sum(np.tril(a))


def cholesky_scratch(matrix):
    n = matrix.shape[0]
    a = matrix.copy()
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(a[i, i])
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            total += a[i, j]
    return total


@numba.njit
def partial_dot(a, i, j, count):
    total = 0.0
    for k in range(count):
        total += a[i, k] * a[j, k]
    return total


def cholesky_scalars(matrix):
    n = matrix.shape[0]
    lower = np.zeros((n, n))
    total = 0.0
    for i in range(n):
        for j in range(i):
            entry = (matrix[i, j] - partial_dot(lower, i, j, j)) / lower[j, j]
            lower[i, j] = entry
            total += entry
        corner = np.sqrt(matrix[i, i] - partial_dot(lower, i, i, i))
        lower[i, i] = corner
        total += corner
    return total


def lu_arrays(matrix):
    a = matrix.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[:j, j].copy())
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= np.dot(a[i, :i], a[:i, j].copy())
    return np.sum(a)


def lu_scratch(matrix):
    a = matrix.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += a[i, j]
    return total


@numba.njit
def row_by_column(a, i, j, count):
    total = 0.0
    for k in range(count):
        total += a[i, k] * a[k, j]
    return total


def lu_scalars(matrix):
    a = matrix.copy()
    n = a.shape[0]
    total = 0.0
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - row_by_column(a, i, j, j)) / a[j, j]
            total += a[i, j]
        for j in range(i, n):
            a[i, j] = a[i, j] - row_by_column(a, i, j, i)
            total += a[i, j]
    return total


def positive_definite(n):
    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    factor = np.where(j < i, 2.0 - j / n, 0.0)
    factor[:, 0] = 1.0
    factor[np.arange(n), np.arange(n)] = 1.0
    return (factor @ factor.T,)


def k2mm_arrays(alpha, beta, a, b, c, d):
    out = alpha * a @ b @ c + beta * d
    return np.sum(out * out)


def k2mm_scratch(alpha, beta, a, b, c, d):
    rows, inner = a.shape
    middle = b.shape[1]
    columns = c.shape[1]
    product = np.zeros((rows, middle))
    out = np.zeros((rows, columns))
    for i in range(rows):
        for k in range(inner):
            for j in range(middle):
                product[i, j] += alpha * a[i, k] * b[k, j]
    for i in range(rows):
        for j in range(columns):
            out[i, j] = beta * d[i, j]
        for k in range(middle):
            for j in range(columns):
                out[i, j] += product[i, k] * c[k, j]
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += out[i, j] * out[i, j]
    return total


def k2mm_scalars(alpha, beta, a, b, c, d):
    rows, inner = a.shape
    middle, columns = c.shape
    product = np.zeros(middle)
    total = 0.0
    for i in range(rows):
        for k in range(middle):
            along = 0.0
            for j in range(inner):
                along += a[i, j] * b[j, k]
            product[k] = alpha * along
        for j in range(columns):
            out = beta * d[i, j]
            for k in range(middle):
                out += product[k] * c[k, j]
            total += out * out
    return total


def k2mm_instance(rows, middle, inner, columns):
    rng = np.random.default_rng(42)
    shapes = ((rows, inner), (inner, middle), (middle, columns), (rows, columns))
    return 1.5, 1.2, *(rng.random(shape) for shape in shapes)


def atax_arrays(a, x):
    y = (a @ x) @ a
    return np.sum(y * y)


def atax_scratch(a, x):
    rows, columns = a.shape
    first = np.zeros(rows)
    y = np.zeros(columns)
    for i in range(rows):
        for j in range(columns):
            first[i] += a[i, j] * x[j]
    for i in range(rows):
        for j in range(columns):
            y[j] += a[i, j] * first[i]
    total = 0.0
    for j in range(columns):
        total += y[j] * y[j]
    return total


def atax_scalars(a, x):
    rows, columns = a.shape
    y = np.zeros(columns)
    for i in range(rows):
        along = 0.0
        for j in range(columns):
            along += a[i, j] * x[j]
        for j in range(columns):
            y[j] += a[i, j] * along
    total = 0.0
    for entry in y:
        total += entry * entry
    return total


def atax_instance(rows, columns):
    rng = np.random.default_rng(42)
    return rng.random((rows, columns)), rng.random(columns)


def bicg_arrays(a, p, r):
    s = r @ a
    q = a @ p
    return np.sum(s * s) + np.sum(q * q)


def bicg_scratch(a, p, r):
    rows, columns = a.shape
    s = np.zeros(columns)
    q = np.zeros(rows)
    for i in range(rows):
        for j in range(columns):
            s[j] += r[i] * a[i, j]
            q[i] += a[i, j] * p[j]
    return np.sum(s * s) + np.sum(q * q)


def bicg_scalars(a, p, r):
    rows, columns = a.shape
    s = np.zeros(columns)
    total = 0.0
    for i in range(rows):
        along = 0.0
        for j in range(columns):
            entry = a[i, j]
            s[j] += r[i] * entry
            along += entry * p[j]
        total += along**2
    for j in range(columns):
        total += s[j] ** 2
    return total


def bicg_instance(rows, columns):
    rng = np.random.default_rng(42)
    return rng.random((rows, columns)), rng.random(columns), rng.random(rows)


def gemver_arrays(alpha, beta, matrix, u1, v1, u2, v2, y, z):
    a = matrix + np.outer(u1, v1) + np.outer(u2, v2)
    x = beta * (y @ a) + z
    w = alpha * (a @ x)
    return np.sum(w * w)


def gemver_scratch(alpha, beta, matrix, u1, v1, u2, v2, y, z):
    n = matrix.shape[0]
    a = np.empty((n, n))
    x = z.copy()
    w = np.zeros(n)
    for i in range(n):
        for j in range(n):
            a[i, j] = matrix[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    for i in range(n):
        for j in range(n):
            x[j] += beta * a[i, j] * y[i]
    for i in range(n):
        for j in range(n):
            w[i] += alpha * a[i, j] * x[j]
    total = 0.0
    for i in range(n):
        total += w[i] * w[i]
    return total


@numba.njit
def updated(matrix, u1, v1, u2, v2, i, j):
    return matrix[i, j] + u1[i] * v1[j] + u2[i] * v2[j]


def gemver_scalars(alpha, beta, matrix, u1, v1, u2, v2, y, z):
    n = len(z)
    x = np.empty(n)
    for j in range(n):
        along = 0.0
        for i in range(n):
            along += updated(matrix, u1, v1, u2, v2, i, j) * y[i]
        x[j] = beta * along + z[j]
    total = 0.0
    for i in range(n):
        along = 0.0
        for j in range(n):
            along += updated(matrix, u1, v1, u2, v2, i, j) * x[j]
        total += (alpha * along) ** 2
    return total


def gemver_instance(n):
    rng = np.random.default_rng(42)
    return 1.5, 1.2, rng.random((n, n)) / n, *(rng.random(n) for _ in range(6))


def gesummv_arrays(alpha, beta, a, b, x):
    y = alpha * a @ x + beta * b @ x
    return np.sum(y * y)


def gesummv_scratch(alpha, beta, a, b, x):
    n = a.shape[0]
    first = np.zeros(n)
    second = np.zeros(n)
    for i in range(n):
        for j in range(n):
            first[i] += a[i, j] * x[j]
            second[i] += b[i, j] * x[j]
    y = np.zeros(n)
    for i in range(n):
        y[i] = alpha * first[i] + beta * second[i]
    return np.sum(y * y)


def gesummv_scalars(alpha, beta, a, b, x):
    n = a.shape[0]
    total = 0.0
    for i in range(n):
        along = 0.0
        for j in range(n):
            along += (alpha * a[i, j] + beta * b[i, j]) * x[j]
        total += along * along
    return total


def gesummv_instance(n):
    rng = np.random.default_rng(42)
    return 1.5, 1.2, rng.random((n, n)), rng.random((n, n)), rng.random(n)


def trmm_arrays(alpha, a, matrix):
    b = matrix.copy()
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i].copy(), b[i + 1 :, j].copy())
    b *= alpha
    return np.sum(b * b)


def trmm_scratch(alpha, a, matrix):
    b = matrix.copy()
    rows, columns = b.shape
    for i in range(rows):
        for j in range(columns):
            for k in range(i + 1, rows):
                b[i, j] += a[k, i] * b[k, j]
            b[i, j] = alpha * b[i, j]
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += b[i, j] * b[i, j]
    return total


def trmm_scalars(alpha, a, matrix):
    rows, columns = matrix.shape
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            entry = matrix[i, j]
            for k in range(i + 1, rows):
                entry += a[k, i] * matrix[k, j]
            total += (alpha * entry) ** 2
    return total


def trmm_instance(rows, columns):
    rng = np.random.default_rng(42)
    return 1.5, rng.random((rows, rows)), rng.random((rows, columns))


def covariance_arrays(data):
    count = data.shape[0]
    centred = data - np.sum(data, axis=0) / count
    spread = centred.T @ centred / (count - 1.0)
    return np.sum(spread * spread)


def covariance_scratch(data):
    count, width = data.shape
    mean = np.zeros(width)
    for i in range(count):
        for j in range(width):
            mean[j] += data[i, j] / count
    centred = np.empty((count, width))
    for i in range(count):
        for j in range(width):
            centred[i, j] = data[i, j] - mean[j]
    spread = np.zeros((width, width))
    for k in range(count):
        for i in range(width):
            for j in range(width):
                spread[i, j] += centred[k, i] * centred[k, j] / (count - 1.0)
    return np.sum(spread * spread)


@numba.njit
def column_mean(data, j):
    total = 0.0
    for i in range(data.shape[0]):
        total += data[i, j]
    return total / data.shape[0]


def covariance_scalars(data):
    count, width = data.shape
    mean = np.empty(width)
    for j in range(width):
        mean[j] = column_mean(data, j)
    total = 0.0
    for i in range(width):
        for j in range(i, width):
            entry = 0.0
            for k in range(count):
                entry += (data[k, i] - mean[i]) * (data[k, j] - mean[j])
            entry /= count - 1.0
            total += entry**2 if i == j else 2.0 * entry**2
    return total


def covariance_instance(count, width):
    return (np.random.default_rng(42).random((count, width)),)


KERNELS = (
    Kernel(
        "cholesky",
        {"arrays": cholesky_arrays, "scratch": cholesky_scratch, "scalars": cholesky_scalars},
        positive_definite,
        by_size((5,), (100,), (300,)),
        (0,),
    ),
    Kernel(
        "lu",
        {"arrays": lu_arrays, "scratch": lu_scratch, "scalars": lu_scalars},
        positive_definite,
        by_size((5,), (60,), (220,)),
        (0,),
    ),
    Kernel(
        "k2mm",
        {"arrays": k2mm_arrays, "scratch": k2mm_scratch, "scalars": k2mm_scalars},
        k2mm_instance,
        by_size((2, 3, 4, 5), (150, 160, 170, 180), (400, 450, 500, 550)),
        (0, 1, 2, 3, 4, 5),
    ),
    Kernel(
        "atax",
        {"arrays": atax_arrays, "scratch": atax_scratch, "scalars": atax_scalars},
        atax_instance,
        by_size((4, 5), (1000, 1250), (2000, 2500)),
        (0, 1),
    ),
    Kernel(
        "bicg",
        {"arrays": bicg_arrays, "scratch": bicg_scratch, "scalars": bicg_scalars},
        bicg_instance,
        by_size((4, 5), (1000, 1250), (2000, 2500)),
        (0, 1, 2),
    ),
    Kernel(
        "gemver",
        {"arrays": gemver_arrays, "scratch": gemver_scratch, "scalars": gemver_scalars},
        gemver_instance,
        by_size((5,), (700,), (1500,)),
        (2, 3, 4, 5, 6, 7, 8),
    ),
    Kernel(
        "gesummv",
        {"arrays": gesummv_arrays, "scratch": gesummv_scratch, "scalars": gesummv_scalars},
        gesummv_instance,
        by_size((5,), (700,), (1500,)),
        (0, 1, 2, 3, 4),
    ),
    Kernel(
        "trmm",
        {"arrays": trmm_arrays, "scratch": trmm_scratch, "scalars": trmm_scalars},
        trmm_instance,
        by_size((4, 5), (65, 80), (200, 250)),
        (0, 1, 2),
    ),
    Kernel(
        "covariance",
        {"arrays": covariance_arrays, "scratch": covariance_scratch, "scalars": covariance_scalars},
        covariance_instance,
        by_size((5, 4), (160, 200), (500, 600)),
        (0,),
    ),
)
