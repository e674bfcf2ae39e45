"""Curves of straight and cubic pieces through points: their slopes there, and with these the coefficients of the pieces.

Sources: C. de Boor, A Practical Guide to Splines (1978), chapter IV; F. Fritsch, J. Butland, A method for constructing local
monotone piecewise cubic interpolants (1984), for the slopes of `pchip`; H. Akima, A new method of interpolation and smooth curve
fitting based on local procedures (1970). There are `n` points.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backsweep.runtime.matrices.banded import banded_solution
from backsweep.runtime.support.compiled import inlined


@inlined
def checked(x):
    """The points, which must increase."""
    for i in range(x.size - 1):
        if x[i + 1] <= x[i]:
            raise ValueError("`x` must be strictly increasing sequence.")
    return x


@inlined
def enough(x, k):
    """The points, which must be more than the degree of the spline through them."""
    if x.size <= k:
        raise ValueError("The number of derivatives at boundaries does not match: there are too few points")
    return x


@inlined
def by_columns(pieces: Callable[..., Any], degree, n, x, y, *options):
    """The coefficients of the pieces, `c[p, i]` or, of a matrix of values, `c[p, i, q]`."""
    if y.shape[0] != n:
        raise ValueError("The length of `y` along `axis`=0 doesn't match the length of `x`")
    if np.ndim(y) == 1:
        return pieces(n, x, y, *options)
    c = np.empty((degree + 1, n - 1, y.shape[1]))
    for q in range(y.shape[1]):
        c[:, :, q] = pieces(n, x, y[:, q], *options)
    return c


@inlined
def lines(n, x, y):
    """The coefficients of straight lines between points."""
    c = np.empty((2, n - 1))
    for i in range(n - 1):
        c[0, i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i])
        c[1, i] = y[i]
    return c


@inlined
def cubics(n, x, y, slopes):
    """The coefficients of the cubic pieces that have these values and slopes at the points."""
    c = np.empty((4, n - 1))
    for i in range(n - 1):
        width = x[i + 1] - x[i]
        steep = (y[i + 1] - y[i]) / width
        turn = (slopes[i] + slopes[i + 1] - 2.0 * steep) / width
        c[0, i] = turn / width
        c[1, i] = (steep - slopes[i]) / width - turn
        c[2, i] = slopes[i]
        c[3, i] = y[i]
    return c


@inlined
def spline(n, x, y, start, at_start, end, at_end):
    """The pieces of a spline with continuous second derivatives.

    `start` says what holds at the first point: its derivative of the order 1 or 2 is `at_start`, or the order is 0, for one
    polynomial on the first two pieces ("not-a-knot"). So does `end` for the last point.
    """
    ab, b = np.zeros((3, n)), np.empty(n)
    for i in range(1, n - 1):
        before, behind = x[i] - x[i - 1], x[i + 1] - x[i]
        ab[1, i] = 2.0 * (before + behind)
        ab[0, i + 1] = before
        ab[2, i - 1] = behind
        b[i] = 3.0 * (behind * (y[i] - y[i - 1]) / before + before * (y[i + 1] - y[i]) / behind)
    is_parabola = n == 3 and start == 0 and end == 0
    row = _row_of_end(n, x, y, 0, 1, start, at_start, is_parabola)
    ab[1, 0], ab[0, 1], b[0] = row
    row = _row_of_end(n, x, y, n - 1, -1, end, at_end, is_parabola)
    ab[1, n - 1], ab[2, n - 2], b[n - 1] = row
    return cubics(n, x, y, banded_solution(ab, b, 1, 1))


@inlined
def _row_of_end(n, x, y, i, step, order, given, is_parabola):
    """The row for an end, seen from there: on the diagonal, beside it, and on the right side."""
    width = x[i + step] - x[i]
    if order == 1:
        return 1.0, 0.0, given
    if order == 2:
        return 2.0 * width, width, 3.0 * (y[i + step] - y[i]) - 0.5 * given * width**2
    steep = (y[i + step] - y[i]) / width
    if n == 2:
        return 1.0, 0.0, steep
    if is_parabola:
        return 1.0, 1.0, 2.0 * steep
    both = x[i + 2 * step] - x[i]
    further = both - width
    next_steep = (y[i + 2 * step] - y[i + step]) / further
    return further, both, ((width + 2.0 * both) * further * steep + width**2 * next_steep) / both


@inlined
def ring(n, x, y):
    """The pieces of a spline that goes on behind the last point as behind the first.

    The equations are those of a ring of `m` points. The one of the last unknown is taken out; the others have three diagonals.
    """
    if abs(y[0] - y[n - 1]) > 1e-15 + 1e-15 * abs(y[n - 1]):
        raise ValueError("The first and last `y` point must be identical when bc_type='periodic'.")
    m = n - 1
    slopes = np.empty(n)
    if n == 2:
        slopes[:] = (y[1] - y[0]) / (x[1] - x[0])
        return cubics(n, x, y, slopes)
    if n == 3:
        one, other = x[1] - x[0], x[2] - x[1]
        slopes[:] = ((y[1] - y[0]) / one**2 + (y[2] - y[1]) / other**2) / (1.0 / one + 1.0 / other)
        return cubics(n, x, y, slopes)
    ab, right, last = np.zeros((3, m - 1)), np.zeros((m - 1, 2)), x[m] - x[m - 1]
    for i in range(m - 1):
        before = x[i] - x[i - 1] if i > 0 else last
        behind = x[i + 1] - x[i]
        steep = (y[i] - y[i - 1]) / before if i > 0 else (y[m] - y[m - 1]) / before
        ab[1, i] = 2.0 * (before + behind)
        right[i, 0] = 3.0 * (behind * steep + before * (y[i + 1] - y[i]) / behind)
        if i > 0:
            ab[2, i - 1] = behind
        if i < m - 2:
            ab[0, i + 1] = before
    before = x[m - 1] - x[m - 2]
    right[0, 1] -= x[1] - x[0]
    right[m - 2, 1] -= x[m - 2] - x[m - 3]
    found = banded_solution(ab, right, 1, 1)
    rest = 3.0 * (last * (y[m - 1] - y[m - 2]) / before + before * (y[m] - y[m - 1]) / last)
    rest -= before * found[0, 0] + last * found[m - 2, 0]
    slope = rest / (2.0 * (before + last) + before * found[0, 1] + last * found[m - 2, 1])
    for i in range(m - 1):
        slopes[i] = found[i, 0] + slope * found[i, 1]
    slopes[m - 1] = slope
    slopes[m] = slopes[0]
    return cubics(n, x, y, slopes)


@inlined
def monotone(n, x, y):
    """The pieces of `pchip`: slopes are weighted harmonic means of those beside a point, 0 where these have other signs."""
    slopes = np.zeros(n)
    if n == 2:
        slopes[:] = (y[1] - y[0]) / (x[1] - x[0])
        return cubics(n, x, y, slopes)
    for i in range(1, n - 1):
        one, other = x[i] - x[i - 1], x[i + 1] - x[i]
        before, behind = (y[i] - y[i - 1]) / one, (y[i + 1] - y[i]) / other
        if (before > 0.0 and behind > 0.0) or (before < 0.0 and behind < 0.0):
            first, second = 2.0 * other + one, other + 2.0 * one
            slopes[i] = (first + second) / (first / before + second / behind)
    slopes[0] = _slope_at_end(x, y, 0, 1)
    slopes[n - 1] = _slope_at_end(x, y, n - 1, -1)
    return cubics(n, x, y, slopes)


@inlined
def _slope_at_end(x, y, i, step):
    """The slope of a parabola at its end, cut so that the curve does not turn."""
    width, further = x[i + step] - x[i], x[i + 2 * step] - x[i + step]
    steep, next_steep = (y[i + step] - y[i]) / width, (y[i + 2 * step] - y[i + step]) / further
    slope = ((2.0 * width + further) * steep - width * next_steep) / (width + further)
    if np.sign(slope) != np.sign(steep):
        return 0.0
    if np.sign(steep) != np.sign(next_steep) and abs(slope) > 3.0 * abs(steep):
        return 3.0 * steep
    return slope


@inlined
def akima(n, x, y, modified, largest=None):
    """The pieces of Akima's curve: of the lines beside a point, the one that bends less has more weight.

    Where bends are less than a billionth of the `largest` one, the slope is a mean.
    """
    slopes = np.empty(n)
    if n == 2:
        slopes[:] = (y[1] - y[0]) / (x[1] - x[0])
        return cubics(n, x, y, slopes)
    m = _continued(n, x, y)
    if largest is None:
        largest = _largest_bend(n, m, modified)
    for i in range(n):
        before, behind = _bend(m, i, modified), _bend(m, i + 2, modified)
        if before + behind > 1e-9 * largest:
            slopes[i] = m[i + 1] + before / (before + behind) * (m[i + 2] - m[i + 1])
        else:
            slopes[i] = 0.5 * (m[i + 3] + m[i])
    return cubics(n, x, y, slopes)


@inlined
def akima_by_columns(n, x, y, modified):
    """The pieces of Akima's curves through the columns of a matrix, for whose bends there is one measure."""
    largest = 0.0
    for q in range(y.shape[1]):
        largest = max(largest, _largest_bend(n, _continued(n, x, y[:, q]), modified))
    return by_columns(akima, 3, n, x, y, modified, largest)


@inlined
def _continued(n, x, y):
    """The slopes of the lines between points, and of two more lines at each end."""
    m = np.empty(n + 3)
    for i in range(n - 1):
        m[i + 2] = (y[i + 1] - y[i]) / (x[i + 1] - x[i])
    if n == 2:
        m[:] = m[2]
        return m
    m[1] = 2.0 * m[2] - m[3]
    m[0] = 2.0 * m[1] - m[2]
    m[n + 1] = 2.0 * m[n] - m[n - 1]
    m[n + 2] = 2.0 * m[n + 1] - m[n]
    return m


@inlined
def _bend(m, i, modified):
    """How much the slopes of two lines differ."""
    bend = abs(m[i + 1] - m[i])
    return bend + 0.5 * abs(m[i + 1] + m[i]) if modified else bend


@inlined
def _largest_bend(n, m, modified):
    """The largest sum of the bends before and behind a point."""
    largest = 0.0
    for i in range(n):
        largest = max(largest, _bend(m, i, modified) + _bend(m, i + 2, modified))
    return largest
