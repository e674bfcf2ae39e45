"""A function of NumPy as a function of CasADi, and a problem of optimisation as one of its solvers, with sparse derivatives.

`import backsweep.casadi` needs the extra `casadi`, which brings IPOPT.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import casadi
import numpy as np

from backsweep.api.derivatives import hessian, jacobian
from backsweep.api.flat import ARRAY, Flat, plain_name, vector_of, with_text
from backsweep.api.gradients import grad
from backsweep.api.ipopt import Entries, Ipopt
from backsweep.api.typed import CompileOptions
from backsweep.bridge import wrong
from backsweep.reading.callables import as_function
from backsweep.specialise.asked import options_of

Function = Callable[..., Any]
Floats = np.ndarray[Any, Any]
Pattern = Any  # CasADi's own annotations are not read

Names = tuple[str, Sequence[str], Sequence[str]]
"""The name of a function, and those of its arguments and results, which CasADi chooses for derivatives."""
ALIVE: list[Any] = []
"""CasADi calls what it was given by address, and does not keep it alive."""

__all__ = ["callback", "solver"]


def callback(f: Function, *examples: Any, sparse: bool = True, **options: Unpack[CompileOptions]) -> Any:
    """A function of CasADi that calls a function of NumPy or Numba, with the derivatives that Backsweep writes.

    Arguments:
        f: a function of numbers and vectors that returns a number, an array of one axis, or a list or a tuple of numbers.
        examples: arguments like those that it will be called with: CasADi has to know their lengths.
        sparse: False has dense Jacobians and Hessians. Else their patterns are those at the examples: a point with further
            entries, of another branch, is refused.
        options: as for `bs.grad`.

    Returns:
        A `casadi.Callback`, to be called with CasADi's expressions and numbers, with as many arguments and one result. It has
        first and second derivatives, and can stand in the objective or the constraints of `casadi.nlpsol`.

    Raises:
        ArgumentError: an example is none of the above.
        What `bs.jacobian` raises; CasADi raises its own error, with their text, for one in a call.

    >>> import casadi, numpy as np
    >>> from backsweep.casadi import callback
    >>> def height(x):
    ...     top = x[0]
    ...     for k in range(1, x.size):
    ...         top = np.sin(top) + x[k] ** 2
    ...     return top
    >>> x = casadi.MX.sym("x", 2)
    >>> slope = casadi.Function("slope", [x], [casadi.gradient(callback(height, np.ones(2))(x), x)])
    >>> slope([0.0, 3.0])
    DM([1, 6])
    """
    f = as_function(f)
    options_of(f, dict(options))
    name = plain_name(f)
    given = [_vector_or_number(name, each) for each in examples]
    sizes = [each.size for each in given]
    ends = list(itertools.accumulate(sizes, initial=0))
    parts = (
        f"a0[{begin}:{end}]" if each.ndim else f"a0[{begin}]"
        for each, (begin, end) in zip(given, itertools.pairwise(ends), strict=True)
    )
    of_all = vector_of(f, 0, ", ".join(parts))
    ready = not options.get("jit", True)
    code = Flat(name, lambda: of_all, (ARRAY,), (ARRAY,), dict(options), single=True, is_ready=ready)
    at = np.concatenate([each.ravel() for each in given])
    count, height = at.size, code.examples((), [at])[0].size
    body = f"return np.sum(_f(a0[:{count}]) * a0[{count}:])"
    weighed = with_text(f"{name}_weighed", 1, body, _f=of_all, np=np)
    slope = grad(weighed, **options)
    inputs = [casadi.Sparsity.dense(size, 1) for size in sizes]
    output = casadi.Sparsity.dense(height, 1)

    starts = list(zip(ends, sizes, strict=False))

    @functools.cache
    def slopes() -> tuple[list[Pattern], Function]:
        entries = Entries(jacobian, of_all, height, (at,), options, sparse=sparse)
        patterns, divided = _blocks(entries, [(0, height)], starts)
        return patterns, lambda *z: divided(entries(np.concatenate(z[:-1])))

    @functools.cache
    def curvatures() -> tuple[list[Pattern], Function]:
        # In the rows of the arguments it is the Hessian, by arguments and weights, of the sum of weighed results.
        both = np.concatenate([at, np.ones(height)])
        entries = Entries(hessian, weighed, both.size, (both,), options, sparse=sparse)
        patterns, divided = _blocks(entries, starts, [*starts, (None, height), (count, height)])
        return patterns, lambda *z: divided(entries(np.concatenate([*z[: len(sizes)], z[len(sizes) + 1]])))

    def pulled(*z: Floats) -> Sequence[Floats]:
        return np.split(slope(np.concatenate([*z[:-2], z[-1]]))[:count], ends[1:-1])

    def reverse(names: Names) -> Any:
        return _Callback(names, [*inputs, output, output], inputs, pulled, curvatures)

    return _Callback(
        (name, [], []), inputs, [output], lambda *z: code.examples((), [np.concatenate(z)]), slopes, reverse
    )


def solver(problem: Ipopt, options: dict[str, Any] | None = None, *, name: str = "solver") -> Any:
    """A problem of `bs.problem` as a solver of CasADi that runs IPOPT.

    Arguments:
        problem: what `ipopt(x0, *args)` of a problem returns.
        options: those of `casadi.nlpsol`, such as `{"ipopt.tol": 1e-6}`.
        name: what CasADi calls it.

    Returns:
        What `casadi.nlpsol` returns: a function that is called as `solver(x0=x0, lbg=problem.cl, ubg=problem.cu)`, with bounds
        `lbx` and `ubx` if there are any. `stats()` says how it went.

    >>> import numpy as np, backsweep as bs
    >>> from scipy.optimize import NonlinearConstraint
    >>> from backsweep.casadi import solver
    >>> def far(x):
    ...     return (x[0] - 2.0) ** 2 + (x[1] - 1.0) ** 2
    >>> def radius(x):
    ...     return x[0] ** 2 + x[1] ** 2
    >>> disc = bs.problem(far, NonlinearConstraint(radius, 0.0, 1.0)).ipopt(np.ones(2))
    >>> run = solver(disc, {"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": False})
    >>> np.array(run(x0=[1.0, 1.0], lbg=disc.cl, ubg=disc.cu)["x"]).ravel().round(4)
    array([0.8944, 0.4472])
    """
    dense, n, m = casadi.Sparsity.dense, problem.n, problem.m
    x, p, one, g = dense(n, 1), dense(0, 0), dense(1, 1), dense(m, 1)
    jacobian_places, by_jacobian = _pattern(m, n, *problem.jacobianstructure())
    columns, rows = problem.hessianstructure()  # CasADi takes the upper triangle
    hessian_places, by_hessian = _pattern(n, n, rows, columns)

    def slope(z: Floats, _: Floats) -> Sequence[Any]:
        return [problem.objective(z), problem.gradient(z)]

    def slopes(z: Floats, _: Floats) -> Sequence[Any]:
        return [problem.constraints(z), problem.jacobian(z)[by_jacobian]]

    def curvature(z: Floats, _: Floats, factor: Floats, lagrange: Floats) -> Sequence[Any]:
        return [problem.hessian(z, lagrange, factor[0])[by_hessian]]

    variable = casadi.MX.sym("x", n)
    objective = _Callback(("f", [], []), [x], [one], lambda z: [problem.objective(z)])
    constraints = _Callback(("g", [], []), [x], [g], lambda z: [problem.constraints(z)])
    given = {
        "grad_f": _Callback(("grad_f", [], []), [x, p], [one, x], slope),
        "jac_g": _Callback(("jac_g", [], []), [x, p], [g, jacobian_places], slopes),
        "hess_lag": _Callback(("hess_lag", [], []), [x, p, one, g], [hessian_places], curvature),
        # Else CasADi asks for derivatives once more, by the parameters, of which there are none.
        "no_nlp_grad": True,
        "calc_lam_p": False,
    }
    program = {"x": variable, "f": objective(variable), "g": constraints(variable)}
    return casadi.nlpsol(name, "ipopt", program, {**given, **(options or {})})


def _blocks(
    entries: Entries, rows: Sequence[tuple[int, int]], columns: Sequence[tuple[int | None, int]]
) -> tuple[list[Pattern], Function]:
    """The blocks of a matrix, row by row: their patterns, and what takes the entries apart.

    Rows and columns say where a block begins, and how large it is; None is for columns without entries.
    """
    patterns, orders = [], []
    for (top, height), (left, width) in itertools.product(rows, columns):
        begin = entries.columns.size if left is None else left
        inside = (entries.rows >= top) & (entries.rows < top + height)
        inside &= (entries.columns >= begin) & (entries.columns < begin + width) & (left is not None)
        own = np.flatnonzero(inside)
        pattern, order = _pattern(height, width, entries.rows[own] - top, entries.columns[own] - begin)
        patterns.append(pattern)
        orders.append(own[order])
    return patterns, lambda values: [values[order] for order in orders]


def _pattern(height: int, width: int, rows: Floats, columns: Floats) -> tuple[Pattern, Floats]:
    """The pattern of a matrix, and its entries in the order of CasADi, by columns."""
    order = np.lexsort((rows, columns))
    starts = np.searchsorted(columns[order], np.arange(width + 1))
    return casadi.Sparsity(height, width, starts.tolist(), rows[order].tolist()), order


class _Callback(casadi.Callback):  # type: ignore[misc]
    """A function of vectors whose results have these patterns.

    `slopes` finds the patterns of its Jacobian and what computes it, `reverse` makes the function that pulls back.
    """

    def __init__(
        self,
        names: Names,
        inputs: Sequence[Pattern],
        outputs: Sequence[Pattern],
        run: Function,
        slopes: Any = None,
        reverse: Any = None,
    ) -> None:
        casadi.Callback.__init__(self)
        self._inputs, self._outputs, self._run = inputs, outputs, run
        self._slopes, self._reverse = slopes, reverse
        name, self._of_inputs, self._of_outputs = names
        ALIVE.append(self)
        self.construct(name, {})

    def get_n_in(self) -> int:
        return len(self._inputs)

    def get_n_out(self) -> int:
        return len(self._outputs)

    def get_name_in(self, i: int) -> str:
        return str(self._of_inputs[i]) if self._of_inputs else f"i{i}"

    def get_name_out(self, i: int) -> str:
        return str(self._of_outputs[i]) if self._of_outputs else f"o{i}"

    def get_sparsity_in(self, i: int) -> Pattern:
        return self._inputs[i]

    def get_sparsity_out(self, i: int) -> Pattern:
        return self._outputs[i]

    def has_eval_buffer(self) -> bool:
        return True

    def eval_buffer(self, arg: Sequence[Any], res: Sequence[Any]) -> int:
        given = [
            np.zeros(pattern.nnz()) if each is None else np.array(np.frombuffer(each))
            for each, pattern in zip(arg, self._inputs, strict=True)
        ]
        found = self._run(*given)
        for into, value in zip(res, found, strict=True):
            if into is not None:
                np.frombuffer(into)[:] = value
        return 0

    def has_jacobian(self) -> bool:
        return self._slopes is not None

    def get_jacobian(self, name: str, inames: Sequence[str], onames: Sequence[str], _: Any) -> Any:
        patterns, run = self._slopes()
        return _Callback((name, inames, onames), [*self._inputs, *self._outputs], patterns, run)

    def has_jac_sparsity(self, _: int, __: int) -> bool:
        return self._slopes is not None

    def get_jac_sparsity(self, of: int, by: int, _: bool) -> Pattern:
        return self._slopes()[0][of * len(self._inputs) + by]

    def has_reverse(self, count: int) -> bool:
        return count == 1 and self._reverse is not None

    def get_reverse(self, _: int, name: str, inames: Sequence[str], onames: Sequence[str], __: Any) -> Any:
        return self._reverse((name, inames, onames))


def _vector_or_number(name: str, given: Any) -> Floats:
    """An example as an array."""
    found = np.asarray(given)
    if found.ndim > 1 or found.dtype.kind not in "fiub":
        message = f"an example for `{name}` has {found.ndim} axes and the dtype {found.dtype}, and CasADi hands on numbers and vectors of floats"
        raise wrong(message, "give a vector, and take it apart in the function.")
    return found.astype(float)
