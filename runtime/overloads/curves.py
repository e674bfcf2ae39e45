"""Functions of sampled curves: slopes, polynomials and their fits, steps, parts of numbers, least squares."""

from __future__ import annotations

import importlib

import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import (
    axes_of,
    is_array,
    is_none,
    is_single,
    literal,
    refused,
    single_axis,
)
from backsweep.runtime.overloads.texts import dtype_text, of_floats, stands_for, summed


@stands_for(np.heaviside)
def heaviside(x1, x2):
    """Steps: 0 below zero, 1 above, and the second operand at zero."""
    as_given = _in_single_precision(x1, x2)
    if is_array(x1):
        return (
            f"return np.where(x1 == 0.0, x2, np.where(x1 < 0.0, 0.0, np.where(x1 > 0.0, 1.0, x1))){as_given}"
        )
    if is_array(x2):
        other = "0.0 if x1 < 0.0 else 1.0 if x1 > 0.0 else x1"
        return f"return np.where(np.full_like(x2, x1) == 0.0, x2, {other}){as_given}"
    return "return x2 if x1 == 0.0 else 0.0 if x1 < 0.0 else 1.0 if x1 > 0.0 else x1 + x2"


def _in_single_precision(*operands):
    """The conversion back of what constants made double precision of: operands that are all in single precision have such a result."""
    kinds = {getattr(each, "dtype", each) for each in operands}
    return ".astype(np.float32)" if kinds == {types.float32} else ""


@stands_for(np.modf)
def modf(x):
    """The parts of numbers behind and before the point."""
    if is_array(x):
        return f"whole = np.trunc(x)\nreturn np.where(np.isinf(x), 0.0, x - whole){_in_single_precision(x)}, whole"
    if isinstance(x, types.Float):
        return "whole = np.trunc(x)\nreturn 0.0 if np.isinf(x) else x - whole, whole"
    return None


@stands_for(np.frexp)
def frexp(x):
    """The mantissas of numbers, which are multiples of them, and their exponents."""
    if isinstance(x, types.Float):
        return """
plain = np.isfinite(x) and x != 0.0
exponent = int(np.floor(np.log2(abs(x) if plain else 1.0))) + 1
mantissa = np.ldexp(x, -exponent)
if not plain:
    exponent = 0
elif abs(mantissa) < 0.5:
    exponent -= 1
elif abs(mantissa) >= 1.0:
    exponent += 1
return np.ldexp(x, -exponent), exponent
"""
    if not is_array(x) or not isinstance(x.dtype, types.Float):
        return None
    return """
plain = np.isfinite(x) & (x != 0.0)
exponents = np.floor(np.log2(np.where(plain, np.abs(x), 1.0))).astype(np.int32) + np.int32(1)
mantissas = np.ldexp(x, -exponents)
less, more = np.abs(mantissas) < 0.5, np.abs(mantissas) >= 1.0
exponents = np.where(plain, exponents - less + more, 0).astype(np.int32)
return np.ldexp(x, -exponents), exponents
"""


@stands_for(np.gradient)
def gradient(f, spacing=None, spacing_1=None, spacing_2=None, spacing_3=None, axis=None, edge_order=1):
    """Slopes by differences of neighbours, along one axis or, as a tuple, along all of them."""
    if not is_array(f):
        return None
    order = literal(edge_order)
    if order not in (1, 2):
        raise refused("`np.gradient` is supported with edge_order=1 and edge_order=2", "write one of them.")
    axes_of("np.gradient", axis, f.ndim)
    named = range(f.ndim) if is_none(axis) else literal(axis)
    axes = [range(f.ndim)[each] for each in ((named,) if isinstance(named, int) else named)]
    names = ("spacing", "spacing_1", "spacing_2", "spacing_3")
    given = [each for each in (spacing, spacing_1, spacing_2, spacing_3) if not is_none(each)]
    if any(not isinstance(each, types.Array | types.BaseTuple | types.Number) for each in given):
        raise refused("the spacing of `np.gradient` is a number or a vector of points", "give one of them.")
    if len(given) > 1 and len(given) != len(axes):
        raise refused(
            f"`np.gradient` has {len(given)} spacings for {len(axes)} axes", "give one for each axis."
        )
    of_points = [isinstance(each, types.BaseTuple) or (is_array(each) and each.ndim > 0) for each in given]
    if of_points == [True] and len(axes) > 1:
        raise refused("`np.gradient` with points goes along one axis", "name it: axis=0.")
    kind = (
        np.float32
        if is_single(f)
        else as_dtype(f.dtype)
        if isinstance(f.dtype, types.Complex)
        else np.float64
    )
    lines: list[str] = []
    for number, at in enumerate(axes):
        of = min(number, len(given) - 1)
        step = names[of] if given else ""
        points = bool(given) and of_points[of]
        if points or (given and is_array(given[of])):
            lines.append(f"s{at} = np.asarray({step})" if points else f"s{at} = {step}.item()")
            step = f"s{at}"
        lines += _slopes(f"y{at}", at, f.ndim, dtype_text(kind), step, points, order)
    results = ", ".join(f"y{at}" for at in axes)
    return "\n".join([*lines, f"return ({results})" if len(axes) > 1 else f"return {results}"])


def _slopes(y: str, axis: int, ndim: int, kind: str, step: str, of_points: bool, order: int) -> list[str]:
    """The statements that compute the slopes along one axis."""

    def at(array: str, part: str) -> str:
        return f"{array}[{', '.join([':'] * axis + [part])}]"

    few = f"Shape of array too small to calculate a numerical gradient, at least {order + 1} elements are required."
    lines = [
        f"if f.shape[{axis}] < {order + 1}:",
        f'    raise ValueError("{few}")',
        f"{y} = np.empty(f.shape, {kind})",
    ]
    inner, first, last = at(y, "1:-1"), at(y, "0"), at(y, "-1")
    before, middle, after = at("f", ":-2"), at("f", "1:-1"), at("f", "2:")
    head, tail = [at("f", part) for part in "012"], [at("f", part) for part in ("-1", "-2", "-3")]
    ends = f"{head[1]} - {head[0]}", f"{tail[0]} - {tail[1]}"
    if not of_points:
        wide, narrow = (f"(2.0 * {step})", f" / {step}") if step else ("2.0", "")
        if order == 2:
            ends = (
                f"2.0 * {head[1]} - 1.5 * {head[0]} - 0.5 * {head[2]}",
                f"1.5 * {tail[0]} - 2.0 * {tail[1]} + 0.5 * {tail[2]}",
            )
        return [
            *lines,
            f"{inner} = ({after} - {before}) / {wide}",
            f"{first} = ({ends[0]}){narrow}",
            f"{last} = ({ends[1]}){narrow}",
        ]
    place = ", ".join([":"] + ["np.newaxis"] * (ndim - 1 - axis))
    h, p, q = f"h{axis}", f"p{axis}", f"q{axis}"
    slopes = f"({ends[0]}) / {h}[0]", f"({ends[1]}) / {h}[-1]"
    if order == 2:
        slopes = (_end_slope(h, ("0", "1"), head), _end_slope(h, ("-1", "-2"), tail, "-"))
    return [
        *lines,
        f"if {step}.size != f.shape[{axis}]:",
        '    raise ValueError("when 1d, distances must match the length of the corresponding dimension")',
        f"{h} = {step}[1:] - {step}[:-1]",
        f"{p} = {h}[:-1][{place}]",
        f"{q} = {h}[1:][{place}]",
        f"{inner} = ({after} * {p} / {q} - {before} * {q} / {p}) / ({p} + {q}) + {middle} * ({q} - {p}) / ({p} * {q})",
        f"{first} = {slopes[0]}",
        f"{last} = {slopes[1]}",
    ]


def _end_slope(h: str, steps: tuple[str, str], values: list[str], sign: str = "") -> str:
    """The slope at an end of the parabola through its three last points, seen from there."""
    near, far = (f"{h}[{step}]" for step in steps)
    one = f"({near} + {far}) / ({near} * {far}) * {values[1]}"
    rest = f"(2.0 * {near} + {far}) / ({near} * ({near} + {far})) * {values[0]}"
    return f"{sign}({one} - {rest} - {near} / ({far} * ({near} + {far})) * {values[2]})"


@stands_for(np.trapezoid, getattr(np, "trapz", np.trapezoid))
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integrals by trapezoids along an axis; Numba has those along the last."""
    if not is_array(y) or isinstance(axis, int):
        return None
    at = single_axis("np.trapezoid", axis, y.ndim)
    later, earlier = (f"[{', '.join([':'] * at + [part])}]" for part in ("1:", ":-1"))
    half = "np.float32(0.5)" if is_single(y) else "0.5"
    if is_none(x):
        step = "np.float32(dx)" if is_single(y) else "dx"
    elif not is_array(x):
        raise refused("the points of `np.trapezoid` are no array", "give np.asarray(x).")
    elif x.ndim == 1:
        place = ", ".join([":"] + ["np.newaxis"] * (y.ndim - 1 - at))
        step = f"(x[1:] - x[:-1])[{place}]" if y.ndim > 1 else "(x[1:] - x[:-1])"
    elif x.ndim == y.ndim:
        step = f"(x{later} - x{earlier})"
    else:
        raise refused(
            "the points of `np.trapezoid` have other axes than the values", "give one axis, or all."
        )
    return f"return {summed(f'{step} * ({half} * (y{later} + y{earlier}))', (at,), y.ndim)}"


@of_floats(np.linalg.lstsq, "a", "b")
def lstsq(a, b, rcond=None):
    """Least squares where the call says `rcond=None`; Numba has it with a number."""
    if not is_array(a) or not isinstance(rcond, types.NoneType):
        return None
    return f"return np.linalg.lstsq(a, b, {np.finfo(as_dtype(a.dtype)).eps} * max(a.shape[0], a.shape[1]))"


@overload(np.i0)
def _i0(x):
    bessel = importlib.import_module("scipy.special").i0  # which loads slowly, and most programs do not need

    def i0(x):
        return bessel(x)

    return i0
