"""Piecewise polynomials: every spline of `scipy.interpolate` becomes one.

Its coefficients are `c[p, i]`, of several columns `c[p, i, q]`: the highest power of `x - breaks[i]` first, as in SciPy's `PPoly`.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import scipy.interpolate as si

from backsweep.prelude.declare import early, refuse
from backsweep.prelude.interpolants.points import INSTEAD, fill, held, literal, order_of, piece, values_at
from backsweep.runtime.interpolants.sums import antiderivative


class Pieces:
    """A piecewise polynomial.

    `beyond` says what it is outside of its domain: "extrapolated", "filled" with `below` and `above`, "periodic", "flat" or "refused".
    `side` is that of `np.searchsorted`: at a break begins the piece to its "right", or the one to its "left" goes on. `order` is the
    derivative that is meant. Values have as many columns as `c` has, of the shape `columns` if that is known, else of one axis
    (None); `axis` is where these give way to the axes of `x`. An integral that is `clipped` takes it to be 0 outside of the domain.
    """

    called: Any = "PPoly"
    instead: Any = INSTEAD
    beyond: Any = "extrapolated"
    below: Any = math.nan
    above: Any = math.nan
    side: Any = "right"
    order: Any = 0
    axis: Any = 0
    clipped: Any = False

    def pieces(self, degree, c, breaks, columns) -> None:
        """Set what every one has; its domain goes from the first to the last break."""
        self.degree = degree
        self.coefficients = c
        self.breaks = breaks
        self.columns = columns
        self.first = breaks[0]
        self.last = breaks[-1]

    @property
    def count(self):
        """The number of columns."""
        return self.coefficients.shape[2] if self.columns is None else early(math.prod, self.columns)

    def outside(self, beyond, value=math.nan):
        """The same with something else outside of its domain."""
        found = copy.copy(self)
        found.beyond = beyond
        found.below = value
        found.above = value
        return found

    def slope(self, times):
        """A derivative of it."""
        found = copy.copy(self)
        found.order = self.order + times
        return found

    def integral_of(self):
        """The piecewise polynomial whose slope it is, which is 0 at the first break."""
        if self.order != 0:
            refuse(
                f"the derivative of a `{self.called}` is integrated that the function makes",
                "take the difference of its values at both ends",
            )
        found = copy.copy(self)
        found.coefficients = early(antiderivative, self.coefficients, self.breaks)
        found.degree = self.degree + 1
        found.beyond = "filled" if self.beyond == "periodic" else self.beyond
        return found

    def integrated(self, times):
        """Its integral from the first break on, taken so many times."""
        return self if times == 0 else self.integral_of().integrated(times - 1)

    def integral_between(self, a, b):
        """The integral from a number to another."""
        summed = self.integral_of()
        if self.beyond == "periodic":
            once = values_at(summed.outside("extrapolated"), self.last, 0)
            summed.beyond = "periodic"
            return _over_rounds(summed, b, once) - _over_rounds(summed, a, once)
        if self.clipped and self.beyond == "filled":
            summed.beyond = "flat"
        return values_at(summed, b, 0) - values_at(summed, a, 0)

    def at(self, x, order):
        """The value at a number."""
        x = self._brought_inside(x, order)
        c = self.coefficients
        if self.beyond != "filled":
            return self._inside(x, order, lambda p, i: c[p, i])
        if x < self.first:
            y = fill(self.below, x)
        elif x > self.last:
            y = fill(self.above, x)
        else:
            y = self._inside(x, order, lambda p, i: c[p, i])
        return y

    def put(self, y, j, x, order) -> None:
        """Put the values of the columns at a number into a row."""
        x = self._brought_inside(x, order)
        if self.beyond == "filled" and x < self.first:
            for q in range(self.count):
                y[j, q] = fill(self.below, x, q)
        elif self.beyond == "filled" and x > self.last:
            for q in range(self.count):
                y[j, q] = fill(self.above, x, q)
        else:
            i, h = self._place(x, order)
            for q in range(self.count):
                y[j, q] = horner(self._column(i, q), self.degree, order + self.order, h)

    def _column(self, i, q):
        """The coefficients of a column in a piece."""
        c = self.coefficients
        return lambda p: c[p, i, q]

    def _brought_inside(self, x, order):
        """The number where it is evaluated."""
        if self.beyond == "refused":
            if x < self.first:
                raise ValueError(self.message("below"))
            if x > self.last:
                raise ValueError(self.message("above"))
        if self.beyond == "periodic":
            return self.first + (x - self.first) % (self.last - self.first)
        if self.beyond == "flat" and order + self.order == 0:  # FITPACK extrapolates its derivatives
            return held(x, self.first, self.last)
        return x

    def message(self, where):
        """The error where it is not defined."""
        del where
        return "Error code returned by spev: 1"

    def _inside(self, x, order, coefficient):
        """The value at a number within the domain, or anywhere if it is extrapolated."""
        i, h = self._place(x, order)
        return horner(lambda p: coefficient(p, i), self.degree, order + self.order, h)

    def _place(self, x, order):
        """The piece that a number is in or next to, and the way from where that begins."""
        if order + self.order > self.degree:
            return 0, 0.0
        i = piece(self.breaks, x, self.side)
        return i, x - self.breaks[i] if order + self.order < self.degree else 0.0


def horner(coefficient, degree, order, h):
    """A derivative of a polynomial by Horner's scheme; the coefficients are counted from that of the highest power."""
    return 0.0 if order > degree else _down_to(coefficient, degree, order, h, degree - order)


def _down_to(coefficient, degree, order, h, p):
    """The part of it down to a coefficient."""
    factor = early(_factor, degree - p, order)
    if p == 0:
        return coefficient(p) if factor == 1.0 else factor * coefficient(p)
    higher = _down_to(coefficient, degree, order, h, p - 1)
    return higher * h + (coefficient(p) if factor == 1.0 else factor * coefficient(p))


def _factor(power: int, order: int) -> float:
    """What the derivatives of a power are multiplied by."""
    return float(math.perm(power, order))


def _over_rounds(summed, x, once):
    """The integral from the first break to a number of a curve that is periodic."""
    rounds = np.floor((x - summed.first) / (summed.last - summed.first))
    return rounds * once + values_at(summed, x, 0)


class Spline(Pieces):
    """A spline as `BSpline` and `PPoly` have it."""

    called = "make_interp_spline"
    __library__: Any = si.BSpline

    def __call__(self, x, nu=0, extrapolate=None):
        """Its values, or those of a derivative."""
        return values_at(self._extrapolated(extrapolate), x, order_of(nu, "nu"))

    def derivative(self, nu=1):
        """Its derivative."""
        return self.slope(order_of(nu, "nu"))

    def antiderivative(self, nu=1):
        """Its integral from the first break on, taken again and again."""
        return self.integrated(order_of(nu, "nu"))

    def integrate(self, a, b, extrapolate=None):
        """The integral from a number to another."""
        return self._extrapolated(extrapolate).integral_between(a, b)

    def _extrapolated(self, extrapolate):
        return self if extrapolate is None else self.outside(beyond(extrapolate))


def beyond(extrapolate):
    """What `extrapolate` says of what is outside of the domain."""
    if literal(extrapolate, "extrapolate") == "periodic":
        return "periodic"
    if not isinstance(extrapolate, (bool, int)):
        refuse("`extrapolate` is none of True, False and 'periodic'", "leave it out, or give one of these")
    return "extrapolated" if extrapolate else "filled"


def by_ext(ext):
    """The same of FITPACK's `ext`."""
    if literal(ext, "ext") not in (0, 1, 2, 3, "extrapolate", "zeros", "raise", "const"):
        refuse(
            "`ext` is none of 0 to 3, 'extrapolate', 'zeros', 'raise' and 'const'",
            "leave it out, or give one of these",
        )
    if ext in (0, "extrapolate"):
        return "extrapolated"
    if ext in (1, "zeros"):
        return "filled"
    return "refused" if ext in (2, "raise") else "flat"


class UnivariateSpline(Pieces):
    """A spline as FITPACK has it."""

    called = "UnivariateSpline"
    __library__: Any = si.UnivariateSpline
    clipped = True

    def __call__(self, x, nu=0, ext=None):
        """Its values, or those of a derivative."""
        curve = self if ext is None else self.outside(by_ext(ext), 0.0)
        return values_at(curve, x, order_of(nu, "nu"))

    def derivative(self, n=1):
        """Its derivative."""
        return self.slope(order_of(n, "n"))

    def antiderivative(self, n=1):
        """Its integral from the first break on, taken again and again."""
        return self.integrated(order_of(n, "n"))

    def integral(self, a, b):
        """The integral from a number to another; it is 0 outside of the domain."""
        return self.outside("filled", 0.0).integral_between(a, b)


class PPoly(Spline):
    """A spline whose coefficients can be read."""

    __library__: Any = si.PPoly

    @property
    def c(self):
        """The coefficients."""
        return self._data(self.coefficients)

    @property
    def x(self):
        """The breaks."""
        return self._data(self.breaks)

    def _data(self, found):
        if self.order != 0:
            refuse(
                "the coefficients of a derivative are read",
                "call it, or multiply the coefficients of the curve itself",
                "BS109",
            )
        return found
