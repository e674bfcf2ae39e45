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
def exp(x: Any) -> Any:
    """`np.exp`."""
    return _exp(x)


@declared()
@device
def expm1(x: Any) -> Any:
    """`np.expm1`."""
    return _expm1(x)


@declared()
@device
def log1p(x: Any) -> Any:
    """`np.log1p`."""
    return _log1p(x)


@declared()
@device
def sqrt(x: Any) -> Any:
    """`np.sqrt`."""
    return _sqrt(x)


@declared()
@device
def fmod(x: Any, y: Any) -> Any:
    """`np.fmod`."""
    return _fmod(x, y)


@declared()
@device
def copysign(x: Any, y: Any) -> Any:
    """`np.copysign`."""
    return math.copysign(x, y)


@declared()
@device
def square(x: Any) -> Any:
    """`np.square`."""
    return x * x


@declared()
@device
def reciprocal(x: Any) -> Any:
    """`np.reciprocal`."""
    return 1.0 / x


@declared()
@device
def exp2(x: Any) -> Any:
    """`np.exp2`."""
    return 2.0**x


@declared()
@device
def cbrt(x: Any) -> Any:
    """`np.cbrt`, by a power and one step of Newton's method."""
    if x == 0.0 or math.isinf(x) or math.isnan(x):
        return x * 1.0
    root = math.copysign(abs(x) ** (1.0 / 3.0), x)
    return root - (root * root * root - x) / (3.0 * root * root)


@declared()
@device
def clip(x: Any, least: Any, most: Any) -> Any:
    """`np.clip`."""
    return np.minimum(np.maximum(x, least), most)


@declared()
@device
def trunc(x: Any) -> Any:
    """`np.trunc`."""
    return x * 1.0 if math.isinf(x) else x - math.fmod(x, 1.0)


@declared()
@device
def floor(x: Any) -> Any:
    """`np.floor`."""
    if math.isinf(x):
        return x * 1.0
    whole = x - math.fmod(x, 1.0)
    return whole - 1.0 if whole > x else whole


@declared()
@device
def ceil(x: Any) -> Any:
    """`np.ceil`."""
    if math.isinf(x):
        return x * 1.0
    whole = x - math.fmod(x, 1.0)
    return whole + 1.0 if whole < x else whole


@declared()
@device
def rint(x: Any) -> Any:
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
def sign(x: Any) -> Any:
    """`np.sign` of a float."""
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else x * 1.0


@declared()
@device
def signbit(x: Any) -> Any:
    """`np.signbit`."""
    return math.copysign(1.0, x) < 0.0


@declared()
@device
def isinf(x: Any) -> Any:
    """`np.isinf`."""
    return math.isinf(x)


@declared()
@device
def isfinite(x: Any) -> Any:
    """`np.isfinite`."""
    return math.isfinite(x)


@declared()
@device
def logaddexp(x: Any, y: Any) -> Any:
    """`np.logaddexp`."""
    if x == y:
        return x + math.log(2.0)
    return max(x, y) + _log1p(_exp(-abs(x - y)))


@declared()
@device
def logaddexp2(x: Any, y: Any) -> Any:
    """`np.logaddexp2`."""
    if x == y:
        return x + 1.0
    return max(x, y) + _log1p(2.0 ** -abs(x - y)) / math.log(2.0)


@declared()
@device
def falling_logistic(x: Any) -> Any:
    """As of `runtime.special`, like those that follow."""
    return 1.0 / (1.0 + _exp(x))


@declared()
@device
def length_of_number(x: Any) -> Any:
    return abs(x)


@declared()
@device
def signed(a: Any, x: Any) -> Any:
    return a if x > 0.0 else -a if x < 0.0 else a * x


@declared()
@device
def chosen_sign(a: Any, x: Any) -> Any:
    return a if x > 0.0 else -a if x < 0.0 else x * 1.0


@declared()
@device
def signed_or_nan(a: Any, x: Any) -> Any:
    if x == 0.0 and a != 0.0:
        return a * math.nan
    return a if x > 0.0 else -a if x < 0.0 else a * x


@declared()
@device
def nan_at_zero(a: Any, x: Any) -> Any:
    return math.nan if x == 0.0 and a != 0.0 else 0.0


@declared()
@device
def lost_at_root(a: Any, x: Any, y: Any) -> Any:
    return math.nan if x == 0.0 and y == 0.0 and a != 0.0 else 0.0


@declared()
@device
def power_kink(a: Any, x: Any, y: Any) -> Any:
    return math.nan if x == 0.0 and y <= 1.0 and a != 0.0 else 0.0
