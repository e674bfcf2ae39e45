"""Implicit differentiation: the derivative of what a solver finds, from the equation that it solves."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from backsweep import requests
from backsweep.api import grad
from backsweep.derivatives import jacrev
from backsweep.frontend.custom import custom_vjp
from backsweep.runtime.linalg import solved_transposed

Function = Callable[..., Any]


def root(solver: Function, residual: Function) -> custom_vjp:
    """A function that finds the root of an equation, differentiated by the equation instead of through the solver.

    Arguments:
        solver: a function of the parameters that returns the root `x`, a float or a vector of floats. It may iterate
            in any way that compiled code can.
        residual: a function `residual(x, *parameters)` that is zero at the root, of the shape of `x`. For a fixed
            point `x = step(x, *parameters)` it is their difference.

    Returns:
        A function of the parameters that returns what `solver` does. Its gradient solves one linear system with the
        Jacobian of the residual at the root and needs nothing of the solver's iterations. It can be differentiated
        again in reverse mode. Parameters are floats, arrays, and others without derivative.

    Raises:
        What differentiating `residual` raises. A Jacobian that is singular at the root gives nan or an error of
        `np.linalg.solve`.

    The derivative is that of the exact root; it is as good as the root that the solver finds.

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
