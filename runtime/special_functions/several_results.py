"""Functions of `scipy.special` with several results, each result by itself: sine and cosine integrals, Fresnel's, Airy functions, the amplitude.

Machine code calls SciPy's own functions, which write their results to memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import scipy.special as sp
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from backsweep.runtime.scipy.entries import by_entries
from backsweep.runtime.scipy.symbols import linked
from backsweep.runtime.support.compiled import declared, kernel

_DOUBLE = ir.DoubleType()


def _generated(key: str, results: int) -> Callable[..., Any]:
    """Numba's hook for the machine code of a call of the function with this key in `cython_special`."""

    def generate(context, builder, sig, args):
        symbol = linked(key)
        context.declare_env_global(builder.module, symbol.environment.env_name)
        places = [cgutils.alloca_once(builder, _DOUBLE) for _ in range(results)]
        form = ir.FunctionType(ir.VoidType(), [_DOUBLE] * len(args) + [_DOUBLE.as_pointer()] * results)
        function = cgutils.get_or_insert_function(builder.module, form, symbol.name)
        builder.call(function, [*args, *places])
        return context.make_tuple(builder, sig.return_type, [builder.load(place) for place in places])

    return generate


def _compiled_as(key: str, results: int) -> Callable[[Any], Any]:
    """Have compiled code call the function with this key in place of the decorated one of a number; it returns all results."""

    @intrinsic
    def called(_context, _x):
        return types.UniTuple(types.float64, results)(types.float64), _generated(key, results)

    def implementation(x):
        return called(float(x))

    def typed(x):  # noqa: ARG001  Numba compares the parameters
        return implementation

    def register(function):
        overload(function)(typed)
        return function

    return register


@_compiled_as("__pyx_fuse_1sici", 2)
def _sici(x: float):
    return sp.sici(x)


@_compiled_as("__pyx_fuse_1shichi", 2)
def _shichi(x: float):
    return sp.shichi(x)


@_compiled_as("__pyx_fuse_1fresnel", 2)
def _fresnel(x: float):
    return sp.fresnel(x)


@_compiled_as("__pyx_fuse_1airy", 4)
def _airy(x: float):
    return sp.airy(x)


def _compiled_as_of_several(key: str, operands: int, results: int) -> Callable[[Any], Any]:
    """The same of a function of several numbers, which the decorated one is given as a tuple."""

    @intrinsic
    def called(_context, _operands):
        def generate(context, builder, sig, args):
            numbers = [builder.extract_value(args[0], k) for k in range(operands)]
            return _generated(key, results)(context, builder, sig, numbers)

        return types.UniTuple(types.float64, results)(types.UniTuple(types.float64, operands)), generate

    def implementation(numbers):
        return called(numbers)

    def typed(numbers):  # noqa: ARG001  Numba compares the parameters
        return implementation

    def register(function):
        overload(function)(typed)
        return function

    return register


@_compiled_as_of_several("pbdv", 2, 2)
def _pbdv(numbers: tuple[float, float]):
    return sp.pbdv(*numbers)


@_compiled_as_of_several("pbvv", 2, 2)
def _pbvv(numbers: tuple[float, float]):
    return sp.pbvv(*numbers)


@_compiled_as_of_several("mathieu_cem", 3, 2)
def _mathieu_cem(numbers: tuple[float, float, float]):
    return sp.mathieu_cem(*numbers)


@_compiled_as_of_several("mathieu_sem", 3, 2)
def _mathieu_sem(numbers: tuple[float, float, float]):
    return sp.mathieu_sem(*numbers)


@_compiled_as_of_several("mathieu_modcem1", 3, 2)
def _mathieu_modcem1(numbers: tuple[float, float, float]):
    return sp.mathieu_modcem1(*numbers)


@_compiled_as_of_several("mathieu_modcem2", 3, 2)
def _mathieu_modcem2(numbers: tuple[float, float, float]):
    return sp.mathieu_modcem2(*numbers)


@_compiled_as_of_several("mathieu_modsem1", 3, 2)
def _mathieu_modsem1(numbers: tuple[float, float, float]):
    return sp.mathieu_modsem1(*numbers)


@_compiled_as_of_several("mathieu_modsem2", 3, 2)
def _mathieu_modsem2(numbers: tuple[float, float, float]):
    return sp.mathieu_modsem2(*numbers)


def _ellipj(x: float, y: float):
    return sp.ellipj(x, y)


@intrinsic
def _ellipj_called(_context, _x, _y):
    signature = types.UniTuple(types.float64, 4)(types.float64, types.float64)
    return signature, _generated("ellipj", 4)


@overload(_ellipj)
def _compiled_ellipj(x, y):  # noqa: ARG001  Numba compares the names of parameters
    def implementation(x, y):
        return _ellipj_called(float(x), float(y))

    return implementation


@kernel
def _sine_integral(operands: tuple[float]) -> float:
    return float(_sici(operands[0])[0])


@declared(by_entry=True)
@kernel
def sine_integral(x):
    """The sine integral Si (DLMF 6.2.9)."""
    return by_entries(_sine_integral, (x,))


@kernel
def _cosine_integral(operands: tuple[float]) -> float:
    return float(_sici(operands[0])[1])


@declared(by_entry=True)
@kernel
def cosine_integral(x):
    """The cosine integral Ci (DLMF 6.2.11), of the magnitude."""
    return by_entries(_cosine_integral, (x,))


@kernel
def _hyperbolic_sine_integral(operands: tuple[float]) -> float:
    return float(_shichi(operands[0])[0])


@declared(by_entry=True)
@kernel
def hyperbolic_sine_integral(x):
    """The hyperbolic sine integral Shi (DLMF 6.2.15)."""
    return by_entries(_hyperbolic_sine_integral, (x,))


@kernel
def _hyperbolic_cosine_integral(operands: tuple[float]) -> float:
    return float(_shichi(operands[0])[1])


@declared(by_entry=True)
@kernel
def hyperbolic_cosine_integral(x):
    """The hyperbolic cosine integral Chi (DLMF 6.2.16), of the magnitude."""
    return by_entries(_hyperbolic_cosine_integral, (x,))


@kernel
def _fresnel_sine(operands: tuple[float]) -> float:
    return float(_fresnel(operands[0])[0])


@declared(by_entry=True)
@kernel
def fresnel_sine(x):
    """Fresnel's integral S (DLMF 7.2.8)."""
    return by_entries(_fresnel_sine, (x,))


@kernel
def _fresnel_cosine(operands: tuple[float]) -> float:
    return float(_fresnel(operands[0])[1])


@declared(by_entry=True)
@kernel
def fresnel_cosine(x):
    """Fresnel's integral C (DLMF 7.2.7)."""
    return by_entries(_fresnel_cosine, (x,))


@kernel
def _airy_ai(operands: tuple[float]) -> float:
    return float(_airy(operands[0])[0])


@declared(by_entry=True)
@kernel
def airy_ai(x):
    """The Airy function Ai (DLMF 9.2)."""
    return by_entries(_airy_ai, (x,))


@kernel
def _airy_ai_slope(operands: tuple[float]) -> float:
    return float(_airy(operands[0])[1])


@declared(by_entry=True)
@kernel
def airy_ai_slope(x):
    """The derivative of Ai."""
    return by_entries(_airy_ai_slope, (x,))


@kernel
def _airy_bi(operands: tuple[float]) -> float:
    return float(_airy(operands[0])[2])


@declared(by_entry=True)
@kernel
def airy_bi(x):
    """The Airy function Bi (DLMF 9.2)."""
    return by_entries(_airy_bi, (x,))


@kernel
def _airy_bi_slope(operands: tuple[float]) -> float:
    return float(_airy(operands[0])[3])


@declared(by_entry=True)
@kernel
def airy_bi_slope(x):
    """The derivative of Bi."""
    return by_entries(_airy_bi_slope, (x,))


@kernel
def _amplitude(operands: tuple[float, float]) -> float:
    return float(_ellipj(operands[0], operands[1])[3])


@declared(by_entry=True)
@kernel
def amplitude(u, m):
    """Jacobi's amplitude: the angle whose incomplete elliptic integral of the first kind is `u` (DLMF 22.16.1)."""
    return by_entries(_amplitude, (u, m))


@declared(by_entry=True)
@kernel
def parabolic_cylinder(kind, order, v, x):
    """The derivative by `x`, of an order, of the parabolic cylinder function D (`kind` 0) or V (`kind` 1) of the order `v` (DLMF 12.1)."""
    return by_entries(_parabolic_cylinder, (kind, order, v, x))


@kernel
def _parabolic_cylinder(operands: tuple[int, int, float, float]) -> float:
    """From the second derivative on by their equation (DLMF 12.2.2)."""
    kind, order, v, x = operands[0], operands[1], float(operands[2]), float(operands[3])
    value, slope = _pbdv((v, x)) if kind == 0 else _pbvv((v, x))
    square = 0.25 * x * x - v - 0.5
    if order < 2:
        return float(slope if order == 1 else value)
    if order == 2:
        return float(square * value)
    return float(square * slope + 0.5 * x * value) if order == 3 else math.nan


@declared(by_entry=True)
@kernel
def mathieu_function(kind, order, m, q, x):
    """The derivative by `x`, of an order, of a function of Mathieu's (DLMF 28).

    The kinds: `mathieu_cem`, `mathieu_sem`, by an angle in degrees; the radial ones `mathieu_modcem1`, `mathieu_modcem2`, `mathieu_modsem1`,
    `mathieu_modsem2`.
    """
    return by_entries(_mathieu_function, (kind, order, m, q, x))


@kernel
def _mathieu_function(operands: tuple[int, int, float, float, float]) -> float:
    """From the second derivative on by their equations (DLMF 28.2.1, 28.20.1); SciPy gives the slope by the angle in radians."""
    kind, order = operands[0], operands[1]
    m, q, x = float(operands[2]), float(operands[3]), float(operands[4])
    numbers = (m, q, x)
    if kind == 0:
        value, slope = _mathieu_cem(numbers)
    elif kind == 1:
        value, slope = _mathieu_sem(numbers)
    elif kind == 2:
        value, slope = _mathieu_modcem1(numbers)
    elif kind == 3:
        value, slope = _mathieu_modcem2(numbers)
    elif kind == 4:
        value, slope = _mathieu_modsem1(numbers)
    else:
        value, slope = _mathieu_modsem2(numbers)
    unit = math.pi / 180.0 if kind < 2 else 1.0
    if order < 2:
        return float(unit * slope if order == 1 else value)
    a = float(sp.mathieu_a(m, q) if kind in (0, 2, 3) else sp.mathieu_b(m, q))
    if kind < 2:
        rate = 2.0 * q * math.cos(2.0 * unit * x) - a
        by_x = -4.0 * q * math.sin(2.0 * unit * x)
    else:
        rate = a - 2.0 * q * math.cosh(2.0 * x)
        by_x = -4.0 * q * math.sinh(2.0 * x)
    if order == 2:
        return float(unit * unit * rate * value)
    return float(unit**3 * (rate * slope + by_x * value)) if order == 3 else math.nan


@declared(by_entry=True)
@kernel
def mathieu_value_slope(kind, m, q):
    """The derivative by `q` of the characteristic value `mathieu_a` (`kind` 0) or `mathieu_b` (`kind` 1)."""
    return by_entries(_mathieu_value_slope, (kind, m, q))


@kernel
def _mathieu_value_slope(operands: tuple[int, float, float]) -> float:
    """The mean of 2 cos(2 x) over the square of its function, by a sum over a turn, which is exact for the periodic (DLMF 28.4)."""
    kind, m, q = operands[0], float(operands[1]), float(operands[2])
    if not (math.isfinite(m) and math.isfinite(q)):
        return math.nan
    count = 64 + 8 * int(m + math.sqrt(abs(q)))
    total = size = 0.0
    for k in range(count):
        degrees = 360.0 * k / count
        value, _ = _mathieu_cem((m, q, degrees)) if kind == 0 else _mathieu_sem((m, q, degrees))
        total += 2.0 * math.cos(2.0 * math.pi * 2.0 * k / count) * value * value
        size += value * value
    return float(total / size)
