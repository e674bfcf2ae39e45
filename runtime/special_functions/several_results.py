"""Functions of `scipy.special` with several results, each result by itself: sine and cosine integrals, Fresnel's, Airy functions, the amplitude.

Machine code calls SciPy's own functions, which write their results to memory.
"""

from __future__ import annotations

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
