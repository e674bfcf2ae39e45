"""Objects of NumPy's classes of polynomials: `np.poly1d(c)(x)` is `np.polyval(c, x)`, and `p * q` has coefficients of `np.polymul`.

Such an object exists while compiling: its class, its coefficients, and where they were given its domain and window.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from backsweep.frontend.constructs.comprehensions import as_array
from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special
from backsweep.frontend.context.scope import Bound
from backsweep.ir.nodes import Const, Operand, Value, is_none
from backsweep.ir.types import Array, Scalar

VALUES: Mapping[Any, Any] = {
    np.poly1d: np.polyval,
    polynomial.Polynomial: polynomial.polyval,
    chebyshev.Chebyshev: chebyshev.chebval,
    legendre.Legendre: legendre.legval,
    hermite.Hermite: hermite.hermval,
    hermite_e.HermiteE: hermite_e.hermeval,
    laguerre.Laguerre: laguerre.lagval,
}
"""The classes, each with the function that gives the values of their objects."""


@dataclass(frozen=True, slots=True)
class Algebra:
    """The functions of coefficients that stand for what is done with objects of a class."""

    sum: Any
    difference: Any
    product: Any
    slope: Any
    integral: Any


ALGEBRA: Mapping[Any, Algebra] = {
    np.poly1d: Algebra(np.polyadd, np.polysub, np.polymul, np.polyder, np.polyint),
    polynomial.Polynomial: Algebra(
        polynomial.polyadd,
        polynomial.polysub,
        polynomial.polymul,
        polynomial.polyder,
        polynomial.polyint,
    ),
}
"""The classes whose objects can be combined and differentiated."""
INSTEAD = "call a function of the coefficients, as np.polyder(c), np.polymul(a, b), polynomial.polyder(c)"
ENDS = ("domain", "window")


def offset_and_scale(domain: Any, window: Any) -> Any:
    """What `polyutils.mapparms` gives: the line that takes one interval to the other."""
    length = domain[1] - domain[0]
    offset = (domain[1] * window[0] - domain[0] * window[1]) / length
    return offset, (window[1] - window[0]) / length


def on_window(x: Any, domain: Any, window: Any) -> Any:
    """The place in the window of a place in the domain."""
    offset, scale = offset_and_scale(domain, window)
    return offset + scale * x


def of_slope(y: Any, domain: Any, window: Any, times: int) -> Any:
    """Coefficients of a derivative by the place in the window, as one by the place in the domain."""
    return y * offset_and_scale(domain, window)[1] ** times


def made_of_coefficients(made: Any) -> Special:
    """What lowers the call of a class: to a function of points, which exists while compiling."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        names = ("coef",) if made is np.poly1d else ("coef", *ENDS)
        given = {**dict(zip(names, args, strict=False)), **keywords}
        given = {name: each for name, each in given.items() if name == "coef" or not is_none(each)}
        if len(args) > len(names) or not {"coef"} <= given.keys() <= set(names):
            message = f"`{ast.unparse(node.func)}` is supported with coefficients, domain and window alone"
            if made is np.poly1d:
                message = "`np.poly1d` is supported with coefficients alone"
            raise lowerer.refuse("BS113", message, node, "make coefficients of zeros with np.poly")
        vector = _vector(lowerer, given.pop("coef"), node)
        if given:
            given = {
                name: _vector(lowerer, given[name], node)
                if name in given
                else Const(np.array(getattr(made, name), np.float64))
                for name in ENDS
            }
        if made is np.poly1d:  # which shares memory with what it is made of
            return _object(made, vector, given)
        copied = {name: _copied(lowerer, each, node) for name, each in given.items()}
        return _object(made, _copied(lowerer, vector, node), copied)

    return special


def _copied(lowerer: Lowerer, vector: Operand, node: ast.AST) -> Operand:
    return lowerer.apply(np.copy, (vector,), node) if isinstance(vector, Value) else vector


def _object(made: Any, vector: Operand, ends: Mapping[str, Operand]) -> Operand:
    return Const(Bound(Const(values_of), (Const(made), vector), ends))


def _vector(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Operand:
    """The operand as an array: a number is the one entry of it."""
    type_ = asked_type(lowerer, operand, node)
    if isinstance(type_, Scalar):
        return lowerer.apply(np.array, (lowerer.make_tuple((operand,), node),), node)
    return operand if isinstance(type_, Array) else as_array(lowerer, operand, node)


def values_of(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower the call of an object: its values at a point or at the points of an array."""
    made, coefficients, *points = args
    assert isinstance(made, Const)
    if len(points) != 1 or not keywords.keys() <= set(ENDS) or _parts(points[0]) is not None:
        message = "a polynomial is called with one point, or with an array of them"
        raise lowerer.refuse("BS113", message, node, "write p(x)")
    x = points[0]
    if keywords:
        x = lowerer.inline(on_window, (x, *(keywords[name] for name in ENDS)), {}, node)
    order = (coefficients, x) if made.value is np.poly1d else (x, coefficients)
    return lowerer.call(Const(VALUES[made.value]), order, {}, node)


def _parts(operand: Operand) -> tuple[Any, Operand, Mapping[str, Operand]] | None:
    """The class of an object, its coefficients, and its ends; None for what is no such object."""
    found = operand.value if isinstance(operand, Const) else None
    function = found.function if isinstance(found, Bound) else None
    if not isinstance(found, Bound) or not isinstance(function, Const) or function.value is not values_of:
        return None
    made, vector = found.args
    assert isinstance(made, Const)
    return made.value, vector, found.keywords


def coefficients_of(lowerer: Lowerer, base: Operand, name: str, node: ast.AST) -> Operand | None:
    """The coefficients of an object, as floats, its ends, or its method; None for what is no such object. Other attributes are refused."""
    parts = _parts(base)
    if parts is None:
        return None
    made, vector, ends = parts
    if name == "coef" and made is not np.poly1d:
        return lowerer.apply(operator.mul, (vector, Const(1.0)), node)
    if name in ENDS and made is not np.poly1d:
        return ends.get(name, Const(np.array(getattr(made, name))))
    if name in ("deriv", "integ") and made in ALGEBRA:
        return Const(Bound(Const(slope_of if name == "deriv" else integral_of), (base,), {}))
    message = f"the attribute `{name}` of a polynomial cannot be differentiated"
    raise lowerer.refuse("BS109", message, node, INSTEAD)


def slope_of(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `p.deriv(m)`."""
    made, vector, ends = _parts(args[0]) or (None, args[0], {})
    given = {**dict(zip(("m",), args[1:], strict=False)), **keywords}
    times = _times(lowerer, given.pop("m", Const(1)), given, len(args) > 2, node)
    found = lowerer.call(Const(ALGEBRA[made].slope), (vector, Const(times)), {}, node)
    if ends and times:
        found = lowerer.inline(
            of_slope, (found, *(ends[name] for name in ENDS), Const(float(times))), {}, node
        )
    return _object(made, found, ends)


def integral_of(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `p.integ(m)`, and `p.integ(m, k)` with constants of `np.poly1d`."""
    made, vector, ends = _parts(args[0]) or (None, args[0], {})
    given = {**dict(zip(("m", "k"), args[1:], strict=False)), **keywords}
    of_constants = {"k": given.pop("k")} if made is np.poly1d and "k" in given else {}
    times = _times(lowerer, given.pop("m", Const(1)), given, len(args) > 3, node)
    found = lowerer.call(Const(ALGEBRA[made].integral), (vector, Const(times)), of_constants, node)
    if ends and times:
        found = lowerer.inline(
            of_slope, (found, *(ends[name] for name in ENDS), Const(-float(times))), {}, node
        )
    return _object(made, found, ends)


def _times(lowerer: Lowerer, m: Operand, rest: Keywords, has_more: bool, node: ast.Call) -> int:
    """How often a polynomial is differentiated or integrated."""
    if rest or has_more or not isinstance(m, Const) or type(m.value) is not int or m.value < 0:
        message = "a polynomial is differentiated and integrated m times, as written out, from 0 and with no other arguments"
        raise lowerer.refuse("BS113", message, node, "write p.deriv(2) or p.integ(2)")
    return m.value


def combined(
    lowerer: Lowerer, op: type[ast.operator], left: Operand, right: Operand, node: ast.AST
) -> Operand | None:
    """The object that an operator makes of two, or of one and a number or coefficients; None if neither side is an object."""
    sides = [_parts(side) for side in (left, right)]
    known = [side for side in sides if side is not None]
    if not known:
        return None
    made, vector, ends = known[0]
    ways = {ast.Add: "sum", ast.Sub: "difference", ast.Mult: "product"}
    if made in ALGEBRA and op is ast.Div and sides[1] is None:
        return _object(made, lowerer.apply(operator.truediv, (vector, right), node), ends)
    if made in ALGEBRA and op is ast.Pow and isinstance(right, Const) and type(right.value) is int:
        if 0 < right.value <= LARGEST_POWER and sides[1] is None:
            found = vector
            for _ in range(right.value - 1):
                found = lowerer.call(Const(ALGEBRA[made].product), (found, vector), {}, _as_call(node))
            return _object(made, found, ends)
    if made not in ALGEBRA or op not in ways or any(each[0] is not made for each in known):
        raise lowerer.refuse("BS113", "this operator of a polynomial is not supported", node, INSTEAD)
    if len(known) == 2 and known[0][2] != known[1][2]:
        message = "polynomials with domains are combined, of which the run may find that they differ"
        raise lowerer.refuse("BS113", message, node, "leave out domain and window, and scale the argument")
    operands = [
        _vector(lowerer, operand, node) if side is None else side[1]
        for operand, side in zip((left, right), sides, strict=True)
    ]
    function = getattr(ALGEBRA[made], ways[op])
    return _object(made, lowerer.call(Const(function), tuple(operands), {}, _as_call(node)), ends)


LARGEST_POWER = 8
"""Up to this exponent, a power is written as products."""


def _as_call(node: ast.AST) -> ast.Call:
    """An operator as the call of a function, at its place."""
    function = ast.copy_location(ast.Name("polynomial", ast.Load()), node)
    return ast.copy_location(ast.Call(function, [], []), node)


def negative(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Operand | None:
    """The object with the opposite coefficients; None for what is no object."""
    parts = _parts(operand)
    if parts is None:
        return None
    made, vector, ends = parts
    return _object(made, lowerer.apply(operator.neg, (vector,), node), ends)


def of_an_object(
    lowerer: Lowerer, thing: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower the call of an object of one of the classes that was made outside."""
    made = type(thing)
    vector = Const(np.asarray(thing.coef, np.float64 if thing.coef.dtype.kind in "iu" else None))
    if made is not np.poly1d and len(args) == 1:
        offset, scale = thing.mapparms()
        if (offset, scale) != (0.0, 1.0):
            scaled = lowerer.apply(operator.mul, (args[0], Const(float(scale))), node)
            args = (lowerer.apply(operator.add, (scaled, Const(float(offset))), node),)
    return values_of(lowerer, (Const(made), vector, *args), keywords, node)


SERIES: Mapping[object, Special] = {
    **{made: made_of_coefficients(made) for made in VALUES},
    values_of: values_of,
    slope_of: slope_of,
    integral_of: integral_of,
}
"""The classes, each with what lowers its calls, and what lowers calls of their objects."""
