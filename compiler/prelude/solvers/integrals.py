"""The integrals of `scipy.integrate`."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import scipy.integrate as sg

from backsweep.prelude.declare import early, is_known, means, refuse
from backsweep.prelude.solvers.options import left_out, more, one_of
from backsweep.runtime.solvers import quadrature


@means(sg.quad)
def quad(
    func,
    a,
    b,
    args=(),
    full_output=0,
    epsabs=1.49e-8,
    epsrel=1.49e-8,
    limit=50,
    points=None,
    weight=None,
    wvar=None,
    wopts=None,
    maxp1=50,
    limlst=50,
    complex_func=False,
):
    """The integral of a function, and its error."""
    del wvar, wopts, maxp1, limlst
    left_out(
        "quad",
        ("weight", weight, "write the weight as a factor of the function"),
        ("full_output", full_output, "take the two results, value and error"),
        ("complex_func", complex_func, "integrate the real and the imaginary part"),
    )
    if points is None:
        return _integral("numbers", func, a, b, more(args), epsabs, epsrel, limit)
    return _integral("points", func, a, b, more(args), points, epsabs, epsrel, limit)


@means(sg.quad_vec)
def quad_vec(
    f,
    a,
    b,
    epsabs=1e-200,
    epsrel=1e-8,
    norm="2",
    cache_size=100e6,
    limit=10000,
    workers=1,
    points=None,
    quadrature=None,
    full_output=False,
    *,
    args=(),
):
    """The integral of a function whose values are arrays, and its error."""
    del cache_size, workers
    left_out(
        "quad_vec",
        ("points", points, "add the integrals of the parts of the range"),
        ("quadrature", quadrature, "leave the rule out"),
        ("full_output", full_output, "take the two results, value and error"),
    )
    one_of("quad_vec", "norm", norm, ("2", "max"), "write it as one of these literals")
    return _integral("arrays", f, a, b, more(args), early(_norm, norm), epsabs, epsrel, limit)


def _norm(name: str) -> Callable[..., Any]:
    return quadrature.euclidean if name == "2" else quadrature.largest


def _integral(kind, func, a, b, args, *options):
    """The integral between two ends, with what the ends contribute to its derivative."""
    low, high = _infinite(a), _infinite(b)
    if low == high and low != 0:
        return 0.0, 0.0
    if low > 0 or high < 0:
        return quadrature.turned(_integral(kind, func, b, a, args, *options))
    if kind == "points" and (low != 0 or high != 0):
        refuse(
            "`points` of `quad` are given, and an infinite end",
            "add the integrals of the parts of the range",
            "BS202",
        )
    over = early(_text, kind, low, high)
    first = a if low != 0 else _held(a)
    last = b if high != 0 else _held(b)
    if low != 0 and high != 0:
        found = over(func, args, *options)
    elif low != 0:
        found = over(func, last, args, *options)
    elif high != 0:
        found = over(func, first, args, *options)
    else:
        found = over(func, first, last, args, *options)
    beside = quadrature.vector_beside_end if kind == "arrays" else quadrature.beside_end
    if not is_known(a):
        found = quadrature.less(found, beside(func, a, first, args))
    if not is_known(b):
        found = quadrature.plus(found, beside(func, b, last, args))
    return found


def _text(kind: str, low: int, high: int) -> Callable[..., Any]:
    """The text for a range, by the signs of its infinite ends."""
    if kind == "points":
        return quadrature.with_points
    texts = quadrature.RANGES_OF_VECTORS if kind == "arrays" else quadrature.RANGES
    return texts[low, high]


def _infinite(end):
    """The sign of an end that is written as infinite; 0 for any other."""
    return early(_sign, end) if is_known(end) else 0


def _sign(end: float) -> int:
    return int(math.copysign(1.0, end)) if math.isinf(end) else 0


def _held(end):
    """An end of a range, held constant."""
    return early(float, end) if is_known(end) else quadrature.held(end)


@means(sg.dblquad)
def dblquad(func, a, b, gfun, hfun, args=(), epsabs=1.49e-8, epsrel=1.49e-8):
    """The integral of integrals."""
    ends = (_as_function(gfun), _as_function(hfun))
    return quadrature.double(sg.quad, func, a, b, *ends, more(args), epsabs, epsrel)


@means(sg.tplquad)
def tplquad(func, a, b, gfun, hfun, qfun, rfun, args=(), epsabs=1.49e-8, epsrel=1.49e-8):
    """The integral of integrals of integrals."""
    ends = (_as_function(gfun), _as_function(hfun), _as_function(qfun), _as_function(rfun))
    return quadrature.triple(sg.quad, sg.dblquad, func, a, b, *ends, more(args), epsabs, epsrel)


def _as_function(end):
    """An end of an inner range as a function: it may be a number."""
    return end if callable(end) else functools.partial(quadrature.always, end)
