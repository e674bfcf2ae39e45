"""An objective and its constraints with the methods that IPOPT calls."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from backsweep.api.batch import batch
from backsweep.api.derivatives import hessian, jacobian
from backsweep.api.flat import first, names_of, with_text
from backsweep.api.gradients import grad, value_and_grad
from backsweep.api.sparse import LOOSE, KeptPattern, sparsity
from backsweep.diagnostics import ArgumentError, Problem

Function = Callable[..., Any]
Floats = np.ndarray[Any, Any]


@dataclasses.dataclass(frozen=True)
class Limit:
    """A constraint: a function of the vector and `args` whose values lie between limits; `matrix`, if it is linear."""

    values: Function
    lower: Any
    upper: Any
    args: tuple[Any, ...] = ()
    keep_feasible: Any = False
    matrix: Any = None


class Ipopt:
    """A problem as `cyipopt.Problem` takes it, for one start: `cyipopt.Problem(p.n, p.m, p, cl=p.cl, cu=p.cu)`.

    The objective and its gradient are computed together, and once for each point.
    """

    def __init__(
        self,
        f: Function,
        args: tuple[Any, ...],
        limits: Sequence[Limit],
        x0: Floats,
        options: Any,
        *,
        sparse: bool,
    ) -> None:
        self._both, self._args = value_and_grad(f, **options), args
        self._at: Floats | None = None
        self._found: tuple[Any, Floats] = (0.0, x0)
        self._of_limits = tuple(each for limit in limits for each in limit.args)
        functions = {f"_g{k}": limit.values for k, limit in enumerate(limits)}
        names = names_of(1 + len(self._of_limits))
        calls, rest = [], iter(names[1:])
        for k, limit in enumerate(limits):
            own = ", ".join([names[0], *(next(rest) for _ in limit.args)])
            calls.append(f"_g{k}({own})")
        apart = with_text(
            "apart", len(names), f"return ({', '.join(calls)},)" if calls else "return (a0[:0],)", **functions
        )
        joined = with_text(
            "constraints", len(names), f"return np.concatenate(_g({', '.join(names)}))", _g=apart, np=np
        )
        self._apart = batch(apart, (0, *(None for _ in names[1:])), **{**options, "parallel": False})
        given = names_of(3 + len(args) + len(self._of_limits))
        ours, theirs = given[3 : 3 + len(args)], given[3 + len(args) :]
        whole = with_text(
            "lagrangian",
            len(given),
            f"return a1 * _f({', '.join(['a0', *ours])}) + np.sum(a2 * _g({', '.join(['a0', *theirs])}))",
            _f=f,
            _g=joined,
            np=np,
        )
        sizes = [each.size for each in self._values(x0)][: len(limits)]
        self.n, self.m = x0.size, sum(sizes)
        self.cl = _spread([each.lower for each in limits], sizes)
        self.cu = _spread([each.upper for each in limits], sizes)
        at = (x0, *self._of_limits)
        self._jacobian = Entries(jacobian, joined, self.m, at, options, sparse=sparse)
        at = (x0, 1.0, np.ones(self.m), *args, *self._of_limits)
        self._hessian = Entries(hessian, whole, self.n, at, options, sparse=sparse, lower=True)

    def objective(self, x: Floats) -> float:
        """The value of the objective."""
        return float(self._at_point(x)[0])

    def gradient(self, x: Floats) -> Floats:
        """Its gradient."""
        return self._at_point(x)[1]

    def constraints(self, x: Floats) -> Floats:
        """The values of all constraints."""
        return np.concatenate(self._values(x))

    def jacobianstructure(self) -> tuple[Floats, Floats]:
        """The rows and columns of the entries of the constraints' Jacobian."""
        return self._jacobian.rows, self._jacobian.columns

    def jacobian(self, x: Floats) -> Floats:
        """These entries."""
        return self._jacobian(x, *self._of_limits)

    def hessianstructure(self) -> tuple[Floats, Floats]:
        """The rows and columns of the entries of the Lagrangian's Hessian, of its lower triangle."""
        return self._hessian.rows, self._hessian.columns

    def hessian(self, x: Floats, lagrange: Floats, obj_factor: float) -> Floats:
        """These entries."""
        return self._hessian(x, float(obj_factor), lagrange, *self._args, *self._of_limits)

    def _at_point(self, x: Floats) -> tuple[Any, Floats]:
        if self._at is None or not np.array_equal(x, self._at):
            self._at = np.array(x)
            self._found = self._both(self._at, *self._args)
        return self._found

    def _values(self, x: Floats) -> tuple[Floats, ...]:
        found: tuple[Floats, ...] = first("constraints", self._apart(np.array(x)[None], *self._of_limits))
        return found


class Entries:
    """The entries of a Jacobian or a Hessian, or of its lower triangle, always at the same places."""

    def __init__(
        self,
        make: Function,
        f: Function,
        count: int,
        at: tuple[Any, ...],
        options: Any,
        *,
        sparse: bool,
        lower: bool = False,
    ) -> None:
        from scipy.sparse import csr_matrix

        self._sparse = sparse
        if sparse:
            kept: Any = matrix_of(make, f, options, sparse=True)
            kept.widen(at)
            self._made, pattern = kept.made, kept.pattern
        else:
            self._made = make(f, **options)
            pattern = csr_matrix(np.ones((count, at[0].size), dtype=bool))
        pattern = pattern.tocoo()
        self._taken = pattern.row >= pattern.col if lower else slice(None)
        self.rows, self.columns = pattern.row[self._taken], pattern.col[self._taken]

    def __call__(self, *at: Any) -> Floats:
        """The entries at these arguments."""
        try:
            matrix = self._made(*at)
        except ArgumentError as error:
            if error.problems[0].code != LOOSE:
                raise
            message = "the derivatives have entries here that they did not have at the first point, and one pattern was promised"
            remedy = "leave `sparse` out, or give a first point where all branches of the function are taken."
            raise ArgumentError(Problem(LOOSE, message, remedy=remedy)) from None
        entries: Floats = (matrix.data if self._sparse else matrix.ravel())[self._taken]
        return entries


def matrix_of(make: Function, f: Function, options: Any, *, sparse: bool) -> Function:
    """The function that returns the Jacobian or Hessian, a sparse one with the pattern that it had before."""
    if not sparse:
        dense: Function = make(f, **options)
        return dense
    search = sparsity(grad(f, **options) if make is hessian else f, **options)
    return KeptPattern(search, lambda pattern: make(f, sparsity=pattern, **options), mirrored=make is hessian)


def _spread(limits: Sequence[Any], sizes: Sequence[int]) -> Floats:
    """One limit for each value of the constraints."""
    return np.concatenate(
        [np.zeros(0), *(np.broadcast_to(each, size) for each, size in zip(limits, sizes, strict=True))]
    ).astype(float)
