"""Interpolants of `scipy.interpolate` have SciPy's values, and the derivatives of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
import pytest
import scipy.interpolate as si
import scipy.ndimage as nd
import scipy.optimize as so

import backsweep as bs
from tests.support.refused import refused
from tests.support.sampled import turning

Function = Callable[..., Any]

T = np.array([0.05, 0.2, 0.8, 1.7, 1.9, 2.4, 2.7])
Y = np.array([0.3, -0.4, 1.2, 0.9, 0.1, 0.5, -0.2])
COLUMNS = np.stack([Y, np.cos(T), T * T], 1)
KNOTS = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 3.0, 3.0])
KNOWN: dict[str, Any] = {
    "cubic": si.CubicSpline(T, Y),
    "natural": si.CubicSpline(T, Y, bc_type="natural", extrapolate=False),
    "columns": si.CubicSpline(T, COLUMNS),
    "columns of two axes": si.CubicSpline(T, np.stack([COLUMNS, 2.0 * COLUMNS], 2)),
    "axis": si.CubicSpline(T, COLUMNS.T, axis=1),
    "periodic": si.CubicSpline(T, np.append(Y[:-1], Y[0]), bc_type="periodic"),
    "pchip": si.PchipInterpolator(T, Y),
    "akima": si.Akima1DInterpolator(T, Y),
    "quintic": si.make_interp_spline(T, COLUMNS, k=5),
    "quadratic, axis": si.make_interp_spline(T, COLUMNS.T, k=2, axis=1),
    "lines": si.make_interp_spline(T, Y, k=1),
    "repeated knots": si.BSpline(KNOTS, np.arange(6.0) ** 2, 2),
    "smoothed": si.UnivariateSpline(T, Y, s=0.1),
    "zeros outside": si.UnivariateSpline(T, Y, s=0.0, ext=1),
    "flat outside": si.InterpolatedUnivariateSpline(T, Y, k=4, ext=3),
    "pieces": si.PPoly(np.arange(12.0).reshape(3, 4) ** 0.5, np.arange(5.0)),
    "barycentric": si.BarycentricInterpolator(T, Y),
    "krogh": si.KroghInterpolator(T, COLUMNS),
}
EVALUATED = [name for name in KNOWN if name not in ("barycentric", "krogh")]
PLACES = (1.3, np.array([0.6, 1.2]), np.array([[0.7, 1.1], [1.6, 2.1]]), -0.7, np.array([-0.45, 1.3, 5.1]))


def slopes(function: Function, args: Sequence[Any], step: float = 1e-4) -> list[Any]:
    """Differences of a function of numbers and arrays, of the fourth order."""
    found: list[Any] = []
    for k, arg in enumerate(args):
        gradient = np.zeros(np.shape(arg))
        for at in np.ndindex(np.shape(arg)):

            def moved(by: float, k: int = k, at: Any = at) -> float:
                given = [np.array(each, float) for each in args]
                given[k][at] += by
                return float(np.sum(function(*(each if each.ndim else float(each) for each in given))))

            near, far = moved(step) - moved(-step), moved(2 * step) - moved(-2 * step)
            gradient[at] = (8.0 * near - far) / (12.0 * step)
        found.append(gradient)
    return found


def check(function: Function, *args: Any, jit: bool = False) -> None:
    """The value and the gradient by all arguments are those of SciPy's own function."""

    def total(*given: Any) -> Any:
        return np.nansum(function(*given))

    value, pullback = bs.vjp(function, *args, jit=jit)
    wanted = function(*args)
    assert np.shape(value) == np.shape(wanted)
    np.testing.assert_allclose(
        value, wanted, rtol=1e-11, atol=1e-11 * (1.0 + np.max(np.abs(np.nan_to_num(wanted))))
    )
    found = pullback(np.ones_like(wanted) if np.ndim(wanted) else 1.0)
    for one, other in zip(found if len(args) > 1 else (found,), slopes(total, args), strict=True):
        np.testing.assert_allclose(np.nan_to_num(one), other, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", turning(18, list(KNOWN)))
def test_known(name: str) -> None:
    curve = KNOWN[name]
    for x in PLACES:
        check(lambda x: curve(x), x)  # noqa: PLW0108  a function around it


@pytest.mark.parametrize("name", turning(18, EVALUATED))
def test_derivatives_and_integrals_of_known(name: str) -> None:
    curve = KNOWN[name]
    for x in (PLACES[1], PLACES[3]):
        check(lambda x: curve(x, 1) + curve(x, nu=2), x)
        check(lambda x: curve.derivative()(x) + curve.antiderivative()(x), x)
    if hasattr(curve, "integrate"):
        for each in (False, "periodic"):
            check(lambda x, each=each: curve.integrate(0.2, x, extrapolate=each), 1.3)
        for x in PLACES[:1] if curve.extrapolate is False or name == "akima" else (1.3, -0.7, 7.2):
            check(lambda x: curve.integrate(0.2, x) + curve.integrate(2.0 * x, 0.1), x)
    else:
        check(lambda x: curve.integral(0.2, x) + curve.integral(2.0 * x, -0.1), 1.3)


@pytest.mark.parametrize(
    "name", turning(18, [each for each in EVALUATED if hasattr(KNOWN[each], "extrapolate")])
)
def test_beyond_of_known(name: str) -> None:
    curve = KNOWN[name]
    for x in PLACES:
        check(lambda x: curve(x, extrapolate="periodic"), x)
        check(lambda x: curve(x, 1, False), x)


KINDS = ("linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic")
FILLS: tuple[dict[str, Any], ...] = (
    {"fill_value": "extrapolate"},
    {"bounds_error": False},
    {"bounds_error": False, "fill_value": (1.0, 2.0)},
    {},
)


@pytest.mark.parametrize("kind", turning(18, KINDS))
def test_interp1d(kind: str) -> None:
    for fill in FILLS:
        for y, axis in ((Y, -1), (COLUMNS, 0), (COLUMNS.T, -1)):
            curve = si.interp1d(T, y, kind=kind, axis=axis, **fill)
            for x in PLACES if fill else PLACES[:3]:
                check(lambda x, curve=curve: curve(x), x)
    with pytest.raises(ValueError, match="below the interpolation range"):
        bs.grad(lambda x: curve(x)[0], jit=False)(-1.0)


MADE: dict[str, Function] = {
    "cubic": lambda x, t, y: si.CubicSpline(t, y)(x),
    "natural": lambda x, t, y: si.CubicSpline(t, y, bc_type="natural")(x, 1),
    "clamped": lambda x, t, y: si.CubicSpline(t, y, bc_type="clamped").derivative()(x),
    "two ends": lambda x, t, y: si.CubicSpline(t, y, bc_type=("not-a-knot", "natural"))(x),
    "integrals": lambda x, t, y: si.CubicSpline(t, y).antiderivative()(x),
    "pchip": lambda x, t, y: si.PchipInterpolator(t, y)(x),
    "akima": lambda x, t, y: si.Akima1DInterpolator(t, y)(x),
    "makima": lambda x, t, y: si.Akima1DInterpolator(t, y, method="makima")(x),
    "lines": lambda x, t, y: si.make_interp_spline(t, y, k=1)(x),
    "barycentric": lambda x, t, y: si.BarycentricInterpolator(t, y)(x),
    "krogh": lambda x, t, y: si.KroghInterpolator(t, y)(x),
    "interp1d": lambda x, t, y: si.interp1d(t, y, axis=0)(x),
    "nearest": lambda x, t, y: si.interp1d(t, y, axis=0, kind="nearest")(x),
    "previous": lambda x, t, y: si.interp1d(t, y, axis=0, kind="previous", fill_value="extrapolate")(x),
    "next": lambda x, t, y: si.interp1d(t, y, axis=0, kind="next", bounds_error=False, fill_value=-1.0)(x),
}
OF_MANY: dict[str, Function] = {
    "spline": lambda x, t, y: si.make_interp_spline(t, y)(x),
    "spline with ends": lambda x, t, y: si.make_interp_spline(t, y, bc_type="natural")(x),
    "quadratic": lambda x, t, y: si.make_interp_spline(t, y, k=2)(x),
    "quintic": lambda x, t, y: si.make_interp_spline(t, y, k=5)(x, 1),
    "interp1d, cubic": lambda x, t, y: si.interp1d(t, y, kind="cubic", axis=0)(x),
    "interp1d, quadratic": lambda x, t, y: si.interp1d(t, y, kind="quadratic", axis=0)(x),
}


def points(n: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    t = np.cumsum(rng.uniform(0.3, 1.0, n))
    return t[0] + np.array([0.15, 0.4, 0.81]) * (t[-1] - t[0]), t, rng.normal(size=n)


@pytest.mark.parametrize("name", turning(18, list(MADE)))
@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_made(name: str, n: int) -> None:
    check(MADE[name], *points(n, n))


@pytest.mark.parametrize("name", turning(18, [*MADE, *OF_MANY]))
def test_made_of_columns(name: str) -> None:
    x, t, _ = points(7, 1)
    check((MADE | OF_MANY)[name], x, t, np.random.default_rng(2).normal(size=(7, 2)))


@pytest.mark.parametrize("name", turning(5, list(OF_MANY)))
def test_made_of_many(name: str) -> None:
    check(OF_MANY[name], *points(7, 3))


def ring(x: Any, t: Any, y: Any) -> Any:
    closed = np.append(y[:-1], y[0])
    return si.CubicSpline(t, closed, bc_type="periodic")(x) + si.make_interp_spline(
        t, closed, bc_type="periodic"
    )(9.0 * x)


def with_slopes(x: Any, t: Any, y: Any) -> Any:
    """The derivatives at the ends vary, too."""
    return si.CubicSpline(t, y, bc_type=((1, y[1]), (2, 2.0 * t[0])))(x) + si.CubicHermiteSpline(
        t, y, np.sin(y)
    )(x)


def controlled(x: Any, _t: Any, y: Any) -> Any:
    """Coefficients of B-splines."""
    return si.BSpline(KNOTS, y[:6], 2)(x) + si.splev(x, (KNOTS, y[:6], 2), der=1) * si.splint(
        0.1, x[0], (KNOTS, y[:6], 2)
    )


def moved_knots(x: Any, t: Any, _y: Any) -> Any:
    knots = np.concatenate((np.zeros(3), t / 3.0, 5.0 * np.ones(3)))
    return si.BSpline(knots, np.arange(12.0) ** 2, 2)(0.5 + 0.1 * x)


def fitted(x: Any, t: Any, y: Any) -> Any:
    one = si.InterpolatedUnivariateSpline(t, y)
    return one(x) * one.integral(0.1, x[1]) + si.InterpolatedUnivariateSpline(t, y, k=2, ext=3)(x)


def by_other_names(x: Any, t: Any, y: Any) -> Any:
    through, fit, kind = si.BarycentricInterpolator, si.InterpolatedUnivariateSpline, si.interp1d
    return through(t, y)(x) + fit(t, y)(x, ext=1) + kind(t, y)(x)


def chosen(x: Any, t: Any, y: Any) -> Any:
    """A branch chooses a curve, a loop makes it again, a list holds some."""
    curve = si.PchipInterpolator(t, y) if y[0] > 0.0 else si.PchipInterpolator(t, y**2)
    for _ in range(2):
        curve = si.PchipInterpolator(t, 0.9 * curve(t))
    both = [si.make_interp_spline(t, y * k, k=1) for k in (1.0, 2.0)]
    return curve(x) * both[1](x) + both[0](x[0])


def asked(x: Any, t: Any, y: Any) -> Any:
    """Equations and conditions read a curve."""
    curve = si.PchipInterpolator(t, np.cumsum(y * y))
    wanted = curve(x[1])
    at = so.brentq(lambda s: curve(s) - wanted, t[0], t[-1])
    near = so.newton(lambda s: curve(s) - wanted, x[1] + 0.01, fprime=lambda s: curve(s, 1))
    k = 0
    while curve(t[k]) < wanted and k < 3:
        k += 1
    is_spline = isinstance(curve, si.PPoly) and type(curve) is si.PchipInterpolator
    return at * x + near + curve(t[k]) * (2.0 if is_spline else 1.0)


IN_OTHER_WAYS = [ring, with_slopes, controlled, moved_knots, fitted, by_other_names, chosen, asked]


@pytest.mark.parametrize("function", turning(9, IN_OTHER_WAYS))
def test_made_in_other_ways(function: Function) -> None:
    for n in (7, 8):
        check(function, *points(n, n))


def loop(y: Any, p: Any) -> Any:
    """One spline, which many calls read."""
    curve = si.CubicSpline(T, y)
    total = 0.0
    for k in range(p.size):
        total += curve(p[k]) ** 2 - 0.1 * curve(p[k], 1)
    grid = si.RegularGridInterpolator((ACROSS, UP), TABLE * y[0])
    return total + curve.integrate(p[0], p[1]) + KNOWN["pchip"](total) + grid((p[0], p[1]))


def table(y: Any, p: Any) -> Any:
    """Lists, and values in a row."""
    return np.sum(
        si.interp1d([0.0, 1.0, 3.0], [y[0], y[1] * y[2], 0.5])(p)
        * np.stack((KNOWN["columns"](p)[:, 0], p))[0]
    )


@pytest.mark.turns(9)
@pytest.mark.compiles
@pytest.mark.parametrize("function", turning(3, [loop, table]))
def test_compiled_and_of_second_order(function: Function) -> None:
    p = np.array([0.4, 1.1, 2.2])
    gradients = bs.grad(function, wrt=("y", "p"))(Y, p)
    for found, wanted in zip(gradients, slopes(function, (Y, p)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-8)
    directions = (np.cos(Y), np.sin(p))
    _, slope = bs.jvp(function, (Y, p), directions, jit=False)
    assert slope == pytest.approx(
        sum(float(g @ d) for g, d in zip(gradients, directions, strict=True)), rel=1e-10
    )
    second = bs.hessian(lambda y: function(y, p), jit=False)(Y)
    gradient = bs.grad(lambda y: function(y, p), jit=False)
    for row, unit in zip(second, np.eye(Y.size), strict=True):
        wanted = (gradient(Y + 1e-5 * unit) - gradient(Y - 1e-5 * unit)) / 2e-5
        np.testing.assert_allclose(row, wanted, rtol=1e-6, atol=1e-6)
    bend = bs.hessian(lambda p: function(Y, p), jit=False)(p)
    np.testing.assert_allclose(bend, bend.T, atol=1e-10)


KERNELS = ("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "gaussian", "inverse_quadratic")


@pytest.mark.parametrize("kernel", turning(6, KERNELS))
def test_radial(kernel: str) -> None:
    rng = np.random.default_rng(6)
    at, values = rng.normal(size=(9, 2)), rng.normal(size=9)
    x = rng.normal(size=(3, 2))
    both = np.stack((values, values**2), 1)

    def function(x: Any, at: Any, values: Any) -> Any:
        return si.RBFInterpolator(at, values, kernel=kernel, epsilon=0.7, smoothing=0.1)(x)

    check(function, x, at, values)
    for degree in (None, 2):
        known = si.RBFInterpolator(at, both, kernel=kernel, epsilon=0.7, degree=degree)
        check(lambda x, known=known: known(x), x)
    check(lambda values: si.splev(T[1:3], si.splrep(T, values), der=1), Y)


ACROSS = np.array([0.0, 0.5, 1.3, 2.0])
UP = np.array([0.0, 1.0, 1.5, 2.2, 3.0])
TABLE = np.random.default_rng(4).normal(size=(4, 5))
ROWS = np.array([[0.3, 0.4], [1.1, 2.9], [1.9, 0.1], [0.7, 1.2]])
OUTSIDE = np.array([[-0.3, 0.4], [1.1, 3.3], [0.2, 0.3]])
GRIDS: dict[str, dict[str, Any]] = {
    "refused": {},
    "nan": {"bounds_error": False},
    "filled": {"bounds_error": False, "fill_value": 3.0},
    "extrapolated": {"bounds_error": False, "fill_value": None},
}


@pytest.mark.parametrize("method", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("beyond", turning(6, list(GRIDS)))
def test_regular_grid(method: str, beyond: str) -> None:
    table = si.RegularGridInterpolator((ACROSS, UP), TABLE, method=method, **GRIDS[beyond])
    for x in (ROWS, ROWS.reshape(2, 2, 2), ROWS[0], *((OUTSIDE,) if GRIDS[beyond] else ())):
        check(lambda x: 2.0 * table(x), x)
    check(lambda x, y: table((x, y)), 0.4, 1.2)
    check(lambda x: table((x, 1.1)), ROWS[:, 0])
    if not GRIDS[beyond]:
        with pytest.raises(ValueError, match="out of bounds in dimension 1"):
            bs.grad(lambda x: table((0.3, x)), jit=False)(7.0)


def test_grids_of_other_axes() -> None:
    rng = np.random.default_rng(5)
    line = si.RegularGridInterpolator((ACROSS[::-1],), TABLE[:, 0])
    check(lambda x: 2.0 * line(x), rng.uniform(0.1, 1.9, (3, 1)))
    cube = si.RegularGridInterpolator((ACROSS, UP, ACROSS), rng.normal(size=(4, 5, 4)))
    check(lambda x: 2.0 * cube(x), rng.uniform(0.1, 1.9, (3, 3)))


@pytest.mark.parametrize("method", ["linear", "nearest"])
def test_grid_of_computed_values(method: str) -> None:
    def function(x: Any, across: Any, table: Any) -> Any:
        made = si.RegularGridInterpolator(
            (across, UP), table, method=method, bounds_error=False, fill_value=2.0
        )
        return made(x)

    check(function, np.concatenate((ROWS, OUTSIDE)), ACROSS, TABLE)
    check(lambda x, table: si.interpn((ACROSS, UP), table, x, method=method), ROWS, TABLE)
    with pytest.raises(ValueError, match="not as many as the values"):
        bs.grad(lambda table: function(ROWS, ACROSS, table)[0], jit=False)(TABLE.T)


@pytest.mark.parametrize("degree", [3, 2])
def test_spline_of_two_variables(degree: int) -> None:
    spline = si.RectBivariateSpline(ACROSS, UP, TABLE, kx=degree, ky=3)
    for x, y in (
        (np.array([0.3, 0.8]), np.array([0.2, 0.6, 2.9])),
        (np.array([-0.3, 0.5]), np.array([0.2, 3.9])),
    ):
        check(lambda x, y: 2.0 * spline(x, y), x, y)
        check(lambda x, y: spline.ev(x, y), x, y[:2])  # noqa: PLW0108  a function around it
    check(lambda x, y: spline.ev(x, y, dx=1) * spline(x, y, dy=1, grid=False), 0.4, 1.2)
    assert bs.grad(lambda x: spline.ev(x, 1.0), jit=False)(0.0) == pytest.approx(spline.ev(0.0, 1.0, dx=1))


def bent(image: Any, at: Any) -> Any:
    return np.sum(nd.map_coordinates(image, at, order=1, mode="mirror") ** 2)


@pytest.mark.parametrize("mode", turning(5, ["constant", "nearest", "mirror"]))
def test_map_coordinates(mode: str) -> None:
    inside = np.stack([np.array([[0.3, 1.2], [2.9, 1.7]]), np.array([[0.4, 3.3], [2.2, 3.9]])])
    outside = np.array([[-0.7, 1.2, 3.4, 2.2], [0.3, -0.4, 1.2, 4.7]])
    for at in (inside, outside):
        check(lambda image, at: nd.map_coordinates(image, at, order=1, mode=mode, cval=2.0), TABLE, at)
        check(lambda image, at: nd.map_coordinates(image, at, order=0, mode=mode), TABLE, at)
    check(lambda line, at: nd.map_coordinates(line, at, order=1, mode=mode), TABLE[0], inside[:1, 0])


@pytest.mark.compiles
def test_map_coordinates_in_compiled_code() -> None:
    at = np.array([[0.2, 1.2, 2.9], [-0.3, 2.4, 3.1]])
    gradients = bs.grad(numba.njit(bent), wrt=("image", "at"))(TABLE, at)
    for found, wanted in zip(gradients, slopes(bent, (TABLE, at)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-8)
    with refused("order", bs.BacksweepError):
        bs.grad(lambda at: nd.map_coordinates(TABLE, at, order=5)[0], jit=False)(at)


def test_an_object_that_another_replaces_or_that_changes() -> None:
    global replaced  # noqa: PLW0603  what is tested
    replaced = si.CubicSpline(T, Y)

    def function(x: float) -> Any:
        return replaced(x) + replaced(0.7) * x

    def wanted() -> Any:
        return pytest.approx(replaced(1.3, 1) + replaced(0.7))

    gradient = bs.grad(function, jit=False)
    assert gradient(1.3) == wanted()
    replaced = si.PchipInterpolator(T, Y)
    assert gradient(1.3) == wanted()
    replaced.c[...] *= 2.0
    assert gradient(1.3) == wanted()
    slope = bs.grad(lambda x: replaced(0.7) * x, jit=False)
    assert slope(1.3) == replaced(0.7)
    replaced.c[...] *= 2.0
    assert slope(1.3) == replaced(0.7)


replaced: Any = None


def test_other_objects_that_another_replaces() -> None:
    """Of classes of NumPy's, too."""
    global replaced  # noqa: PLW0603  what is tested
    replaced = np.poly1d([1.0, 2.0, 3.0])

    def function(x: float) -> Any:
        return replaced(x)

    gradient = bs.grad(function, jit=False)
    assert gradient(2.0) == 6.0
    replaced = np.poly1d([5.0, 0.0])
    assert gradient(2.0) == 5.0


def test_the_place_in_a_table_is_not_checked_again() -> None:
    """The interval is `min(max(..., 0), 5)`, of which the compiler knows that it is from 0 to 5."""
    gradient = bs.grad(lambda x: KNOWN["cubic"](x) ** 2, jit=False)
    gradient(1.3)
    assert "IndexError" not in gradient.source(1.3)


def test_slopes_outside_are_nan_where_values_are() -> None:
    curve = KNOWN["akima"]
    assert math.isnan(bs.grad(lambda x: 2.0 * curve(x), jit=False)(9.0))
    np.testing.assert_array_equal(
        np.isnan(bs.grad(lambda x: np.sum(curve(x)), jit=False)(np.array([-1.0, 1.3]))), [True, False]
    )


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: si.UnivariateSpline(T, x * Y)(0.3), "no derivative for `si.UnivariateSpline` of values"),
        (lambda x: si.CubicSpline(T, x * COLUMNS, axis=1)(0.3)[0], "along the axis 0 alone"),
        (lambda x: si.make_interp_spline(T, x * Y, k=7)(0.3), "not supported of degree 7"),
        (lambda x: si.CubicSpline(T, x * Y).roots(), "no text that could be differentiated"),
        (lambda x: si.make_interp_spline(T, x * Y).c[0], "`c` of a `make_interp_spline` has no text"),
        (lambda x: KNOWN["krogh"].derivative(x)[0], "no text that could be differentiated"),
        (lambda x: KNOWN["cubic"](x, -1), "not one of 0, 1, 2"),
        (lambda x: KNOWN["cubic"](x, k=2), "does not fit"),
        (lambda x: KNOWN["cubic"](1j * x).real, "something other than real numbers"),
        (lambda x: 2.0 * si.interp1d(T, Y, kind="odd")(x), "NotImplementedError: odd is unsupported"),
    ],
)
def test_refused(function: Function, message: str) -> None:
    with refused(message):
        bs.grad(function, jit=False)(1.3)


SURFACE = (
    np.array([0.0, 0.0, 0.0, 0.7, 0.7, 2.0, 2.0, 2.0]),
    np.array([0.0, 0.0, 1.2, 3.0, 3.0]),
    np.random.default_rng(5).normal(size=15),
    2,
    1,
)


@pytest.mark.parametrize("jit", [False, True])
def test_surfaces(jit: bool) -> None:
    """Of numbers and vectors, also outside of the knots, with gradients by the points and by the coefficients."""
    at, up = np.array([-0.2, 0.3, 0.9, 2.4]), np.array([0.1, 1.9])
    check(lambda x, y: si.bisplev(x, y, SURFACE), at, up, jit=jit)
    check(lambda x: si.bisplev(x[0], x[1] * x[0], SURFACE, dx=1), up, jit=jit)
    tx, ty, c, kx, ky = SURFACE
    check(lambda x, c: si.bisplev(x[1], x, (tx, ty, c, kx, ky)) * x, up, c, jit=jit)
    if not jit:
        with pytest.raises(ValueError, match="Invalid input data"):
            bs.vjp(lambda x: si.bisplev(x, 0.5, SURFACE), up[::-1].copy(), jit=False)


def test_surfaces_of_other_forms_are_refused() -> None:
    with pytest.raises(bs.UnsupportedError, match="no vectors"):
        bs.vjp(lambda x: si.bisplev(x, 0.5, SURFACE), np.ones((2, 2)), jit=False)
    with pytest.raises(bs.UnsupportedError, match="knots, coefficients and degrees"):
        bs.grad(lambda x: si.bisplev(x, 0.5, SURFACE[:4]), jit=False)(0.5)
    with pytest.raises(bs.UnsupportedError, match="orders below"):
        bs.grad(lambda x: si.bisplev(x, 0.5, SURFACE, dy=1), jit=False)(0.5)
