"""Integrals of piecewise polynomials, which are given by their coefficients: the highest power comes first."""

from __future__ import annotations

import numpy as np

from backsweep.runtime.support.compiled import inlined


@inlined
def antiderivative(c, breaks):
    """The coefficients of the piecewise polynomial whose slope is given; it is 0 at the first break, and has no jumps."""
    if np.ndim(c) == 2:
        return _summed(c, breaks)
    summed = np.empty((c.shape[0] + 1, c.shape[1], c.shape[2]))
    for q in range(c.shape[2]):
        summed[:, :, q] = _summed(c[:, :, q], breaks)
    return summed


@inlined
def _summed(c, breaks):
    powers = c.shape[0]
    summed = np.empty((powers + 1, c.shape[1]))
    total = 0.0
    for i in range(c.shape[1]):
        width = breaks[i + 1] - breaks[i]
        area = 0.0
        for p in range(powers):
            summed[p, i] = c[p, i] / (powers - p)
            area = (area + summed[p, i]) * width
        summed[powers, i] = total
        total = total + area
    return summed
