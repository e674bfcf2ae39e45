"""Curves that a program makes of computed values: which text of ours gives their coefficients."""

from __future__ import annotations

import ast
import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.frontend.constructs.comprehensions import as_array
from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_elements, known_object
from backsweep.frontend.objects.arguments import by_name, option, required
from backsweep.frontend.objects.known_curves import BEYOND, EXT, STEPS, kind_of
from backsweep.frontend.objects.pieces import Pieces, integral, value
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.ir.types import Array
from backsweep.runtime.interpolants.table import text

Maker = Callable[[Lowerer, tuple[Operand, ...], Keywords, ast.Call], Any]
LARGEST_DEGREE = 5
SPLINE_ENDS = {"not-a-knot": 0, "clamped": 1, "natural": 2}
"""What `bc_type` calls the condition at an end, by the order of the derivative that is given there."""


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """A call of what makes a curve: its operands by the names of SciPy's parameters."""

    lowerer: Lowerer
    node: ast.Call
    given: Mapping[str, Operand]

    @classmethod
    def of(
        cls, lowerer: Lowerer, names: str, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
    ) -> Call:
        """The call, whose first two parameters are the points and the values."""
        parameters = tuple(names.split())
        given = by_name(lowerer, parameters, args, keywords, node)
        required(lowerer, given, parameters[:2], node)
        return cls(lowerer, node, given)

    @property
    def called(self) -> str:
        """The call's name in the program."""
        return ast.unparse(self.node.func)

    def option(self, name: str, default: object) -> Any:
        """The value of an option."""
        return option(self.lowerer, self.given, name, default, self.node)

    def plain(self, **defaults: object) -> None:
        """Refuse options that do not have these values."""
        for name, default in defaults.items():
            said = self.option(name, default)
            if said is not default and said != default:
                raise self.refused(f"is not supported with {name}={said!r}", "leave it out")

    def refused(self, what: str, remedy: str) -> Exception:
        """The error for a call that is not supported."""
        message = f"`{self.called}` of computed values {what}"
        return self.lowerer.refuse("BS113", message, self.node, remedy)

    def text(self, name: str, *operands: Operand, module: str = "cubic") -> Operand:
        """The result of a text of ours; where all operands are constants, it runs while compiling."""
        function = text(module, name)
        if all(isinstance(each, Const) for each in operands) and module == "bsplines":
            return Const(function(*(each.value for each in operands if isinstance(each, Const))), name)
        return self.lowerer.inline(function, operands, {}, self.node)

    def expression(self, text: str, **hidden: Operand) -> Operand:
        """The value of an expression of ours, whose variables begin with `_`."""
        named = {f".{name}": operand for name, operand in hidden.items()}
        return run_text(self.lowerer, "part", f"return {text}", named, self.node)

    def array(self, name: str) -> tuple[Operand, int]:
        """An operand as an array of floats, and its number of axes."""
        found = self.given[name]
        if known_elements(self.lowerer.context, found) is not None:
            found = as_array(self.lowerer, found, self.node)
        if isinstance(found, Const):
            made = np.asarray(found.value)
            type_: Any = Array(str(made.dtype), made.ndim)
            if made.dtype.kind in "iub":
                found, type_ = Const(made.astype(np.float64), found.name), Array("float64", made.ndim)
        else:
            type_ = asked_type(self.lowerer, found, self.node)
        if not isinstance(type_, Array) or type_.dtype.startswith("complex") or type_.ndim > 2:
            raise self.refused(
                f"takes arrays of real numbers of one or two axes as `{name}`",
                "reshape the array, or take its real part",
            )
        if type_.dtype != "float64":
            found = self.expression("_x.astype(_double)", x=found, double=Const(np.float64))
        return found, type_.ndim

    def curve(self, name: str, degree: int, x: Operand, y: Operand, *options: Operand) -> Operand:
        """The coefficients of the pieces that a text of ours gives for a vector of values."""
        pieces = Const(text("cubic", name))
        return self.text("by_columns", pieces, Const(degree), self.count(x), x, y, *options)

    def count(self, x: Operand) -> Operand:
        """How many points there are."""
        return Const(x.value.size) if isinstance(x, Const) else self.expression("_x.size", x=x)

    def points(self) -> tuple[Operand, Operand, int]:
        """The points, the values with the axis of the points first, and the number of axes of these."""
        (x, ndim), (y, columns) = self.array("x"), self.array("y")
        if ndim != 1:
            raise self.refused("takes a vector of points", "call it once for each row of points")
        if isinstance(x, Value):
            x = self.text("checked", x)
        elif np.any(np.diff(x.value) <= 0.0):
            raise self.refused("takes points that increase", "sort them, and the values with them")
        return x, y, columns

    def ends(self, x: Operand) -> dict[str, Operand]:
        """The first and the last point."""
        return {"first": self.expression("_x[0]", x=x), "last": self.expression("_x[-1]", x=x)}

    def pieces(self, degree: int, c: Operand, breaks: Operand, ndim: int, **more: Any) -> Pieces:
        """The curve with these coefficients."""
        name = self.called.rpartition(".")[2]
        more |= {} if "first" in more else self.ends(breaks)
        columns = () if ndim == 1 else None
        return Pieces(called=name, degree=degree, c=c, breaks=breaks, columns=columns, **more)

    def beyond(self, default: object) -> str:
        """What the curve is outside of its domain."""
        said = self.option("extrapolate", None)
        said = default if said is None else said
        if said not in BEYOND:
            raise self.refused(f"is not supported with extrapolate={said!r}", "write True or False")
        return BEYOND[said]


def cubic_spline(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Pieces:
    """Lower `CubicSpline(x, y)`."""
    call = Call.of(lowerer, "x y axis bc_type extrapolate", args, keywords, node)
    call.plain(axis=0)
    x, y, ndim = call.points()
    is_ring = _is_ring(call)
    beyond = call.beyond("periodic" if is_ring else True)
    return call.pieces(3, _spline(call, x, y), x, ndim, beyond=beyond)


def _is_ring(call: Call) -> bool:
    """Whether the curve is periodic."""
    known = known_object(call.lowerer.context, call.given.get("bc_type", Const(None)))
    return known is not None and known[0] == "periodic"


def _spline(call: Call, x: Operand, y: Operand) -> Operand:
    """The coefficients of a cubic spline with the conditions at its ends."""
    if _is_ring(call):
        return call.curve("ring", 3, x, y)
    said = call.given.get("bc_type", Const("not-a-knot"))
    if isinstance(said, Const) and said.value is None:
        said = Const("not-a-knot")
    is_word = isinstance(said, Const) and isinstance(said.value, str)
    both = (said, said) if is_word else known_elements(call.lowerer.context, said)
    if both is None or len(both) != 2:
        raise call.refused("takes one or two conditions as `bc_type`", "write bc_type='natural'")
    return call.curve("spline", 3, x, y, *_end(call, both[0]), *_end(call, both[1]))


def _end(call: Call, said: Operand) -> tuple[Operand, Operand]:
    """The order of the derivative that is given at an end, and its value."""
    if isinstance(said, Const) and isinstance(said.value, str) and said.value in SPLINE_ENDS:
        return Const(SPLINE_ENDS[said.value]), Const(0.0)
    parts = known_elements(call.lowerer.context, said)
    if parts is not None and len(parts) == 1:  # as `make_interp_spline` has it
        parts = known_elements(call.lowerer.context, parts[0])
    if parts is not None and len(parts) == 2 and isinstance(parts[0], Const) and parts[0].value in (1, 2):
        return parts[0], parts[1]
    raise call.refused(
        "takes 'not-a-knot', 'clamped', 'natural', 'periodic' or (order, value) as `bc_type`",
        "write bc_type=((1, slope), (2, 0.0))",
    )


def hermite_spline(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Pieces:
    """Lower `CubicHermiteSpline(x, y, dydx)`."""
    call = Call.of(lowerer, "x y dydx axis extrapolate", args, keywords, node)
    required(lowerer, call.given, ("x", "y", "dydx"), node)
    call.plain(axis=0)
    x, y, ndim = call.points()
    slopes, columns = call.array("dydx")
    if ndim != 1 or columns != 1:
        raise call.refused("takes vectors", "make a spline of each column")
    c = call.curve("cubics", 3, x, y, slopes)
    return call.pieces(3, c, x, ndim, beyond=call.beyond(True))


def monotone(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Pieces:
    """Lower `PchipInterpolator(x, y)`."""
    call = Call.of(lowerer, "x y axis extrapolate", args, keywords, node)
    call.plain(axis=0)
    x, y, ndim = call.points()
    return call.pieces(3, call.curve("monotone", 3, x, y), x, ndim, beyond=call.beyond(True))


def akima(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Pieces:
    """Lower `Akima1DInterpolator(x, y)`."""
    call = Call.of(lowerer, "x y axis method extrapolate", args, keywords, node)
    call.plain(axis=0)
    method = call.option("method", "akima")
    if method not in ("akima", "makima"):
        raise call.refused(f"is not supported with method={method!r}", "write 'akima' or 'makima'")
    x, y, ndim = call.points()
    modified = Const(method == "makima")
    if ndim == 1:
        c = call.curve("akima", 3, x, y, modified)
    else:
        c = call.text("akima_by_columns", call.count(x), x, y, modified)
    return call.pieces(3, c, x, ndim, beyond=call.beyond(False))


def interpolating_spline(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Pieces:
    """Lower `make_interp_spline(x, y, k)`."""
    call = Call.of(lowerer, "x y k t bc_type axis check_finite", args, keywords, node)
    call.plain(axis=0, t=None)
    x, y, ndim = call.points()
    beyond = "periodic" if _is_ring(call) else "extrapolated"
    return _spline_of_degree(call, x, y, ndim, call.option("k", 3), beyond=beyond, clipped=True)


def fitted_spline(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Pieces:
    """Lower `InterpolatedUnivariateSpline(x, y)`."""
    call = Call.of(lowerer, "x y w bbox k ext check_finite", args, keywords, node)
    call.plain(w=None, bbox=(None, None))
    x, y, ndim = call.points()
    ext = call.option("ext", 0)
    if ndim > 1 or ext not in EXT:
        raise call.refused("takes vectors, and one of 0 to 3 as `ext`", "make a spline of each column")
    ends = {"beyond": EXT[ext], "below": Const(0.0), "above": Const(0.0)}
    return _spline_of_degree(call, x, y, ndim, call.option("k", 3), clipped=True, **ends)


def _spline_of_degree(call: Call, x: Operand, y: Operand, ndim: int, k: object, **more: Any) -> Pieces:
    """The spline of a degree through points."""
    if k == 1 and "bc_type" not in call.given:
        return call.pieces(1, call.curve("lines", 1, x, y), x, ndim, **more)
    if k == 3:
        if not _has_ends(call):
            x = call.text("enough", x, Const(3))
        return call.pieces(3, _spline(call, x, y), x, ndim, **more)
    if type(k) is not int or not 2 <= k <= LARGEST_DEGREE or _has_ends(call):
        raise call.refused(
            f"is not supported of degree {k!r} with these ends", "take degree 3, or 1 to 5 without `bc_type`"
        )
    degree, count = Const(k), call.count(x)
    t = call.text("knots_through", count, degree, x, module="bsplines")
    ab = call.text("values_at_points", count, degree, t, x, module="bsplines")
    c = call.text("coefficients", degree, ab, y, module="bsplines")
    return _of_knots(call, t, c, k, ndim, first_and_last=x, **more)


def _has_ends(call: Call) -> bool:
    """Whether the call says what holds at the ends."""
    said = call.given.get("bc_type", Const(None))
    return not (isinstance(said, Const) and said.value in (None, "not-a-knot"))


def _of_knots(
    call: Call, t: Operand, c: Operand, k: int, ndim: int, first_and_last: Operand | None = None, **more: Any
) -> Pieces:
    """The pieces of a sum of B-splines."""
    degree = Const(k)
    m = call.text("polynomials", degree, t, module="bsplines")
    pieces = call.text("pieces", degree, m, c, module="bsplines")
    if isinstance(t, Const):
        breaks: Operand = Const(np.ascontiguousarray(t.value[k : t.value.size - k]), "breaks")
    else:
        breaks = call.expression("_t[_k : _t.size - _k]", t=t, k=degree)
    ends = {} if first_and_last is None or "first" in more else call.ends(first_and_last)
    return call.pieces(k, pieces, breaks, ndim, **ends, **more)


def sum_of_bsplines(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Pieces:
    """Lower `BSpline(t, c, k)`."""
    call = Call.of(lowerer, "t c k extrapolate axis", args, keywords, node)
    required(lowerer, call.given, ("t", "c", "k"), node)
    call.plain(axis=0)
    return _of_call_with_knots(call, beyond=call.beyond(True))


def _of_call_with_knots(call: Call, **more: Any) -> Pieces:
    """The pieces of what a call says of knots, coefficients and degree."""
    k = call.option("k", 3)
    (t, axes), (c, ndim) = call.array("t"), call.array("c")
    if type(k) is not int or not 1 <= k <= LARGEST_DEGREE or axes != 1:
        raise call.refused("takes a vector of knots and a degree of 1 to 5", "write the degree as a literal")
    return _of_knots(call, t, c, k, ndim, clipped=True, **more)


def values_of_tck(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `splev(x, tck)`."""
    call = Call.of(lowerer, "x tck der ext", args, keywords, node)
    ext, order = call.option("ext", 0), call.option("der", 0)
    if ext not in EXT or type(order) is not int or order < 0:
        raise call.refused("takes one of 0 to 3 as `ext`, and 0, 1, ... as `der`", "leave them out")
    ends = {"beyond": EXT[ext], "below": Const(0.0), "above": Const(0.0)}
    return value(lowerer, _of_tck(call, **ends), call.given["x"], order, node)


def integral_of_tck(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower `splint(a, b, tck)`."""
    call = Call.of(lowerer, "a b tck", args, keywords, node)
    required(lowerer, call.given, ("a", "b", "tck"), node)
    pieces = _of_tck(call)
    return integral(lowerer, pieces, call.given["a"], call.given["b"], "filled", node)


def _of_tck(call: Call, **more: Any) -> Pieces:
    """The spline that knots, coefficients and a degree stand for."""
    tck = call.given["tck"]
    parts = known_elements(call.lowerer.context, tck)
    thing: Any = tck.value if isinstance(tck, Const) else None
    if parts is None and kind_of(thing) == "BSpline":
        parts = (Const(thing.t, "knots"), Const(thing.c, "coefficients"), Const(thing.k))
    if parts is None or len(parts) != 3:
        raise call.refused("takes the knots, the coefficients and the degree", "write splev(x, (t, c, k))")
    given = dict(zip("tck", parts, strict=True))
    return _of_call_with_knots(dataclasses.replace(call, given=given), **more)


def line_or_steps(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Pieces:
    """Lower `interp1d(x, y, kind)`."""
    names = "x y kind axis copy bounds_error fill_value assume_sorted"
    call = Call.of(lowerer, names, args, keywords, node)
    x, y, ndim = call.points()
    kind, axis = call.option("kind", "linear"), call.option("axis", -1) % ndim
    if axis:
        y = call.expression("_y.T", y=y)
    if not call.option("assume_sorted", False) and not _is_sorted(x):
        order = call.expression("_argsort(_x)", x=x, argsort=Const(np.argsort))
        x, y = (call.expression("_a[_order]", a=each, order=order) for each in (x, y))
    fill = call.given.get("fill_value", Const(math.nan))
    more: dict[str, Any] = {"beyond": "refused", "axis": axis, **call.ends(x)}
    pair = known_elements(lowerer.context, fill)
    if isinstance(fill, Const) and fill.value == "extrapolate":
        more["beyond"] = "extrapolated"
    elif call.option("bounds_error", None) is False:
        below, above = pair if pair is not None and len(pair) == 2 else (fill, fill)
        more |= {"beyond": "filled", "below": _number(call, below), "above": _number(call, above)}
    if kind in STEPS:
        c, breaks = _steps(call, kind, x, y)
        side = "right" if kind in ("nearest-up", "previous") else "left"
        return call.pieces(0, c, breaks, ndim, side=side, **more)
    degrees = {"linear": 1, "slinear": 1, "quadratic": 2, "cubic": 3}
    return _spline_of_degree(call, x, y, ndim, degrees.get(kind, kind), **more)


def _is_sorted(x: Operand) -> bool:
    return isinstance(x, Const) and bool(np.all(np.diff(x.value) >= 0.0))


def _number(call: Call, fill: Operand) -> Operand:
    """What is taken outside of the points: a number."""
    if isinstance(fill, Value) and isinstance(asked_type(call.lowerer, fill, call.node), Array):
        raise call.refused("takes numbers as `fill_value`", "add the columns outside of the points yourself")
    return fill


def _steps(call: Call, kind: str, x: Operand, y: Operand) -> tuple[Operand, Operand]:
    """The values as pieces without slopes, and where they begin."""
    infinite = Const(math.inf)
    texts = {
        "nearest": "_join((_array([-_inf]), 0.5 * _x[1:] + 0.5 * _x[:-1], _array([_inf])))",
        "previous": "_join((_x, _array([_inf])))",
        "next": "_join((_array([-_inf]), _x))",
    }
    text = texts["nearest" if kind == "nearest-up" else kind]
    hidden = {"join": Const(np.concatenate), "array": Const(np.array), "inf": infinite, "x": x}
    return call.expression("_expand(_y, 0)", y=y, expand=Const(np.expand_dims)), call.expression(
        text, **hidden
    )


MADE: Mapping[str, Maker] = {
    "CubicSpline": cubic_spline,
    "CubicHermiteSpline": hermite_spline,
    "PchipInterpolator": monotone,
    "Akima1DInterpolator": akima,
    "make_interp_spline": interpolating_spline,
    "InterpolatedUnivariateSpline": fitted_spline,
    "BSpline": sum_of_bsplines,
    "splev": values_of_tck,
    "splint": integral_of_tck,
    "interp1d": line_or_steps,
}
"""What makes a curve of computed values, by the names of SciPy's classes and functions."""
