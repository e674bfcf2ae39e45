"""Implicit differentiation: the derivative of a root from the equation, not from the solver's steps."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from backsweep import requests
from backsweep.api.derivatives import jacrev
from backsweep.api.gradients import grad
from backsweep.frontend.constructs.custom import custom_vjp
from backsweep.runtime.linalg import solved_transposed

Function = Callable[..., Any]


def root(solver: Function, residual: Function) -> custom_vjp:
    """Differentiate a root by the implicit function theorem.

    Arguments:
        solver: a function of the parameters that returns the root `x`, a float or an array of floats of shape (n,).
            It may iterate in any way that Numba compiles.
        residual: a function `residual(x, *parameters)` that is zero at the root and has the shape of `x`. For a fixed
            point `x = step(x, *parameters)`, use `x - step(x, *parameters)`.

    Returns:
        A function of the parameters that returns what `solver` returns. Its gradient solves one linear system with
        the Jacobian of the residual at the root and uses nothing of the solver's iterations. It can be
        differentiated again in reverse mode. Parameters are floats, arrays, and values without a derivative.

    Raises:
        What differentiating `residual` raises. If the Jacobian is singular at the root, the gradient is nan, or
        `np.linalg.solve` raises LinAlgError.

    The derivative is exact at the exact root; it is as accurate as the root that the solver returns.

    Source: the implicit function theorem; Griewank and Walther, Evaluating Derivatives, section 15.1.

    >>> import backsweep as bs
    >>> def newton(a):
    ...     x = a
    ...     for _ in range(50):
    ...         x = 0.5 * (x + a / x)
    ...     return x
    >>> square_root = bs.root(newton, lambda x, a: x * x - a)
    >>> def cost(a):
    ...     return square_root(a) * 10.0
    >>> bs.grad(cost)(4.0)
    2.5
    """
    requests.function("solver", solver)
    requests.function("residual", residual)

    def weighted(weights: Any, x: Any, parameters: Any) -> Any:
        return np.sum(weights * residual(x, *parameters))

    slope_at = jacrev(residual, 0)
    pulled = grad(weighted, wrt="parameters")

    @custom_vjp
    def solved(*parameters: Any) -> Any:
        return solver(*parameters)

    def forward(*parameters: Any) -> Any:
        x = solved(*parameters)  # so that a second derivative goes by the equation, too
        return x, (x, parameters)

    def backward(residuals: Any, x_bar: Any) -> Any:
        x, parameters = residuals
        slope = slope_at(x, *parameters)
        return pulled(solved_transposed(slope, -x_bar), x, parameters)

    solved.defvjp(forward, backward)
    functools.update_wrapper(solved, solver)
    return solved
