"""Rosenbrock's function of `scipy.optimize`, on which methods are tried, and its derivatives."""

from __future__ import annotations

import numpy as np
import scipy.optimize as so

from backsweep.prelude.declare import as_floats, means


@means(so.rosen)
def rosen(x):
    """The values at the columns of an array, or at a vector."""
    x = np.asarray(x)
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2, axis=0)


@means(so.rosen_der)
def rosen_der(x):
    """The gradients."""
    x = as_floats(x)
    slope = np.zeros(x.shape, x.dtype)
    slope[1:-1] = (
        200.0 * (x[1:-1] - x[:-2] ** 2) - 400.0 * (x[2:] - x[1:-1] ** 2) * x[1:-1] - 2.0 * (1.0 - x[1:-1])
    )
    slope[0] = -400.0 * x[0] * (x[1] - x[0] ** 2) - 2.0 * (1.0 - x[0])
    slope[-1] = 200.0 * (x[-1] - x[-2] ** 2)
    return slope


@means(so.rosen_hess)
def rosen_hess(x):
    """The Hessian matrix at a vector."""
    x = as_floats(x)
    matrix = np.zeros((x.size, x.size), x.dtype)
    for k in range(x.size - 1):
        matrix[k, k] += 1200.0 * x[k] ** 2 - 400.0 * x[k + 1] + 2.0
        matrix[k + 1, k + 1] += 200.0
        matrix[k, k + 1] = -400.0 * x[k]
        matrix[k + 1, k] = -400.0 * x[k]
    return matrix


@means(so.rosen_hess_prod)
def rosen_hess_prod(x, p):
    """The product of the Hessian matrix at a vector with another vector."""
    return rosen_hess(x) @ as_floats(p)
