"""Text that stands for `toeplitz` and its like, and for the solvers of Sylvester's and Lyapunov's equations, of `scipy.linalg`.

These equations are solved as one dense system for all entries, which suits matrices of a few dozen rows.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from backsweep.runtime.matrices import factors  # noqa: F401  it enters what stands for other functions
from backsweep.runtime.scipy.instead import Implementation, always, instead
from backsweep.runtime.support.compiled import kernel


def register() -> None:
    """Nothing is left to do: `matrices` of `runtime/scipy/` tells Numba of all functions of `scipy.linalg`, once these are entered."""


@instead(scipy.linalg.toeplitz, "c", "r")
def _toeplitz(c, r=None) -> Implementation | str:
    return toeplitz if r is None else toeplitz_of_two


def toeplitz(c):
    """The matrix whose diagonals are constant, with `c` as first column and its conjugate as first row."""
    y = np.empty((c.size, c.size), c.dtype)
    for i in range(c.size):
        for j in range(c.size):
            y[i, j] = c[i - j] if i >= j else np.conj(c[j - i])
    return y


def toeplitz_of_two(c, r):
    """The matrix whose diagonals are constant, with this first column and first row."""
    y = np.empty((c.size, r.size), (c[:1] + r[:1]).dtype)
    for i in range(c.size):
        for j in range(r.size):
            y[i, j] = c[i - j] if i >= j else r[j - i]
    return y


@instead(scipy.linalg.hankel, "c", "r")
def _hankel(c, r=None) -> Implementation | str:
    def of_two(c, r):
        y = np.empty((c.size, r.size), (c[:1] + r[:1]).dtype)
        for i in range(c.size):
            for j in range(r.size):
                y[i, j] = c[i + j] if i + j < c.size else r[i + j - c.size + 1]
        return y

    def of_one(c):
        y = np.zeros((c.size, c.size), c.dtype)
        for i in range(c.size):
            for j in range(c.size - i):
                y[i, j] = c[i + j]
        return y

    return of_one if r is None else of_two


@always(scipy.linalg.circulant)
@kernel
def circulant(c):
    """The matrix whose columns are `c`, moved round by one place each."""
    y = np.empty((c.size, c.size), c.dtype)
    for i in range(c.size):
        for j in range(c.size):
            y[i, j] = c[(i - j) % c.size]
    return y


@always(scipy.linalg.companion)
def _companion(a):
    n = a.shape[-1] - 1
    y = np.zeros(a.shape[:-1] + (n, n), (a[:1] / a[:1]).dtype)  # noqa: RUF005  Numba takes no stars here
    y[..., 0, :] = -a[..., 1:] / a[..., :1]
    for k in range(1, n):
        y[..., k, k - 1] = 1.0
    return y


@always(scipy.linalg.khatri_rao)
def _khatri_rao(a, b):
    if a.shape[1] != b.shape[1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    y = np.empty((a.shape[0] * b.shape[0], a.shape[1]), (a[:1, :1] + b[:1, :1]).dtype)
    for i in range(a.shape[0]):
        y[i * b.shape[0] : (i + 1) * b.shape[0]] = a[i] * b
    return y


@always(scipy.linalg.solve_circulant)
def _solve_circulant(c, b):
    return np.linalg.solve(circulant(c), b)


@always(scipy.linalg.solve_sylvester)
@kernel
def sylvester(a, b, q):
    """The solution of a x + x b = q."""
    n, m = a.shape[0], b.shape[0]
    whole = np.zeros((n * m, n * m), (a[:1, :1] + b[:1, :1] + q[:1, :1]).dtype)
    for i in range(n):
        for j in range(m):
            for k in range(n):
                whole[i * m + j, k * m + j] += a[i, k]
            for k in range(m):
                whole[i * m + j, i * m + k] += b[k, j]
    return np.linalg.solve(whole, np.ascontiguousarray(q).reshape(n * m).astype(whole.dtype)).reshape((n, m))


@always(scipy.linalg.solve_continuous_lyapunov)
def _solve_continuous_lyapunov(a, q):
    return sylvester(a, np.conj(a.T), q)


@instead(scipy.linalg.solve_discrete_lyapunov, "a", "q")
def _solve_discrete_lyapunov(a, q, method: str | None = None) -> Implementation | str:
    def solution(a, q):
        n = a.shape[0]
        kind = (a[:1, :1] + q[:1, :1]).dtype
        whole = np.eye(n * n).astype(kind) - np.kron(a, np.conj(a)).astype(kind)
        return np.linalg.solve(whole, np.ascontiguousarray(q).reshape(n * n).astype(kind)).reshape((n, n))

    return solution
