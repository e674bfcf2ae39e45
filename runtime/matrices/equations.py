"""Text that stands for the solvers of Sylvester's and Lyapunov's equations, of `scipy.linalg`.

These are solved as one dense system for all entries, which suits matrices of a few dozen rows.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from backsweep.runtime.matrices import factors  # noqa: F401  it enters what stands for other functions
from backsweep.runtime.scipy.instead import Implementation, always, instead
from backsweep.runtime.support.compiled import kernel


def register() -> None:
    """Nothing is left to do: `matrices` of `runtime/scipy/` tells Numba of all functions of `scipy.linalg`, once these are entered."""


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
