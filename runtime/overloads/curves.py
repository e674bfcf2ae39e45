"""Functions of sampled curves: slopes, polynomials and their fits, steps, parts of numbers, least squares."""

from __future__ import annotations

import importlib

import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import (
    is_array,
)
from backsweep.runtime.overloads.texts import of_floats, stands_for


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
