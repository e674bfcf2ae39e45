"""Splines that are sums of B-splines: knots and coefficients of one through points, and its pieces as polynomials.

Source: C. de Boor, A Practical Guide to Splines (1978), chapters X and XIII.
"""

from __future__ import annotations

import numpy as np

from backsweep.runtime.matrices.banded import banded_solution
from backsweep.runtime.support.compiled import inlined


@inlined
def knots_through(n, k, x):
    """The knots of a spline of degree `k` through `n` points: points, or for even degrees the middles between them."""
    if n <= k:
        raise ValueError("a spline of degree k takes more than k points")
    t = np.empty(n + k + 1)
    for i in range(k + 1):
        t[i] = x[0]
        t[n + i] = x[n - 1]
    for i in range(n - k - 1):
        if k % 2 == 1:
            t[k + 1 + i] = x[i + (k + 1) // 2]
        else:
            t[k + 1 + i] = 0.5 * (x[i + k // 2] + x[i + k // 2 + 1])
    return t


@inlined
def values_at_points(n, k, t, x):
    """The diagonals of the matrix whose entry in row `i` and column `j` is the value of the B-spline `j` at the point `i`."""
    ab = np.zeros((2 * k + 1, n))
    values = np.empty(k + 1)
    at = k
    for i in range(n):
        while at < n - 1 and t[at + 1] <= x[i]:
            at += 1
        values[0] = 1.0
        for degree in range(1, k + 1):
            rest = 0.0
            for j in range(degree):
                right, left = t[at + j + 1], t[at + j + 1 - degree]
                part = values[j] / (right - left)
                values[j] = rest + (right - x[i]) * part
                rest = (x[i] - left) * part
            values[degree] = rest
        for j in range(k + 1):
            ab[2 * k + i - at - j, at - k + j] = values[j]
    return ab


@inlined
def coefficients(k, ab, y):
    """The coefficients of the B-splines that go through the values."""
    return banded_solution(ab, y, k, k)


@inlined
def polynomials(k, t):
    """The B-splines as polynomials: `m[p, i, j]` is the coefficient of the `j`-th that is not 0 in the piece `i`."""
    m = np.zeros((k + 1, t.size - 2 * k - 1, k + 1))
    part, rest = np.empty(k + 1), np.empty(k + 1)
    for i in range(t.size - 2 * k - 1):
        start = t[i + k]
        if t[i + k + 1] > start:
            m[k, i, 0] = 1.0
            for degree in range(1, k + 1):
                rest[:] = 0.0
                for j in range(degree):
                    right, left = t[i + k + j + 1], t[i + k + j + 1 - degree]
                    for p in range(k + 1):
                        part[p] = m[p, i, j] / (right - left)
                    for p in range(k + 1):
                        higher = part[p + 1] if p < k else 0.0
                        m[p, i, j] = rest[p] + (right - start) * part[p] - higher
                        rest[p] = (start - left) * part[p] + higher
                for p in range(k + 1):
                    m[p, i, degree] = rest[p]
    return m


@inlined
def pieces(k, m, c):
    """The coefficients of the pieces of a sum of B-splines."""
    if np.ndim(c) > 1:
        columns = np.empty((k + 1, m.shape[1], c.shape[1]))
        for q in range(c.shape[1]):
            columns[:, :, q] = _pieces_of_vector(k, m, c[:, q])
        return columns
    return _pieces_of_vector(k, m, c)


@inlined
def _pieces_of_vector(k, m, c):
    found = np.empty((k + 1, m.shape[1]))
    for p in range(k + 1):
        for i in range(m.shape[1]):
            total = 0.0
            for j in range(k + 1):
                total += m[p, i, j] * c[i + j]
            found[p, i] = total
    return found


@inlined
def surface(kx, ky, mx, my, c):
    """The coefficients `found[p, q, i, j]` of the pieces of a sum of products of B-splines of two variables."""
    rows = np.reshape(c, (mx.shape[1] + kx, my.shape[1] + ky))
    found = np.zeros((kx + 1, ky + 1, mx.shape[1], my.shape[1]))
    for i in range(mx.shape[1]):
        for p in range(kx + 1):
            for j in range(my.shape[1]):
                for s in range(ky + 1):
                    total = 0.0
                    for r in range(kx + 1):
                        total += mx[p, i, r] * rows[i + r, j + s]
                    for q in range(ky + 1):
                        found[p, q, i, j] += my[q, j, s] * total
    return found
