"""Choose the Python functions that a recorded run calls, so that plain NumPy gives the results of compiled code."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backsweep.ir.operations import canonical, operation
from backsweep.runtime.broadcasting import aligned, stretched
from backsweep.typing.infer import plain

NAMES = {"acos": "arccos", "asin": "arcsin", "atan": "arctan", "atan2": "arctan2", "pow": "power"}
NAMES |= {"acosh": "arccosh", "asinh": "arcsinh", "atanh": "arctanh"}
RAISING = [
    "sqrt",
    "log",
    "log2",
    "log10",
    "log1p",
    "exp",
    "expm1",
    "sinh",
    "cosh",
    "sin",
    "cos",
    "tan",
    *NAMES,
]
AS_NUMPY: dict[Any, Any] = {getattr(math, name): getattr(np, NAMES.get(name, name)) for name in RAISING}
"""Replacements for functions that raise an error where compiled code, like NumPy, returns nan or inf."""


def _stretched(x: Any, shape: Any) -> Any:
    """The runtime's `stretched`, without compiling it."""
    return x if x.shape == tuple(shape) else np.broadcast_to(x, shape).copy()


def _aligned(x: Any, like: Any) -> Any:
    """The runtime's `aligned`, without compiling it."""
    full = np.broadcast_shapes(x.shape, like.shape)
    return _stretched(x, full[len(full) - x.ndim :])


AS_NUMPY |= {stretched: _stretched, aligned: _aligned}


def as_run(function: Any) -> Any:
    """The function to call in place of a function of the program."""
    if getattr(function, "__hash__", None) is None:
        return function
    function = AS_NUMPY.get(function, function)
    return plain(canonical(function) if operation(function).in_place else function)
