"""Functions of sampled curves: slopes, polynomials and their fits, steps, parts of numbers, least squares."""

from __future__ import annotations

import importlib

import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import axes_of, is_array, is_none, is_single, literal, refused
from backsweep.runtime.overloads.texts import dtype_text, stands_for


@stands_for(np.heaviside)
def heaviside(x1, x2):
    """Steps: 0 below zero, 1 above, and the second operand at zero."""
    if is_array(x1):
        return "return np.where(x1 == 0.0, x2, np.where(x1 < 0.0, 0.0, np.where(x1 > 0.0, 1.0, x1)))"
    if is_array(x2):
        return (
            "return np.where(np.full_like(x2, x1) == 0.0, x2, 0.0 if x1 < 0.0 else 1.0 if x1 > 0.0 else x1)"
        )
    return "return x2 if x1 == 0.0 else 0.0 if x1 < 0.0 else 1.0 if x1 > 0.0 else x1 + x2"


@stands_for(np.modf)
def modf(x):
    """The parts of numbers behind and before the point."""
    if is_array(x):
        return "whole = np.trunc(x)\nreturn np.where(np.isinf(x), 0.0, x - whole), whole"
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
def gradient(f, spacing=None, axis=None, edge_order=1):
    """Slopes by differences of neighbours, along one axis or, as a tuple, along all of them."""
    if not is_array(f):
        return None
    if literal(edge_order) != 1:
        raise refused("`np.gradient` is supported with edge_order=1", "leave `edge_order=` out.")
    axes = axes_of("np.gradient", axis, f.ndim)
    of_points = is_array(spacing)
    if not of_points and not is_none(spacing) and not isinstance(spacing, types.Number):
        raise refused("the spacing of `np.gradient` is a number or a vector of points", "give one of them.")
    if of_points and len(axes) > 1:
        raise refused("`np.gradient` with points goes along one axis", "name it: axis=0.")
    kind = (
        np.float32
        if is_single(f)
        else as_dtype(f.dtype)
        if isinstance(f.dtype, types.Complex)
        else np.float64
    )
    lines: list[str] = []
    for at in axes:
        lines += _slopes(f"y{at}", at, f.ndim, dtype_text(kind), is_none(spacing), of_points)
    results = ", ".join(f"y{at}" for at in axes)
    return "\n".join([*lines, f"return ({results})" if len(axes) > 1 else f"return {results}"])


def _slopes(y: str, axis: int, ndim: int, kind: str, unit: bool, of_points: bool) -> list[str]:
    """The statements that compute the slopes along one axis."""

    def at(array: str, part: str) -> str:
        return f"{array}[{', '.join([':'] * axis + [part])}]"

    few = "Shape of array too small to calculate a numerical gradient, at least 2 elements are required."
    lines = [
        f"if f.shape[{axis}] < 2:",
        f'    raise ValueError("{few}")',
        f"{y} = np.empty(f.shape, {kind})",
    ]
    inner, first, last = at(y, "1:-1"), at(y, "0"), at(y, "-1")
    before, middle, after = at("f", ":-2"), at("f", "1:-1"), at("f", "2:")
    ends = f"{at('f', '1')} - {at('f', '0')}", f"{at('f', '-1')} - {at('f', '-2')}"
    if not of_points:
        wide, narrow = ("2.0", "") if unit else ("(2.0 * spacing)", " / spacing")
        return [
            *lines,
            f"{inner} = ({after} - {before}) / {wide}",
            f"{first} = ({ends[0]}){narrow}",
            f"{last} = ({ends[1]}){narrow}",
        ]
    place = ", ".join([":"] + ["np.newaxis"] * (ndim - 1 - axis))
    return [
        *lines,
        "h = spacing[1:] - spacing[:-1]",
        f"p = h[:-1][{place}]",
        f"q = h[1:][{place}]",
        f"{inner} = ({after} * p / q - {before} * q / p) / (p + q) + {middle} * (q - p) / (p * q)",
        f"{first} = ({ends[0]}) / h[0]",
        f"{last} = ({ends[1]}) / h[-1]",
    ]


@stands_for(np.polyval)
def polyval(p, x):
    """A polynomial by Horner's scheme, its highest coefficient first."""
    if not is_array(p):
        return None
    if is_array(x):
        kind = np.result_type(as_dtype(p.dtype), as_dtype(x.dtype))
        start = f"y = np.zeros(x.shape, {dtype_text(kind)})"
    else:
        start = f"y = {dtype_text(as_dtype(p.dtype))}(0) * x"
    return f"{start}\nfor k in range(p.size):\n    y = y * x + p[k]\nreturn y"


@stands_for(np.polyfit)
def polyfit(x, y, deg):
    """The polynomial of least squares, with scaled columns as NumPy has them."""
    if not (is_array(x) and is_array(y)) or x.ndim != 1:
        raise refused("`np.polyfit` is given no vectors", "make arrays of them first.")
    return """
if deg < 0:
    raise ValueError("expected deg >= 0")
if x.size != y.shape[0]:
    raise ValueError("expected x and y to have same length")
V = np.empty((x.size, deg + 1))
V[:, deg] = 1.0
for k in range(deg):
    V[:, deg - 1 - k] = V[:, deg - k] * x
scale = np.sqrt(np.sum(V * V, 0))
q, r = np.linalg.qr(V / scale)
""" + (
        "return np.linalg.solve(r, q.T @ y) / scale"
        if y.ndim == 1
        else "return np.linalg.solve(r, q.T @ y) / scale[:, np.newaxis]"
    )


@stands_for(np.linalg.lstsq)
def lstsq(a, b, rcond=None):
    """Least squares where the call says `rcond=None`; Numba has it with a number."""
    if not is_array(a) or not isinstance(rcond, types.NoneType):
        return None
    return f"return np.linalg.lstsq(a, b, {np.finfo(as_dtype(a.dtype)).eps} * max(a.shape[0], a.shape[1]))"


def outside_is_given(x, xp, fp, left, right):
    """`np.interp(x, xp, fp, left, right)` of an array: the compiler takes this text in its place."""
    return np.where(x < xp[0], left, np.where(x > xp[-1], right, np.interp(x, xp, fp)))


def outside_is_given_of_number(x, xp, fp, left, right):
    """`np.interp(x, xp, fp, left, right)` of a number."""
    if x < xp[0]:
        return left * 1.0
    if x > xp[-1]:
        return right * 1.0
    return np.interp(x, xp, fp)


def periodic(x, xp, fp, period):
    """`np.interp(x, xp, fp, period=period)`: the compiler takes this text in its place."""
    length = abs(period)
    if length == 0:
        raise ValueError("period must be a non-zero value")
    places = xp % length
    order = np.argsort(places)
    places, values = places[order], fp[order]
    places = np.concatenate((places[-1:] - length, places, places[:1] + length))
    values = np.concatenate((values[-1:], values, values[:1]))
    return np.interp(x % length, places, values)


@overload(np.i0)
def _i0(x):
    bessel = importlib.import_module("scipy.special").i0  # which loads slowly, and most programs do not need

    def i0(x):
        return bessel(x)

    return i0
