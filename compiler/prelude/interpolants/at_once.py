"""Functions of `scipy.interpolate` that make an interpolant and ask it at once."""

from __future__ import annotations

import numpy as np
import scipy.interpolate as si

from backsweep.prelude.declare import as_floats, means, refuse


@means(si.pchip_interpolate)
def pchip_interpolate(xi, yi, x, der=0, axis=0):
    """Values of a monotone cubic interpolant."""
    return si.PchipInterpolator(xi, yi, axis=axis)(x, der)


@means(si.barycentric_interpolate)
def barycentric_interpolate(xi, yi, x, axis=0, *, der=0, rng=None):
    """Values of the polynomial through points, by Neville's scheme."""
    del rng
    return _polynomial(xi, yi, x, der, axis)


@means(si.krogh_interpolate)
def krogh_interpolate(xi, yi, x, der=0, axis=0):
    """Values of the polynomial through points, by Neville's scheme."""
    return _polynomial(xi, yi, x, der, axis)


def _polynomial(xi, yi, x, der, axis):
    """The values at points of any shape."""
    if not isinstance(der, int) or der != 0 or axis != 0 or np.ndim(yi) != 1:
        refuse(
            "interpolation by one polynomial is supported of values of one curve, without derivatives",
            "write the polynomial out, as in np.polyval(np.polyfit(xi, yi, len(xi) - 1), x)",
        )
    if isinstance(x, (list, tuple)):
        x = np.array(x)
    xi, yi = np.asarray(xi), np.asarray(yi)
    if np.ndim(x) == 0:
        return _neville(xi, yi, x)
    return np.reshape(np.array([_neville(xi, yi, each) for each in np.ravel(x)]), np.shape(x))


def _neville(xi, yi, x):
    """The value at one point."""
    if len(xi) != len(yi):
        raise ValueError("xi and yi have different lengths")
    found = yi * 1.0
    for order in range(1, len(xi)):
        for i in range(len(xi) - order):
            left, right = x - xi[i + order], xi[i] - x
            found[i] = (left * found[i] + right * found[i + 1]) / (xi[i] - xi[i + order])
    return found[0]


@means(si.lagrange)
def lagrange(x, w):
    """The polynomial through points, by its coefficients."""
    x, w = as_floats(x), as_floats(w)
    total = np.zeros(len(x))
    for j in range(len(x)):
        others = x[np.arange(len(x)) != j]
        total = total + w[j] / np.prod(x[j] - others) * np.poly(others)
    return np.poly1d(total)
