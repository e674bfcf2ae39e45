"""What text of ours asks of the compiler: derivatives of the functions that it is given, and their values as arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

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


def as_vector(values: Any) -> Any:
    """The values of equations, which may be a number, a list or an array, as an array of one axis."""
    return np.ravel(np.asarray(values))
