"""Functions of numbers that kernels lack: `numba-cuda` compiles no `np.exp` or `np.sqrt`, among others, but `math.exp` and `math.sqrt`.

The simulator has NumPy's, which raise no error where a GPU gives nan or infinity.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backsweep.runtime.gpu.threads import SIMULATED, device
from backsweep.runtime.support.compiled import declared

__all__ = [
    "cbrt",
    "ceil",
    "clip",
    "copysign",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "fmod",
    "isfinite",
    "isinf",
    "log1p",
    "logaddexp",
    "logaddexp2",
    "reciprocal",
    "rint",
    "sign",
    "signbit",
    "sqrt",
    "square",
    "trunc",
]

_exp: Any = np.exp if SIMULATED else math.exp
_expm1: Any = np.expm1 if SIMULATED else math.expm1
_log1p: Any = np.log1p if SIMULATED else math.log1p
_sqrt: Any = np.sqrt if SIMULATED else math.sqrt
_fmod: Any = np.fmod if SIMULATED else math.fmod


@declared()
@device
def exp(x):
    """`np.exp`."""
    return _exp(x)


@declared()
@device
def expm1(x):
    """`np.expm1`."""
    return _expm1(x)


@declared()
@device
def log1p(x):
    """`np.log1p`."""
    return _log1p(x)


@declared()
@device
def sqrt(x):
    """`np.sqrt`."""
    return _sqrt(x)


@declared()
@device
def fmod(x, y):
    """`np.fmod`."""
    return _fmod(x, y)


@declared()
@device
def copysign(x, y):
    """`np.copysign`."""
    return math.copysign(x, y)


@declared()
@device
def square(x):
    """`np.square`."""
    return x * x


@declared()
@device
def reciprocal(x):
    """`np.reciprocal`."""
    return 1.0 / x


@declared()
@device
def exp2(x):
    """`np.exp2`."""
    return 2.0**x


@declared()
@device
def cbrt(x):
    """`np.cbrt`, by a power and one step of Newton's method."""
    if x == 0.0 or math.isinf(x) or math.isnan(x):
        return x * 1.0
    root = math.copysign(abs(x) ** (1.0 / 3.0), x)
    return root - (root * root * root - x) / (3.0 * root * root)


@declared()
@device
def clip(x, least, most):
    """`np.clip`."""
    return np.minimum(np.maximum(x, least), most)


@declared()
@device
def trunc(x):
    """`np.trunc`."""
    return x * 1.0 if math.isinf(x) else x - math.fmod(x, 1.0)


@declared()
@device
def floor(x):
    """`np.floor`."""
    if math.isinf(x):
        return x * 1.0
    whole = x - math.fmod(x, 1.0)
    return whole - 1.0 if whole > x else whole


@declared()
@device
def ceil(x):
    """`np.ceil`."""
    if math.isinf(x):
        return x * 1.0
    whole = x - math.fmod(x, 1.0)
    return whole + 1.0 if whole < x else whole


@declared()
@device
def rint(x):
    """`np.rint`: halves go to the even number."""
    if math.isinf(x):
        return x * 1.0
    whole = x - math.fmod(x, 1.0)
    left = abs(x - whole)
    if left > 0.5 or (left == 0.5 and math.fmod(whole, 2.0) != 0.0):
        whole += math.copysign(1.0, x)
    return whole


@declared()
@device
def sign(x):
    """`np.sign` of a float."""
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else x * 1.0


@declared()
@device
def signbit(x):
    """`np.signbit`."""
    return math.copysign(1.0, x) < 0.0


@declared()
@device
def isinf(x):
    """`np.isinf`."""
    return math.isinf(x)


@declared()
@device
def isfinite(x):
    """`np.isfinite`."""
    return math.isfinite(x)


@declared()
@device
def logaddexp(x, y):
    """`np.logaddexp`."""
    if x == y:
        return x + math.log(2.0)
    return max(x, y) + _log1p(_exp(-abs(x - y)))


@declared()
@device
def logaddexp2(x, y):
    """`np.logaddexp2`."""
    if x == y:
        return x + 1.0
    return max(x, y) + _log1p(2.0 ** -abs(x - y)) / math.log(2.0)


@declared()
@device
def falling_logistic(x):
    """As of `runtime.special`, like those that follow."""
    return 1.0 / (1.0 + _exp(x))


@declared()
@device
def length_of_number(x):
    return abs(x)


@declared()
@device
def signed(a, x):
    return a if x > 0.0 else -a if x < 0.0 else a * x


@declared()
@device
def chosen_sign(a, x):
    return a if x > 0.0 else -a if x < 0.0 else x * 1.0


@declared()
@device
def signed_or_nan(a, x):
    if x == 0.0 and a != 0.0:
        return a * math.nan
    return a if x > 0.0 else -a if x < 0.0 else a * x


@declared()
@device
def unchosen_sign(a, x):
    return signed_or_nan(a, x)


@declared()
@device
def nan_at_zero(a, x):
    return math.nan if x == 0.0 and a != 0.0 else 0.0


@declared()
@device
def lost_at_root(a, x, y):
    return math.nan if x == 0.0 and y == 0.0 and a != 0.0 else 0.0


@declared()
@device
def power_kink(a, x, y):
    return math.nan if x == 0.0 and y <= 1.0 and a != 0.0 else 0.0
