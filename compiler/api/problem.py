"""An objective and its constraints, in the forms in which SciPy's optimisers and IPOPT ask for derivatives."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from backsweep import requests
from backsweep.api.batch import batch
from backsweep.api.derivatives import hessian, hvp, jacobian
from backsweep.api.flat import first, names_of, vector_of, with_text
from backsweep.api.gradients import value_and_grad
from backsweep.api.ipopt import Ipopt, Limit, matrix_of
from backsweep.api.typed import CompileOptions, options_shown
from backsweep.boundary import public
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.reading.callables import as_function
from backsweep.specialise.asked import python_of, shown_name

Function = Callable[..., Any]
Floats = np.ndarray[Any, Any]


@options_shown
@public
def problem(
    f: Function,
    constraints: Any = (),
    *,
    sparse: bool = False,
    hess: bool = True,
    **options: Unpack[CompileOptions],
) -> Optimisation:
    """An objective and its constraints with all derivatives, for `scipy.optimize.minimize` and for IPOPT.

    Arguments:
        f: the objective, as for `grad`: its first argument is the vector that is sought.
        constraints: a constraint as for `scipy.optimize.minimize`, or a list of these: a `NonlinearConstraint` or a
            `LinearConstraint` of SciPy, or a dict `{"type": "ineq", "fun": g, "args": (...)}`. Their functions take the
            vector and return a number, an array of one axis, a list or a tuple of numbers.
        sparse: True computes sparse Jacobians and Hessians, which `trust-constr` and IPOPT take. Their patterns are found in
            the first call, and again where one does not fit.
        hess: False leaves the Hessians of the constraints out. SLSQP and COBYLA do not use them, and warn.
        options: as for `grad`.

    Returns:
        An `Optimisation`. Its `fun(x, *args)` returns the value and the gradient, for `jac=True`; `hess(x, *args)` the
        Hessian; `hessp(x, p, *args)` the Hessian times `p`. `constraints` is a list of SciPy's constraints with their
        derivatives. `ipopt(x0, *args)` has the methods that `cyipopt.Problem` calls.

    Raises:
        ArgumentError: a constraint is none of the above, or has derivatives of its own.
        What `grad` and `jacobian` raise.

    Everything is compiled, the values of the constraints too, each when it is first called.

    >>> import numpy as np, backsweep as bs
    >>> from scipy.optimize import NonlinearConstraint, minimize
    >>> def far(x):
    ...     return (x[0] - 2.0) ** 2 + (x[1] - 1.0) ** 2
    >>> def radius(x):
    ...     return x[0] ** 2 + x[1] ** 2
    >>> disc = bs.problem(far, NonlinearConstraint(radius, 0.0, 1.0), hess=False)
    >>> fit = minimize(disc.fun, np.zeros(2), jac=True, constraints=disc.constraints, method="SLSQP")
    >>> fit.x.round(4)
    array([0.8944, 0.4472])
    """
    f = as_function(f)
    python_of(f)
    requests.flag("sparse", sparse)
    requests.flag("hess", hess)
    limits = [_limit(each) for each in _listed(constraints)]
    product = hvp(f, **options)

    def hessp(x: Floats, p: Floats, *args: Any) -> Floats:
        along: Floats = product((x, *args), (p,))
        return along

    return Optimisation(
        value_and_grad(f, **options),
        matrix_of(hessian, f, options, sparse=sparse),
        hessp,
        [_for_scipy(each, options, sparse=sparse, hess=hess) for each in limits],
        lambda x0, *args: Ipopt(f, args, limits, np.array(x0, dtype=float), options, sparse=sparse),
    )


@dataclasses.dataclass(frozen=True)
class Optimisation:
    """What `problem` returns.

    Attributes:
        fun: the value and the gradient of the objective: give it to `minimize` with `jac=True`.
        hess: the Hessian of the objective.
        hessp: the product of this Hessian with a direction, without the Hessian itself.
        constraints: SciPy's constraints, with Jacobians, and with Hessians unless they were left out.
        ipopt: a function of the point to start at, and of further arguments of the objective. It returns an object with
            the methods that `cyipopt.Problem` calls, the limits `cl` and `cu`, and `n` and `m`.
    """

    fun: Function
    hess: Function
    hessp: Function
    constraints: list[Any]
    ipopt: Function


def _for_scipy(limit: Limit, options: Any, *, sparse: bool, hess: bool) -> Any:
    """The constraint with its derivatives. SciPy wants all Jacobians sparse or none, that of a linear one too."""
    from scipy.optimize import BFGS, LinearConstraint, NonlinearConstraint

    if limit.matrix is not None:
        matrix = limit.matrix if sparse else limit.matrix.toarray()
        return LinearConstraint(matrix, limit.lower, limit.upper, limit.keep_feasible)
    names, args = names_of(len(limit.args) + 2), limit.args
    weighed = with_text(
        f"{shown_name(limit.values)}_weighed",
        len(names),
        f"return np.sum(_g({', '.join([names[0], *names[2:]])}) * {names[1]})",
        _g=limit.values,
        np=np,
    )
    fun = batch(limit.values, (0, *(None for _ in args)), **{**options, "parallel": False})
    by_x = matrix_of(jacobian, limit.values, options, sparse=sparse)
    twice = matrix_of(hessian, weighed, options, sparse=sparse)
    return NonlinearConstraint(
        lambda x: first(limit.values.__name__, fun(np.array(x)[None], *args)),
        limit.lower,
        limit.upper,
        lambda x: by_x(x, *args),
        (lambda x, v: twice(x, v, *args)) if hess else BFGS(),
        limit.keep_feasible,
    )


def _listed(constraints: Any) -> list[Any]:
    return list(constraints) if isinstance(constraints, list | tuple) else [constraints]


def _limit(given: Any) -> Limit:
    """The constraint in our form."""
    from scipy.optimize import LinearConstraint, NonlinearConstraint

    match given:
        case LinearConstraint():
            return _linear(given)
        case NonlinearConstraint():
            if callable(given.jac) or callable(given.hess):
                raise _own_derivative("`jac` or `hess`")
            return Limit(vector_of(given.fun, 0), given.lb, given.ub, (), given.keep_feasible)
        case {"type": "eq" | "ineq" as kind, "fun": fun}:
            if callable(given.get("jac")):
                raise _own_derivative("`jac`")
            args = tuple(given.get("args", ()))
            return Limit(vector_of(fun, len(args)), 0.0, 0.0 if kind == "eq" else np.inf, args)
    message = f"a constraint is {requests.shown(given)}"
    remedy = (
        'give a NonlinearConstraint or LinearConstraint of scipy.optimize, or {"type": "ineq", "fun": ...}.'
    )
    raise ArgumentError(Problem("BS156", message, remedy=remedy))


def _own_derivative(which: str) -> ArgumentError:
    message = f"a constraint has {which} of its own, which Backsweep writes"
    remedy = "leave it out; or give the function a derivative of your own by bs.custom_vjp."
    return ArgumentError(Problem("BS405", message, remedy=remedy))


def _linear(given: Any) -> Limit:
    """A linear constraint; as a function, for IPOPT, it reads the rows of its matrix."""
    from scipy.sparse import csr_matrix

    rows = csr_matrix(np.atleast_2d(given.A) if isinstance(given.A, np.ndarray | list) else given.A)
    args = (rows.data.astype(float), rows.indices.astype(np.int64), rows.indptr.astype(np.int64))
    return Limit(products_of_rows, given.lb, given.ub, args, given.keep_feasible, rows)


def products_of_rows(x: Floats, entries: Floats, columns: Floats, starts: Floats) -> Floats:
    """A sparse matrix times a vector."""
    out = np.zeros(starts.size - 1)
    for i in range(out.size):
        for k in range(starts[i], starts[i + 1]):
            out[i] += entries[k] * x[columns[k]]
    return out
