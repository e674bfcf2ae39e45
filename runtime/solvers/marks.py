"""What text of ours asks of the compiler: derivatives of the functions that it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backsweep.runtime.support.compiled import inlined

Function = Callable[..., Any]


def slope_of(function: Function) -> Function:
    """The gradient of a function by its first argument; the compiler puts it here."""
    raise TypeError(f"the gradient of {function} is asked for outside of compiled code")


def matrix_of(function: Function) -> Function:
    """The Jacobian by the first argument."""
    raise TypeError(f"the Jacobian of {function} is asked for outside of compiled code")


def curvature_of(function: Function) -> Function:
    """The Hessian by the first argument."""
    raise TypeError(f"the Hessian of {function} is asked for outside of compiled code")


@inlined
def as_vector(values):
    """The values of equations, which may be a number, a list or an array, as an array of one axis."""
    if isinstance(values, (list, tuple)):
        return np.array(values)
    if np.ndim(values) == 0:
        return np.array([values])
    return values if np.ndim(values) == 1 else np.ravel(values)
