"""The square root and the logarithm of a matrix that has no eigenvalue on the negative axis, and their derivatives.

Source: N. Higham, Functions of Matrices (2008), chapters 6 and 11.
"""

from __future__ import annotations

import numpy as np

from backsweep.runtime.support.compiled import kernel, shaped_like
from backsweep.runtime.support.marks import stop_gradient

ON_CUT = (
    "the matrix is singular, or an eigenvalue lies on the negative axis, where roots and logarithms jump. Its eigenvectors have one: "
    "`w, v = np.linalg.eig(a + 0j)`, then `(v * np.sqrt(w)) @ np.linalg.inv(v)`, or with `np.log(w)`"
)
SINGULAR = "the matrix is singular to machine precision: no root or logarithm of it is computed"


@shaped_like("x")
@kernel
def square_root(x):
    """The principal square root, by Newton's iteration with its product form and scaling (6.29 there), and one step that corrects it."""
    n = x.shape[0]
    if x.shape[1] != n:
        raise ValueError("the matrix must be square")
    one = np.eye(n) + np.zeros(1, x.dtype)[0]  # in double precision, and complex if `x` is
    y, m = x + np.zeros((1, 1)), x + np.zeros((1, 1))
    converged = n == 0
    for step in range(100):
        if converged:
            break
        size = abs(np.linalg.det(m))
        if not (size > 0.0 and np.isfinite(size)):
            if step > 0 or not np.all(np.isfinite(x)):
                break
            sizes = np.linalg.svd(m)[1]
            if sizes[n - 1] <= 2.2e-16 * sizes[0]:
                raise ValueError(SINGULAR)
            size = 1.0
        far = np.max(np.abs(m - one))
        factor = size ** (-0.5 / n) if far > 1e-2 else 1.0
        inverse = np.ascontiguousarray(np.linalg.inv(m))
        y = 0.5 * factor * (y @ (one + inverse / factor**2))
        m = 0.5 * (one + 0.5 * (factor**2 * m + inverse / factor**2))
        converged = np.max(np.abs(m - one)) <= 4.0 * n * 2.2e-16
        if step > 30 and np.max(np.abs(m - one)) <= 1e-10:
            converged = True
    if not converged:
        raise ValueError(ON_CUT)
    return y.astype((x[:1, :1] / np.ones(1, x.dtype)).dtype)  # of the type of x, or floats for whole numbers


@shaped_like("x")
@kernel
def square_root_slope(x, direction):
    """The derivative of `square_root` at `x` along a direction: a block of the root of a matrix of twice the size."""
    n = x.shape[0]
    scale = stop_gradient(1.0 + np.sum(np.abs(direction)))
    both = np.zeros((2 * n, 2 * n), (x[:1, :1] + direction[:1, :1] + np.zeros((1, 1))).dtype)
    both[:n, :n] = x
    both[n:, n:] = x
    both[:n, n:] = direction / scale
    return scale * square_root(both)[:n, n:]


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
NODES = tuple(0.5 + 0.5 * each for each in _NODES.tolist())
WEIGHTS = tuple(0.5 * each for each in _WEIGHTS.tolist())
"""Gauss' rule from 0 to 1."""


@kernel
def _radius(a):
    """What the powers of a matrix grow by, from the fourth on: for one that is far from normal much less than its norm.

    Were roots taken until the norm is small, those of such a matrix would differ from one by less than rounding.
    """
    norm = np.max(np.abs(a)) * a.shape[0]
    if not norm > 0.25:
        return norm
    square = (a / norm) @ (a / norm)
    fourth = square @ square
    fifth = fourth @ (a / norm)
    size = a.shape[0] * 1.0
    return norm * max((np.max(np.abs(fourth)) * size) ** 0.25, (np.max(np.abs(fifth)) * size) ** 0.2)


@shaped_like("x")
@kernel
def logarithm(x):
    """The principal logarithm: roots until the matrix is near one, and the integral of (x - 1) / (1 + t (x - 1)) over t from 0 to 1.

    Gauss' rule for that integral is a Pade approximation (11.18 there).
    """
    n = x.shape[0]
    if x.shape[1] != n:
        raise ValueError("the matrix must be square")
    one = np.eye(n) + np.zeros(1, x.dtype)[0]
    y = x + np.zeros((1, 1))
    roots = 0
    while _radius(y - one) > 0.25 and roots < 60:
        y = np.ascontiguousarray(square_root(y))
        roots += 1
    if not _radius(y - one) <= 0.25:
        raise ValueError(ON_CUT)
    less = y - one
    total = np.zeros_like(less)
    for k in range(8):
        total += WEIGHTS[k] * np.linalg.solve(one + NODES[k] * less, less)
    return (2.0**roots * total).astype((x[:1, :1] / np.ones(1, x.dtype)).dtype)


@shaped_like("x")
@kernel
def logarithm_slope(x, direction):
    """The derivative of `logarithm` at `x` along a direction: a block of the logarithm of a matrix of twice the size."""
    n = x.shape[0]
    scale = stop_gradient(1.0 + np.sum(np.abs(direction)))
    both = np.zeros((2 * n, 2 * n), (x[:1, :1] + direction[:1, :1] + np.zeros((1, 1))).dtype)
    both[:n, :n] = x
    both[n:, n:] = x
    both[:n, n:] = direction / scale
    return scale * logarithm(both)[:n, n:]
