"""The splines of `scipy.interpolate` that are made of points."""

from __future__ import annotations

import numpy as np
import scipy.interpolate as si

from backsweep.prelude.declare import early, has_known_items, is_known, means, refuse
from backsweep.prelude.interpolants.pieces import PPoly, Spline, UnivariateSpline, beyond, by_ext
from backsweep.prelude.interpolants.points import floats, literal, order_of, points_and_values, vector
from backsweep.prelude.interpolants.tables import BivariateSpline
from backsweep.runtime.interpolants import bsplines, cubic

LARGEST_DEGREE = 5


@means(si.CubicSpline)
class CubicSpline(PPoly):
    """Cubic pieces with continuous second derivatives."""

    called = "CubicSpline"

    def __init__(self, x, y, axis=0, bc_type="not-a-knot", extrapolate=None) -> None:
        x, y = points_and_values(x, y, axis, "CubicSpline")
        self.pieces(3, _cubic(x, y, bc_type), x, columns_of(y))
        default = "periodic" if _is_ring(bc_type) else True
        self.beyond = beyond(default if extrapolate is None else extrapolate)


@means(si.CubicHermiteSpline)
class CubicHermiteSpline(PPoly):
    """Cubic pieces whose slopes are given."""

    called = "CubicHermiteSpline"

    def __init__(self, x, y, dydx, axis=0, extrapolate=None) -> None:
        x, y = points_and_values(x, y, axis, "CubicHermiteSpline")
        y, dydx = vector(y, "CubicHermiteSpline", "y"), vector(dydx, "CubicHermiteSpline", "dydx")
        c = cubic.by_columns(cubic.cubics, 3, x.size, x, y, dydx)
        self.pieces(3, c, x, ())
        self.beyond = beyond(True if extrapolate is None else extrapolate)


@means(si.PchipInterpolator)
class PchipInterpolator(PPoly):
    """Monotone cubic pieces."""

    called = "PchipInterpolator"

    def __init__(self, x, y, axis=0, extrapolate=None) -> None:
        x, y = points_and_values(x, y, axis, "PchipInterpolator")
        c = cubic.by_columns(cubic.monotone, 3, x.size, x, y)
        self.pieces(3, c, x, columns_of(y))
        self.beyond = beyond(True if extrapolate is None else extrapolate)


@means(si.Akima1DInterpolator)
class Akima1DInterpolator(PPoly):
    """Akima's curve."""

    called = "Akima1DInterpolator"

    def __init__(self, x, y, axis=0, *, method="akima", extrapolate=None) -> None:
        if method not in ("akima", "makima"):
            refuse("`Akima1DInterpolator` knows no other method", "write method='akima' or 'makima'")
        x, y = points_and_values(x, y, axis, "Akima1DInterpolator")
        if np.ndim(y) == 1:
            c = cubic.by_columns(cubic.akima, 3, x.size, x, y, method == "makima")
        else:
            c = cubic.akima_by_columns(x.size, x, y, method == "makima")
        self.pieces(3, c, x, columns_of(y))
        self.beyond = beyond(False if extrapolate is None else extrapolate)


@means(si.BSpline)
class BSpline(Spline):
    """A sum of B-splines."""

    called = "BSpline"

    def __init__(self, t, c, k, extrapolate=True, axis=0) -> None:
        if axis != 0:
            refuse("`BSpline` of computed values takes them along axis 0", "transpose the coefficients")
        _set_sum(self, t, c, k)
        self.clipped = True
        self.beyond = beyond(extrapolate)


def _set_sum(curve, t, c, k) -> None:
    """Set the pieces of a sum of B-splines."""
    if not isinstance(literal(k, "k"), int) or isinstance(k, bool) or not 1 <= k <= LARGEST_DEGREE:
        refuse(f"`{curve.called}` takes a degree of 1 to {LARGEST_DEGREE}", "write the degree as a literal")
    t, c = vector(t, curve.called, "t"), floats(c, curve.called, "c")
    made = bsplines.pieces(k, early(bsplines.polynomials, k, t), c)
    curve.pieces(k, made, early(_inner, t, k), columns_of(c))


def _through(x, y, k):
    """The knots of a sum of B-splines through points, and its coefficients."""
    t = early(bsplines.knots_through, x.size, k, x)
    ab = early(bsplines.values_at_points, x.size, k, t, x)
    return t, bsplines.coefficients(k, ab, y)


def _inner(t, k):
    """The knots between which there are pieces."""
    return t[k : t.size - k]


def columns_of(y):
    """The columns of a curve with these values."""
    return () if np.ndim(y) == 1 else None


def set_through(curve, x, y, k, bc_type=None) -> None:
    """Set the pieces of the spline of a degree through points."""
    has_ends = bc_type is not None and bc_type != "not-a-knot"
    if literal(k, "k") == 1 and bc_type is None:
        curve.pieces(1, cubic.by_columns(cubic.lines, 1, x.size, x, y), x, columns_of(y))
    elif k == 3:
        points = x if has_ends else cubic.enough(x, 3)
        curve.pieces(3, _cubic(points, y, bc_type), points, columns_of(y))
    elif not isinstance(k, int) or has_ends or not 2 <= k <= LARGEST_DEGREE:
        refuse(
            f"`{curve.called}` of computed values is not supported of degree {k} with these ends",
            "take degree 3, or 1 to 5 without `bc_type`",
        )
    else:
        t, c = _through(x, y, k)
        _set_sum(curve, t, c, k)
        curve.first = x[0]
        curve.last = x[-1]
    curve.clipped = True


def _is_ring(bc_type):
    return isinstance(bc_type, str) and bc_type == "periodic"


def _cubic(x, y, bc_type):
    """The coefficients of a cubic spline with the conditions at its ends."""
    if _is_ring(bc_type):
        return cubic.by_columns(cubic.ring, 3, x.size, x, y)
    if bc_type is None or isinstance(bc_type, str):
        bc_type = (bc_type, bc_type)
    if not has_known_items(bc_type) or len(bc_type) != 2:
        refuse("a spline takes one or two conditions as `bc_type`", "write bc_type='natural'")
    return cubic.by_columns(cubic.spline, 3, x.size, x, y, *_end(bc_type[0]), *_end(bc_type[1]))


def _end(said):
    """The order of the derivative that is given at an end, 0 for none, and its value."""
    if has_known_items(said) and len(said) == 1:  # as `make_interp_spline` has it
        said = said[0]
    if has_known_items(said) and len(said) == 2 and said[0] in (1, 2):
        return said[0], said[1]
    if has_known_items(said) or said not in (None, "not-a-knot", "clamped", "natural"):
        refuse(
            "a spline takes 'not-a-knot', 'clamped', 'natural', 'periodic' or (order, value) as `bc_type`",
            "write bc_type=((1, slope), (2, 0.0))",
        )
    if said == "clamped":
        return 1, 0.0
    return (2, 0.0) if said == "natural" else (0, 0.0)


@means(si.make_interp_spline)
def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    """The spline of a degree through points."""
    del check_finite
    if t is not None:
        refuse("`make_interp_spline` of computed values chooses its knots itself", "leave `t` out")
    x, y = points_and_values(x, y, axis, "make_interp_spline")
    made = Spline()
    set_through(made, x, y, k, bc_type)
    made.beyond = "periodic" if _is_ring(bc_type) else "extrapolated"
    return made


@means(si.InterpolatedUnivariateSpline)
class InterpolatedUnivariateSpline(UnivariateSpline):
    """FITPACK's spline through all points."""

    called = "InterpolatedUnivariateSpline"

    def __init__(self, x, y, w=None, bbox=(None, None), k=3, ext=0, check_finite=False) -> None:
        del check_finite
        if w is not None or bbox[0] is not None or bbox[1] is not None:
            refuse(
                "`InterpolatedUnivariateSpline` of computed values has no options but `k` and `ext`",
                "leave them out",
            )
        x, y = points_and_values(x, y, 0, "InterpolatedUnivariateSpline")
        set_through(self, x, vector(y, "InterpolatedUnivariateSpline", "y"), k)
        self.beyond = by_ext(ext)
        self.below = 0.0
        self.above = 0.0


@means(si.splrep)
def splrep(x, y, w=None, xb=None, xe=None, k=3, task=0, s=None, t=None, full_output=0, per=0, quiet=1):
    """Knots, coefficients and degree of FITPACK's spline through all points."""
    del quiet
    for given in (w, xb, xe, s, t, task, full_output, per):
        if not is_known(given) or (given is not None and given != 0):
            refuse("`splrep` of computed values goes through all points", "give it x, y and k alone")
    if literal(k, "k") not in (1, 2, 3, 4, 5):
        refuse(f"`splrep` takes a degree of 1 to {LARGEST_DEGREE}", "write the degree as a literal")
    x, y = points_and_values(x, y, 0, "splrep")
    knots, c = _through(x, vector(y, "splrep", "y"), k)
    return knots, np.concatenate((c, np.zeros(k + 1))), k


@means(si.splev)
def splev(x, tck, der=0, ext=0):
    """Values of a sum of B-splines."""
    return _of_tck(tck, "splev")(x, der, ext)


@means(si.splint)
def splint(a, b, tck):
    """The integral of a sum of B-splines."""
    return _of_tck(tck, "splint").integral(a, b)


@means(si.bisplev)
def bisplev(x, y, tck, dx=0, dy=0):
    """Values of a sum of products of B-splines, over the grid of two vectors."""
    if not has_known_items(tck) or len(tck) != 5:
        refuse("`bisplev` takes knots, coefficients and degrees", "write bisplev(x, y, (tx, ty, c, kx, ky))")
    tx, ty, c, kx, ky = tck
    for k, order in ((kx, dx), (ky, dy)):
        if not isinstance(literal(k, "k"), int) or not 0 <= order_of(order, "dx") < k <= LARGEST_DEGREE:
            refuse(
                f"`bisplev` takes degrees of 1 to {LARGEST_DEGREE}, and derivatives of orders below them",
                "write both as literals",
            )
    if np.ndim(x) > 1 or np.ndim(y) > 1:
        refuse("`bisplev` is evaluated at arrays that are no vectors", "give it numbers or vectors")
    made = BivariateSpline()
    made.called = "bisplev"
    made.points = (early(_inner, tx, kx), early(_inner, ty, ky))
    of_x, of_y = early(bsplines.polynomials, kx, tx), early(bsplines.polynomials, ky, ty)
    made.table = early(bsplines.surface, kx, ky, of_x, of_y, c)
    made.degrees = (kx, ky)
    for each in (x, y):
        if np.ndim(each) == 1:
            if each.size == 1:
                raise ValueError("`bisplev` of an array with one entry gives a number; give it the entry")
            for k in range(1, each.size):
                if each[k] < each[k - 1]:
                    raise ValueError("Invalid input data")
    z = made(x, y, dx, dy)
    if np.ndim(x) == 1:
        return z
    return z[0] if np.ndim(y) == 1 else z[0, 0]


def _of_tck(tck, called):
    """The spline that knots, coefficients and a degree stand for."""
    if isinstance(tck, si.BSpline):
        tck = (tck.t, tck.c, tck.k)
    if not has_known_items(tck) or len(tck) != 3:
        refuse(f"`{called}` takes the knots, the coefficients and the degree", "write splev(x, (t, c, k))")
    made = UnivariateSpline()
    _set_sum(made, *tck)
    return made
