"""Lower what programs do with interpolants of `scipy.interpolate`, whether they are made in the function or around it.

Numba knows none of these objects, so that they occur in plain Python functions alone. One that is made around the function, or in
it of constants, is SciPy's own object; of one that is made of computed values there are its pieces and their coefficients.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import Bound, known_object
from backsweep.frontend.objects import grids, polynomials
from backsweep.frontend.objects.arguments import by_name, option, required
from backsweep.frontend.objects.grids import Grid
from backsweep.frontend.objects.known_curves import BEYOND, DATA, EXT, kind_of, pieces_of
from backsweep.frontend.objects.made_curves import MADE, Maker
from backsweep.frontend.objects.pieces import Pieces, antiderivative_of, integral, value
from backsweep.frontend.objects.polynomials import FORMULAS, Polynomial
from backsweep.ir.nodes import Const, Operand
from backsweep.reading.names import is_data

HOME = "scipy.interpolate"
CURVES = (Pieces, Polynomial, Grid)
Interpolant = Pieces | Polynomial | Grid
MAKERS: Mapping[str, Maker] = {
    **MADE,
    **{name: functools.partial(polynomials.made, name) for name in FORMULAS},
    **grids.TABLES,
}
"""What makes an interpolant of computed values, by the names of SciPy's classes and functions."""
REMEDY = "make the spline outside of the function, or have Python run it with bs.pure_python and declare its derivative with bs.rule"


def is_made(operand: Operand) -> bool:
    """Whether the operand is an interpolant that the function makes."""
    if not isinstance(operand, Const) or not isinstance(operand.value, Bound):
        return False
    function = operand.value.function
    return isinstance(function, Const) and isinstance(function.value, CURVES)


def method_of_made(
    lowerer: Lowerer, bound: Bound, name: str, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower `CubicSpline(t, y).derivative()`, of a spline that the function makes."""
    assert isinstance(bound.function, Const)
    return _method(lowerer, bound.function.value.over(bound.args), name, args, keywords, node)


def attribute_of_made(lowerer: Lowerer, bound: Bound, name: str, node: ast.AST) -> Operand:
    """Read the coefficients or the breaks of a piecewise polynomial that the function makes."""
    assert isinstance(bound.function, Const)
    curve = bound.function.value.over(bound.args)
    if isinstance(curve, Pieces) and curve.has_pieces and not curve.order and name in ("c", "x"):
        return curve.c if name == "c" else curve.breaks
    message = f"the attribute `{name}` of a `{curve.called}` that the function makes is not known"
    raise lowerer.refuse("BS109", message, node, "call it, its derivative or its integral")


def called(
    lowerer: Lowerer, thing: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower the call of an interpolant, of a method of one, or of what makes one; None for other functions."""
    if isinstance(thing, CURVES):
        count = len(thing.operands)
        return _method(lowerer, thing.over(args[:count]), "__call__", args[count:], keywords, node)
    if _is_known(thing):
        return _of_known(lowerer, thing, "__call__", args, keywords, node)
    owner = getattr(thing, "__self__", None)
    if owner is not None and _is_known(owner):
        return _of_known(lowerer, owner, thing.__name__, args, keywords, node)
    if not (getattr(thing, "__module__", None) or "").startswith(HOME):
        return None
    constant = _all_known(lowerer, args, keywords)
    if constant is not None:
        return Const(_run(lowerer, thing, constant, node))
    if thing.__name__ in MAKERS:
        made = MAKERS[thing.__name__](lowerer, args, keywords, node)
        if isinstance(made, Pieces):  # whatever the program calls the class
            made = dataclasses.replace(made, called=thing.__name__)
        return as_operand(made)
    message = f"there is no derivative for `{ast.unparse(node.func)}` of values that the function computes"
    raise lowerer.refuse("BS202", message, node, REMEDY)


def as_operand(curve: Interpolant | Operand) -> Operand:
    """The operand that stands for an interpolant that the function makes."""
    return Const(Bound(Const(curve), curve.operands, {})) if isinstance(curve, CURVES) else curve


def _all_known(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords
) -> tuple[list[Any], dict[str, Any]] | None:
    """The arguments of a call, if all of them are constants."""
    found = [known_object(lowerer.context, each) for each in (*args, *keywords.values())]
    things = [each[0] for each in found if each is not None]
    if len(things) < len(found) or not all(map(_is_constant, things)):
        return None
    return things[: len(args)], dict(zip(keywords, things[len(args) :], strict=True))


def _is_constant(thing: Any) -> bool:
    return (
        thing is None or is_data(thing) or (isinstance(thing, tuple | list) and all(map(_is_constant, thing)))
    )


def _run(lowerer: Lowerer, thing: Any, given: tuple[list[Any], dict[str, Any]], node: ast.Call) -> Any:
    """What a function of SciPy's gives for constants, while compiling."""
    args, keywords = given
    try:
        return thing(*args, **keywords)
    except (TypeError, ValueError, RuntimeError) as error:
        message = f"`{ast.unparse(node.func)}` fails: {error}"
        raise lowerer.refuse("BS157", message, node, "call it as SciPy documents it") from None


def _of_known(
    lowerer: Lowerer, thing: Any, name: str, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower what is done with an object of SciPy's."""
    for each in DATA:
        if hasattr(thing, each):
            lowerer.context.outside.note_attribute(lowerer.frame.source, thing, each)
    constant = _all_known(lowerer, args, keywords)
    if name not in ("__call__", "integrate", "integral", "ev") and constant is not None:
        return Const(_run(lowerer, getattr(thing, name), constant, node))
    pieces = _interpolant_of(thing)
    if isinstance(pieces, str):
        message = f"`{ast.unparse(node.func)}` cannot be differentiated: {pieces}"
        raise lowerer.refuse("BS202", message, node, REMEDY)
    return _method(lowerer, pieces, name, args, keywords, node)


def _is_known(thing: Any) -> bool:
    """Whether an object is an interpolant of SciPy's."""
    return kind_of(thing) is not None or grids.family_of(thing) is not None


def _interpolant_of(thing: Any) -> Interpolant | str:
    """What an object of SciPy's stands for, or why there is nothing."""
    if grids.family_of(thing) is not None:
        return grids.grid_of(thing)
    return polynomials.polynomial_of(thing) if kind_of(thing) in FORMULAS else pieces_of(thing)


def _method(
    lowerer: Lowerer,
    pieces: Interpolant,
    name: str,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.Call,
) -> Operand:
    """Lower what is done with an interpolant."""
    if isinstance(pieces, Polynomial):
        return polynomials.method(lowerer, pieces, name, args, keywords, node)
    if isinstance(pieces, Grid):
        return grids.method(lowerer, pieces, name, args, keywords, node)
    is_fitted = pieces.called.endswith("UnivariateSpline")
    match name:
        case "__call__":
            last = () if pieces.called == "interp1d" else ("nu", "ext" if is_fitted else "extrapolate")
            given = by_name(lowerer, ("x", *last), args, keywords, node)
            required(lowerer, given, ("x",), node)
            order = option(lowerer, given, "nu", 0, node)
            if isinstance(order, bool) or not isinstance(order, int) or order < 0:
                message = f"`{ast.unparse(node)}`: the derivative is not one of the orders 0, 1, 2, ..."
                raise lowerer.refuse("BS113", message, node, "write s.antiderivative()(x) for an integral")
            return value(lowerer, _beyond(lowerer, pieces, given, node), given["x"], order, node)
        case "derivative" | "antiderivative":
            given = by_name(lowerer, ("n" if is_fitted else "nu",), args, keywords, node)
            times = option(lowerer, given, "n" if is_fitted else "nu", 1, node)
            if isinstance(times, bool) or not isinstance(times, int) or times < 0:
                message = f"`{ast.unparse(node)}`: the order is not one of 0, 1, 2, ..."
                raise lowerer.refuse("BS113", message, node, "give a whole number that is not negative")
            if name == "derivative":
                return as_operand(dataclasses.replace(pieces, order=pieces.order + times))
            for _ in range(times):
                pieces = antiderivative_of(lowerer, pieces, node)
            return as_operand(pieces)
        case "integrate" | "integral":
            given = by_name(lowerer, ("a", "b", "extrapolate"), args, keywords, node)
            required(lowerer, given, ("a", "b"), node)
            found = _beyond(lowerer, pieces, given, node)
            beyond = "filled" if name == "integral" else found.beyond
            return integral(lowerer, found, given["a"], given["b"], beyond, node)
        case _:
            message = f"`{ast.unparse(node.func)}` has no text that could be differentiated"
            remedy = (
                "call the curve in a function of yours, as in lambda x: s(x), its derivative or its integral"
            )
            raise lowerer.refuse("BS109", message, node, remedy)


def _beyond(lowerer: Lowerer, pieces: Pieces, given: Any, node: ast.Call) -> Pieces:
    """The pieces with what the call says of what is outside of the domain."""
    for name, meanings in (("extrapolate", BEYOND), ("ext", EXT)):
        said = option(lowerer, given, name, None, node)
        if said is None:
            continue
        if said not in meanings:
            message = f"`{name}={said!r}` is none of {', '.join(map(repr, meanings))}"
            raise lowerer.refuse("BS113", message, node, "leave it out, or give one of these")
        fill = Const(0.0) if name == "ext" else pieces.below
        return dataclasses.replace(pieces, beyond=meanings[said], below=fill, above=fill)
    return pieces
