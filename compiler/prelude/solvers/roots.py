"""The roots and systems of equations of `scipy.optimize`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize as so

from backsweep.prelude.declare import has_known_items, is_known, means, refuse
from backsweep.prelude.solvers.options import left_out, more, one_of
from backsweep.runtime.solvers import roots, systems

EPS = 2.220446049250313e-16


def _between(name: str) -> Callable[..., Any]:
    """The meaning of a search between two ends, which ours has under the same name."""
    search = getattr(roots, name)

    def between(f, a, b, args=(), xtol=2e-12, rtol=4 * EPS, maxiter=100, full_output=False, disp=True):
        """The root between two ends."""
        _only_the_root(name, full_output, disp)
        return roots.root_of(search, f, more(args), a, b, xtol, rtol, maxiter)

    return between


BRACKETED = ("brentq", "brenth", "bisect", "ridder")
for _name in BRACKETED:
    means(getattr(so, _name))(_between(_name))


def _only_the_root(called, full_output, disp) -> None:
    """Refuse what gives more than the root, or no error where there is none."""
    raises = is_known(disp) and isinstance(disp, bool) and disp
    left_out(
        called,
        ("full_output", full_output, "call scipy.optimize.root_scalar"),
        ("disp", None if raises else "given", "leave it out"),
    )


@means(so.newton)
def newton(
    func,
    x0,
    fprime=None,
    args=(),
    tol=1.48e-8,
    maxiter=50,
    fprime2=None,
    x1=None,
    rtol=0.0,
    full_output=False,
    disp=True,
):
    """Newton's search, Halley's, or that by lines through two points."""
    _only_the_root("newton", full_output, disp)
    if np.ndim(x0) > 0:
        refuse(
            "`newton` is given an array of starts",
            "call it for each number, or call scipy.optimize.fsolve",
            "BS202",
        )
    args = more(args)
    if fprime is None:
        return roots.root_of(roots.secant, func, args, x0, x1, tol, rtol, maxiter)
    slopes = (_with_more(fprime, args), _with_more(fprime2, args))
    return roots.root_of(roots.newton, func, args, *slopes, x0, tol, rtol, maxiter)


def _with_more(function, args):
    """A derivative, with the further arguments; None if there is none."""
    return None if function is None else functools.partial(roots.with_more, function, args)


@means(so.root_scalar)
def root_scalar(
    f,
    args=(),
    method=None,
    bracket=None,
    fprime=None,
    fprime2=None,
    x0=None,
    x1=None,
    xtol=None,
    rtol=None,
    maxiter=None,
    options=None,
):
    """The root, and whether the search found it."""
    left_out("root_scalar", ("options", options, "give xtol, rtol and maxiter themselves"))
    args = more(args)
    if method is None:
        by_slopes = "halley" if fprime2 is not None else "newton"
        by_lines = fprime is None and x1 is not None
        method = "brentq" if bracket is not None else "secant" if by_lines else by_slopes
    if method in BRACKETED and has_known_items(bracket) and len(bracket) == 2:
        ends = (*bracket, *_or(xtol, 2e-12), *_or(rtol, 4.0 * EPS), *_or(maxiter, 100))
        return roots.results_of(getattr(roots, method), f, args, *ends)
    if method not in ("newton", "halley", "secant") or x0 is None:
        refuse(
            "`root_scalar` is supported with a `bracket` that is written out, or with `x0` for Newton's method",
            "write root_scalar(f, bracket=(a, b))",
            "BS202",
        )
    tolerances = (*_or(xtol, 1.48e-8), *_or(rtol, 0.0), *_or(maxiter, 50))
    if method == "secant":
        return roots.results_of(roots.secant, f, args, x0, x1, *tolerances)
    slope = functools.partial(roots.own_slope, f) if fprime is None else fprime
    curvature = None if method == "newton" else fprime2
    slopes = (_with_more(slope, args), _with_more(curvature, args))
    return roots.results_of(roots.newton, f, args, *slopes, x0, *tolerances)


def _or(given, default):
    """An option or its default, as one item."""
    return (default,) if given is None else (given,)


@means(so.fixed_point)
def fixed_point(func, x0, args=(), xtol=1e-8, maxiter=500, method="del2"):
    """The point that a function leaves where it is."""
    one_of("fixed_point", "method", method, ("del2", "iteration"), "write it as one of these literals")
    return systems.fixed_point(func, x0, more(args), xtol, maxiter, method == "del2")


@means(so.fsolve)
def fsolve(
    func,
    x0,
    args=(),
    fprime=None,
    full_output=0,
    col_deriv=0,
    xtol=1.49012e-8,
    maxfev=0,
    band=None,
    epsfcn=None,
    factor=100,
    diag=None,
):
    """The solution of a system of equations."""
    del fprime, maxfev, epsfcn
    left_out(
        "fsolve",
        ("full_output", full_output, "call scipy.optimize.root"),
        ("band", band, "leave it out"),
        ("diag", diag, "leave it out"),
        ("col_deriv", col_deriv, "leave it out"),
    )
    return systems.fsolve(func, x0, more(args), xtol, factor)


@means(so.root)
def root(fun, x0, args=(), method="hybr", jac=None, tol=None, callback=None, options=None):
    """The solution of a system of equations, and whether the search found it."""
    left_out("root", ("options", options, "give tol itself"), ("callback", callback, "leave it out"))
    one_of("root", "method", method, ("hybr", "lm"), "leave it out")
    if isinstance(jac, bool) and jac:
        refuse(
            "`jac=True` of `root` says that the function returns its Jacobian, too",
            "return the values alone: the Jacobian is derived",
            "BS202",
        )
    return systems.root(fun, x0, more(args), 1.49012e-8 if tol is None else tol, 100.0)
