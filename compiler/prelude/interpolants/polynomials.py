"""One polynomial through points: `BarycentricInterpolator` and `KroghInterpolator`."""

from __future__ import annotations

import math
from typing import Any

import scipy.interpolate as si

from backsweep.prelude.declare import early, means, refuse
from backsweep.prelude.interpolants.points import INSTEAD, floats, values_at, vector
from backsweep.prelude.interpolants.splines import columns_of
from backsweep.runtime.interpolants import polynomials as formulas


class Polynomial:
    """A polynomial through the points `points`; of each column `values` has the values, or Newton's coefficients."""

    called: Any = "polynomial"
    instead: Any = INSTEAD
    axis: Any = 0
    weights: Any = 0.0
    values: Any
    formula: Any

    @property
    def count(self):
        """The number of columns."""
        return self.values.shape[1] if self.columns is None else early(math.prod, self.columns)

    def __call__(self, x):
        """Its values."""
        return values_at(self, x, 0)

    def at(self, x, _order):
        """The value at a number."""
        return self.formula(self.values, x)

    def put(self, y, j, x, _order) -> None:
        """Put the values of the columns at a number into a row."""
        for q in range(self.count):
            y[j, q] = self.formula(self.values[:, q], x)

    def through(self, xi, yi, axis):
        """Set the points; the values are returned."""
        if axis != 0:
            refuse(f"`{self.called}` of computed values takes them along axis 0", "transpose the values")
        self.points = vector(xi, self.called, "xi")
        y = floats(yi, self.called, "yi")
        self.columns = columns_of(y)
        return y


@means(si.BarycentricInterpolator)
class BarycentricInterpolator(Polynomial):
    """The polynomial by the barycentric formula."""

    called = "BarycentricInterpolator"

    def __init__(self, xi, yi, axis=0) -> None:
        self.values = self.through(xi, yi, axis)
        self.weights = early(formulas.barycentric_weights, self.points.size, self.points)

    def formula(self, y, x):
        """The value of a column at a number."""
        return formulas.barycentric(self.points.size, self.points, y, self.weights, x)


@means(si.KroghInterpolator)
class KroghInterpolator(Polynomial):
    """The polynomial by Newton's formula."""

    called = "KroghInterpolator"

    def __init__(self, xi, yi, axis=0) -> None:
        y = self.through(xi, yi, axis)
        self.values = early(formulas.divided_differences, self.points.size, self.points, y)

    def formula(self, y, x):
        """The value of a column at a number."""
        return formulas.newton(self.points.size, self.points, y, x)
