"""Numba compiles calls of the functions of `scipy.special` that SciPy writes in Python, on top of its ufuncs."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
from numba.core import types
from numba.core.registry import cpu_target
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from backsweep.runtime.scipy.series import zeta

NumbaType = Any  # Numba ships no annotations


def register() -> None:
    """Tell Numba of each function that it does not know yet."""
    context = cpu_target.typing_context
    context.refresh()
    for function, chosen in _CHOSEN.items():
        if context._lookup_global(function) is None:
            overload(function)(chosen)


def is_real(type_: NumbaType) -> bool:
    """Whether the type is that of a real number or of an array of them."""
    number = getattr(types.unliteral(type_), "dtype", types.unliteral(type_))
    return isinstance(number, types.Float | types.Integer | types.Boolean)


def result_type(*operands: NumbaType):
    """The type of the result of a ufunc, as Python has it: double precision unless all operands are single; None if one is not real."""
    if not all(map(is_real, operands)):
        return None
    kinds = [as_dtype(getattr(types.unliteral(each), "dtype", types.unliteral(each))) for each in operands]
    return np.float32 if all(np.can_cast(kind, np.float32) for kind in kinds) else np.float64


def _zeta(x, q=None, out=None):
    def of_numbers(x, q=None, out=None):
        return number(zeta(x, q))

    def of_arrays(x, q=None, out=None):
        result = np.empty(np.add(x, q).shape, number)
        one, other = np.broadcast_to(x, result.shape), np.broadcast_to(q, result.shape)
        for place in np.ndindex(result.shape):
            result[place] = zeta(one[place], other[place])
        return result

    def of_one(x, q=None, out=None):
        return sp.zetac(x) + 1.0

    if is_real(x) and q in (None, types.none, types.Omitted(None)):
        return of_one
    number = result_type(x, q)
    if number is None:
        return None
    return of_arrays if isinstance(x, types.Array) or isinstance(q, types.Array) else of_numbers


def _polygamma(n, x):
    def of_numbers(n, x):
        if n == 0:
            return float(sp.psi(x))
        sign = -1.0 if n % 2 == 0 else 1.0
        return sign * sp.gamma(n + 1.0) * zeta(n + 1.0, x)

    def of_arrays(n, x):
        result = np.empty(np.add(n, x).shape)
        one, other = np.broadcast_to(n, result.shape), np.broadcast_to(x, result.shape)
        for place in np.ndindex(result.shape):
            result[place] = sp.polygamma(one[place], other[place])
        return result

    if not (is_real(n) and is_real(x)):
        return None
    return of_arrays if isinstance(n, types.Array) or isinstance(x, types.Array) else of_numbers


def _factorial(n, exact=False, extend="zero"):
    def of_number(n, exact=False, extend="zero"):
        return sp.gamma(n + 1.0) if n >= 0 else (0.0 if n < 0 else np.nan)

    def of_array(n, exact=False, extend="zero"):
        y = np.empty(n.shape)
        for place, x in np.ndenumerate(n):
            y[place] = sp.factorial(x)
        return y

    default = isinstance(exact, bool | types.Omitted) and isinstance(extend, str | types.Omitted)
    if not (is_real(n) and default):
        return None
    return of_array if isinstance(n, types.Array) else of_number


_CHOSEN = {
    sp.zeta: _zeta,
    sp.polygamma: _polygamma,
    sp.factorial: _factorial,
}
"""By function, what gives its implementation for operands of some types."""
