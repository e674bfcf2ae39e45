"""Rosenbrock's function of `scipy.optimize`, on which methods are tried, and its derivatives."""

from __future__ import annotations

import scipy.optimize

from backsweep.runtime.overloads.forms import refused
from backsweep.runtime.overloads.texts import summed
from backsweep.runtime.samples.lines import is_sampled, kind_of, of_samples, taken_note_of


def register() -> None:
    """Tell Numba of these functions."""
    taken_note_of()


@of_samples(scipy.optimize.rosen)
def rosen(x):
    """The values at the columns of an array, or at a vector."""
    if not is_sampled("scipy.optimize.rosen", x):
        return None
    terms = "100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2"
    return f"return {summed(terms, (0,), x.ndim)}"


@of_samples(scipy.optimize.rosen_der)
def rosen_der(x):
    """The gradients."""
    if not is_sampled("scipy.optimize.rosen_der", x):
        return None
    kind = "complex128" if "complex" in str(kind_of(x)) else "float64"
    return f"""
slope = np.zeros(x.shape, np.{kind})
slope[1:-1] = (
    200.0 * (x[1:-1] - x[:-2] ** 2) - 400.0 * (x[2:] - x[1:-1] ** 2) * x[1:-1] - 2.0 * (1.0 - x[1:-1])
)
slope[0] = -400.0 * x[0] * (x[1] - x[0] ** 2) - 2.0 * (1.0 - x[0])
slope[-1] = 200.0 * (x[-1] - x[-2] ** 2)
return slope
"""


@of_samples(scipy.optimize.rosen_hess)
def rosen_hess(x):
    """The Hessian matrix at a vector."""
    if not is_sampled("scipy.optimize.rosen_hess", x):
        return None
    if x.ndim != 1:
        raise refused("`scipy.optimize.rosen_hess` takes a vector", "give one point.")
    return """
matrix = np.zeros((x.size, x.size))
for k in range(x.size - 1):
    matrix[k, k] += 1200.0 * x[k] ** 2 - 400.0 * x[k + 1] + 2.0
    matrix[k + 1, k + 1] += 200.0
    matrix[k, k + 1] = -400.0 * x[k]
    matrix[k + 1, k] = -400.0 * x[k]
return matrix
"""


@of_samples(scipy.optimize.rosen_hess_prod)
def rosen_hess_prod(x, p):
    """The product of the Hessian matrix at a vector with another vector."""
    name = "scipy.optimize.rosen_hess_prod"
    if not is_sampled(name, x) or not is_sampled(name, p):
        return None
    if x.ndim != 1 or p.ndim != 1:
        raise refused(f"`{name}` takes two vectors", "give one point and one direction.")
    return """
product = np.zeros(x.size)
for k in range(x.size - 1):
    product[k] += (1200.0 * x[k] ** 2 - 400.0 * x[k + 1] + 2.0) * p[k] - 400.0 * x[k] * p[k + 1]
    product[k + 1] += 200.0 * p[k + 1] - 400.0 * x[k] * p[k]
return product
"""
