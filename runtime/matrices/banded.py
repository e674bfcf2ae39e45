"""Systems with banded matrices, which are given by their diagonals: `ab[upper + i - j, j]` is the entry in row i and column j."""

from __future__ import annotations

import numpy as np

from backsweep.runtime.support.compiled import kernel, shaped_like


@shaped_like("b")
@kernel
def banded_solution(ab, b, lower: int, upper: int):
    """The solution of a system whose matrix has `lower` diagonals below the main one and `upper` above; the largest pivot is taken."""
    n = ab.shape[1]
    if ab.shape[0] != lower + upper + 1:
        raise ValueError(
            "invalid values for the number of lower and upper diagonals: ab must have one row for each"
        )
    if b.shape[0] != n:
        raise ValueError("the right side must have as many rows as the matrix")
    kind = (np.ones(1, ab.dtype) / np.ones(1, b.dtype)).dtype  # of both, or floats for whole numbers
    rows = np.zeros((n, 2 * lower + upper + 1), kind)
    for i in range(n):
        for j in range(max(0, i - lower), min(n, i + upper + 1)):
            rows[i, j - i + lower] = ab[upper + i - j, j]
    x = np.empty(b.shape, kind)
    x[:] = b
    sides = x.reshape((n, x.size // max(n, 1)))
    for k in range(n):
        last = min(n, k + lower + 1)
        best = k
        for i in range(k + 1, last):
            if abs(rows[i, k - i + lower]) > abs(rows[best, k - best + lower]):
                best = i
        if rows[best, k - best + lower] == 0.0:
            raise np.linalg.LinAlgError("singular matrix")
        end = min(n, k + lower + upper + 1)
        if best != k:
            for j in range(k, end):
                one, other = j - k + lower, j - best + lower
                rows[k, one], rows[best, other] = rows[best, other], rows[k, one]
            for j in range(sides.shape[1]):
                sides[k, j], sides[best, j] = sides[best, j], sides[k, j]
        for i in range(k + 1, last):
            factor = rows[i, k - i + lower] / rows[k, lower]
            for j in range(k, end):
                rows[i, j - i + lower] -= factor * rows[k, j - k + lower]
            for j in range(sides.shape[1]):
                sides[i, j] -= factor * sides[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(sides.shape[1]):
            for i in range(k + 1, min(n, k + lower + upper + 1)):
                sides[k, j] -= rows[k, i - k + lower] * sides[i, j]
            sides[k, j] /= rows[k, lower]
    return x


@shaped_like("ab")
@kernel
def banded_transposed(ab, lower: int, upper: int):
    """The diagonals of the transposed matrix."""
    y = np.zeros_like(ab)
    for i in range(ab.shape[1]):
        for j in range(max(0, i - lower), min(ab.shape[1], i + upper + 1)):
            y[lower + j - i, i] = ab[upper + i - j, j]
    return y


@shaped_like("b")
@kernel
def banded_product(ab, b, lower: int, upper: int):
    """The product of a banded matrix with a vector or a matrix."""
    y = np.zeros_like(b)
    n = ab.shape[1]
    for i in range(n):
        for j in range(max(0, i - lower), min(n, i + upper + 1)):
            y[i] += ab[upper + i - j, j] * b[j]
    return y


@kernel
def banded_outer(y, x, lower: int, upper: int):
    """The diagonals of the outer product of two vectors, or of the product of a matrix with a transposed one."""
    n = y.shape[0]
    kind = (np.ones(1, y.dtype) * np.ones(1, x.dtype)).dtype
    ab = np.zeros((lower + upper + 1, n), kind)
    for i in range(n):
        for j in range(max(0, i - lower), min(n, i + upper + 1)):
            ab[upper + i - j, j] = np.sum(y[i] * x[j])
    return ab


@kernel
def both_sides(ab, lower: bool):
    """The diagonals of a symmetric or Hermitian matrix that is given by those above the main one, or below it."""
    upper = ab.shape[0] - 1
    n = ab.shape[1]
    whole = np.zeros((2 * upper + 1, n), ab.dtype)
    for k in range(upper + 1):
        for j in range(n - k):
            entry = ab[k, j] if lower else np.conj(ab[upper - k, j + k])
            whole[upper + k, j] = entry if k else np.real(entry)
            whole[upper - k, j + k] = np.conj(entry) if k else np.real(entry)
    return whole


@kernel
def is_definite(whole, upper: int) -> bool:
    """Whether a symmetric or Hermitian matrix is positive definite, as elimination without exchanges finds."""
    n = whole.shape[1]
    left = whole / np.ones(1, whole.dtype)  # floats, also of whole numbers
    for k in range(n):
        pivot = np.real(left[upper, k])
        if not pivot > 0.0:
            return False
        end = min(n, k + upper + 1)
        for i in range(k + 1, end):
            factor = left[upper + i - k, k] / pivot
            for j in range(k + 1, end):
                left[upper + i - j, j] -= factor * left[upper + k - j, j]
    return True
