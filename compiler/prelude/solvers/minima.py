"""The minima of functions of one number of `scipy.optimize`."""

from __future__ import annotations

import scipy.optimize as so

from backsweep.prelude.declare import has_known_items, means, refuse
from backsweep.prelude.solvers.options import left_out, more, one_of
from backsweep.runtime.solvers import minima


@means(so.minimize_scalar)
def minimize_scalar(fun, bracket=None, bounds=None, args=(), method=None, tol=None, options=None):
    """The minimum, its value, and whether the search found it."""
    method = ("brent" if bounds is None else "bounded") if method is None else method
    one_of("minimize_scalar", "method", method, ("brent", "Brent", "bounded", "Bounded"), "leave it out")
    is_bounded = method in ("bounded", "Bounded")
    wanted = tol
    steps = 500
    if options is not None:
        wanted = options.get("xatol" if is_bounded else "xtol", tol)
        steps = options.get("maxiter", 500)
    if is_bounded:
        return minima.minimum_of(
            minima.bounded,
            fun,
            more(args),
            _ends("bounds", bounds, 2),
            1e-5 if wanted is None else wanted,
            steps,
        )
    return _by_brent(fun, more(args), bracket, 1.48e-8 if wanted is None else wanted, steps)


@means(so.fminbound)
def fminbound(func, x1, x2, args=(), xtol=1e-5, maxfun=500, full_output=0, disp=1):
    """The minimum between bounds."""
    left_out("fminbound", ("full_output", full_output, "call scipy.optimize.minimize_scalar"))
    del disp
    return minima.minimum_of(minima.bounded, func, more(args), (x1, x2), xtol, maxfun).x


@means(so.brent)
def brent(func, args=(), brack=None, tol=1.48e-8, full_output=0, maxiter=500):
    """The minimum by Brent's search."""
    left_out("brent", ("full_output", full_output, "call scipy.optimize.minimize_scalar"))
    return _by_brent(func, more(args), brack, tol, maxiter).x


def _by_brent(fun, args, bracket, tolerance, steps):
    """Brent's search from a bracket, or from where one is looked for."""
    points = (0.0, 1.0) if bracket is None else _ends("bracket", bracket, 3 if len(bracket) == 3 else 2)
    search = minima.from_three if len(points) == 3 else minima.from_two
    return minima.minimum_of(search, fun, args, points, tolerance, steps)


def _ends(name, given, count):
    """The bounds or the bracket, which must be written out."""
    if given is None or not has_known_items(given) or len(given) != count:
        refuse(f"`{name}` of `minimize_scalar` is not written out", f"write {name}=(a, b)", "BS202")
    return tuple(given)
