"""Many seeds in one compiled call: Jacobians by columns, from tangents, or by rows, from a pullback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])


def driver(function: Function) -> Function:
    """Compile a function that calls a compiled function it is given; no other process could use its code."""
    return cast("Function", numba.njit(error_model="numpy")(function))


@driver
def slopes(run: Any, values: Any, x: Any) -> Any:
    """The gradient of a number with respect to the array `x`, an entry for each tangent."""
    x_dot = np.zeros(x.shape, x.dtype)
    found = np.empty(x.shape, x.dtype)
    for k in range(x.size):
        x_dot.flat[k] = 1.0
        _, y_dot = run(*(values + (x_dot,)))  # noqa: RUF005  Numba has no starred display
        found.flat[k] = y_dot
        x_dot.flat[k] = 0.0
    return found


@driver
def columns(run: Any, values: Any, x: Any) -> Any:
    """The derivatives of an array with respect to the array `x`: a column for each entry of `x`."""
    x_dot = np.zeros(x.shape, x.dtype)
    y, _ = run(*(values + (x_dot,)))  # noqa: RUF005
    found = np.empty((y.size, x.size), y.dtype)
    for k in range(x.size):
        x_dot.flat[k] = 1.0
        _, y_dot = run(*(values + (x_dot,)))  # noqa: RUF005
        found[:, k] = y_dot.ravel()
        x_dot.flat[k] = 0.0
    return found


@driver
def rows(pull: Any, saved: Any, y: Any, x: Any) -> Any:
    """The derivatives of the array `y` with respect to the array `x`: a row for each entry of `y`."""
    y_bar = np.zeros(y.shape, y.dtype)
    found = np.empty((y.size, x.size), x.dtype)
    for k in range(y.size):
        y_bar.flat[k] = 1.0
        x_bar = pull(*(saved + (y_bar,)))  # noqa: RUF005
        found[k] = x_bar.ravel()
        y_bar.flat[k] = 0.0
    return found


@driver
def entries(pull: Any, saved: Any, y: Any) -> Any:
    """The derivative of the array `y` with respect to a number, entry by entry."""
    y_bar = np.zeros(y.shape, y.dtype)
    found = np.empty(y.shape, y.dtype)
    for k in range(y.size):
        y_bar.flat[k] = 1.0
        found.flat[k] = pull(*(saved + (y_bar,)))  # noqa: RUF005
        y_bar.flat[k] = 0.0
    return found
