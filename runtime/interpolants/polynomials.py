"""One polynomial through points, by two formulas.

Source: J.-P. Berrut, L. Trefethen, Barycentric Lagrange interpolation (2004).
"""

from __future__ import annotations

import numpy as np

from backsweep.runtime.support.compiled import inlined


@inlined
def barycentric_weights(n, x):
    """The weights of the points. What they have in common cancels; it is chosen such that products do not overflow."""
    scale = 4.0 / (np.max(x) - np.min(x))
    weights = np.empty(n)
    for j in range(n):
        product = 1.0
        for i in range(n):
            if i != j:
                product *= (x[j] - x[i]) * scale
        weights[j] = 1.0 / product
    return weights


@inlined
def barycentric(n, x, y, weights, at):
    """The value at a number: that at the nearest point, and the way from there times a polynomial through the other points.

    So that the formula has no pole where its derivatives are wanted, the nearest point is taken out of it.
    """
    near = 0
    for j in range(1, n):
        if abs(at - x[j]) < abs(at - x[near]):
            near = j
    above, below = 0.0, 0.0
    for j in range(n):
        if j != near:
            share = weights[j] / (at - x[j])
            above += share * (y[j] - y[near])
            below += share * (x[j] - x[near])
    return y[near] + (at - x[near]) * (above / below)


@inlined
def divided_differences(n, x, y):
    """The coefficients of Newton's form."""
    if np.ndim(y) > 1:
        c = np.empty(y.shape)
        for q in range(y.shape[1]):
            c[:, q] = _differences_of_vector(n, x, y[:, q])
        return c
    return _differences_of_vector(n, x, y)


@inlined
def _differences_of_vector(n, x, y):
    c = np.empty(n)
    for i in range(n):
        c[i] = y[i]
    for order in range(1, n):
        for i in range(n - 1, order - 1, -1):
            c[i] = (c[i] - c[i - 1]) / (x[i] - x[i - order])
    return c


@inlined
def newton(n, x, c, at):
    """The value of Newton's form at a number."""
    total = c[n - 1]
    for j in range(n - 2, -1, -1):
        total = total * (at - x[j]) + c[j]
    return total
