"""Polynomials and series by their coefficients, and orders of entries: values, derivatives, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

import backsweep as bs
from tests.frontend.test_library_calls import assert_derivatives
from tests.runtime.test_axes import array, assert_as_numpy
from tests.support.refused import refused
from tests.support.sampled import turning

A = array((3, 4), "float64")
Q = array((3, 3), "float64")
S = array((2, 3, 4), "float64")
V = array((4,), "float64", 2)
W = array((3,), "float64", 3)
I = np.array([0, 2, 1, 1])
CUBIC = np.poly1d([1.0, -2.0, 0.5, 3.0])
SHIFTED = chebyshev.Chebyshev([1, 2, 3], domain=[0, 4])

CLASS = polynomial.Polynomial

Forms = dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]


def _integral(v):
    """An integral by Gauss and Legendre."""
    nodes, weights = legendre.leggauss(5)
    return np.sum(weights * np.exp(v[0] * nodes)) * v


def _of_objects(v):
    p = polynomial.Polynomial([v[0], 2.0, v[1]])
    is_ours = isinstance(p, polynomial.Polynomial) and isinstance(CUBIC * CUBIC, np.poly1d)
    around = (CUBIC * v[0] - 2.0 * CUBIC.deriv())(v[1]) * is_ours
    return p(v) * p.coef[2] + CUBIC(v) * SHIFTED(v) + around


def _combined(v, w):
    p, q = np.poly1d(v), np.poly1d([w[0], 0.5])
    r = (p * q - 2.0 * q + w) / v[0]
    return (r**2).deriv(2)(w) + (-p).integ(2, k=v[1])(v[2]) + p.deriv(0)(v[1]) * (1.5 - q)(v[1])


def _of_series(v, w):
    p, q = polynomial.Polynomial(v), polynomial.Polynomial((w[0], 1.0, v[2]))
    r = (p + q * q) * 0.5 - 1.0
    return r.deriv()(w) * r.integ(2)(w) + (q**3).coef[2] * np.sum((p - w).coef) + p.domain[1] * (-q)(v[0])


def _of_ends(v, w):
    p = polynomial.Polynomial(v, domain=[w[0], 3.0], window=w[:2])
    slope, whole = p.deriv(2), p.integ()
    return slope(w) + whole(w) * p.domain[0] + (2.0 * p)(v[1]) * slope.window[1] + (p + whole)(w)


def _made_before_a_write(v, w):
    c = v * w[0]
    p, q = polynomial.Polynomial(c), np.poly1d(c)
    c[0] = 5.0 * w[1]
    return p(w) * q(w[0])


def _distinct(v):
    a, first, places, counts = np.unique(
        np.round(v, 1), return_index=True, return_inverse=True, return_counts=True
    )
    return v[first] * counts * np.sum(v * places) + a.size


FORMS: Forms = {
    "polyadd": (lambda v, w: np.polyadd(v, w) * 2.0, (V, W)),
    "polysub": (lambda v, w: np.polysub(w, v) * 2.0, (V, W)),
    "polymul": (lambda v, w: np.polymul(v, [0.0, w[0], 1.0]), (V, W)),
    "polydiv": (lambda v, w: np.polydiv(v, w[:2])[1], (V, W)),
    "polydiv, quotient": (lambda v, w: np.polydiv(v, w[:2])[0], (V, W)),
    "polyder": (lambda v: np.polyder(v, 2) * v[:2], (V,)),
    "polyint": (lambda v, w: np.polyint(v, 2, k=[w[0], w[1]]) * 2.0, (V, W)),
    "polyint, a constant": (lambda v: np.polyint(v, k=v[0]) * 2.0, (V,)),
    "poly": (lambda v: np.poly(v) * 2.0, (V,)),
    "polyfromroots": (lambda v: polynomial.polyfromroots(v) * 2.0, (V,)),
    "polyval, lowest first": (lambda v: polynomial.polyval(v[1], v), (V,)),
    "polyval, one of no axes": (
        lambda a, v: (
            polynomial.polyval(np.array(v[0]), a, tensor=False)
            * polynomial.polyval(np.array(v[1]), [1, 2, 3])
        ),
        (A, V),
    ),
    "polyval, several": (lambda a, v: polynomial.polyval(v[0], a) * 2.0, (A, V)),
    "polyval2d": (lambda a, v: polynomial.polyval2d(v, v * v, a), (A, V)),
    "polyder, lowest first": (lambda v: polynomial.polyder(v, 2) * 2.0, (V,)),
    "polyvander": (lambda v: polynomial.polyvander(v, 3), (V,)),
    "chebval": (lambda v, w: chebyshev.chebval(w, v), (V, W)),
    "legval": (lambda v, w: legendre.legval(w[0], v), (V, W)),
    "hermval": (lambda v, w: hermite.hermval(w, v), (V, W)),
    "hermeval": (lambda v, w: hermite_e.hermeval(w, [v[0], v[1]]), (V, W)),
    "lagval": (lambda v, w: laguerre.lagval(w, v), (V, W)),
    "legvander": (lambda w: legendre.legvander(w, 3), (W,)),
    "chebder": (lambda v: chebyshev.chebder(v) * 2.0, (V,)),
    "quadrature": (_integral, (V,)),
    "objects": (_of_objects, (V,)),
    "poly1d": (lambda v, w: np.poly1d(v)(w), (V, W)),
    "poly1d, combined": (_combined, (V, W)),
    "objects, combined": (_of_series, (V, W)),
    "objects and a write": (_made_before_a_write, (V, W)),
    "objects with ends": (_of_ends, (V, W)),
    "unique": (_distinct, (V,)),
    "lexsort": (lambda v: v[np.lexsort((v, I))] * V, (V,)),
    "searchsorted": (lambda v: np.searchsorted(v, W, sorter=np.argsort(v)) * v[:3], (V,)),
    "partition": (lambda a: np.sum(np.partition(a, 1, axis=0)[:2] ** 2, axis=0), (A,)),
    "diag_indices": (lambda q: q[np.diag_indices(3)] * q[np.diag_indices_from(q)], (Q,)),
    "atleast_1d": (lambda v: np.atleast_1d(v[0], v)[0] * v, (V,)),
    "mT": (lambda s: s.mT @ s, (S,)),
    "rollaxis": (lambda s: np.rollaxis(s, 2, 1) * 2.0, (S,)),
    "unstack": (lambda a: np.unstack(a, axis=1)[2] * 2.0, (A,)),
    "delete, slice": (lambda a: np.delete(a, slice(0, 3, 2), axis=1) * 2.0, (A,)),
    "einsum, lists": (lambda a, q: np.einsum(a, [0, 1], q, [0, 2], [2, 1]), (A, Q)),
    "fromfunction": (lambda v: np.fromfunction(lambda i, j: v[0] * i + v[1] * j * j, (2, 3)), (V,)),
}
COMPILED = ("polydiv", "chebval")


@pytest.mark.parametrize("name", turning(5, FORMS))
def test_derivatives(name):
    function, args = FORMS[name]
    np.testing.assert_allclose(bs.vjp(function, *args, jit=False)[0], function(*args), rtol=1e-11, atol=1e-13)
    assert_derivatives(function, args, jit=False)


@pytest.mark.compiles
@pytest.mark.turns(9)
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    function, args = FORMS[name]
    assert_derivatives(function, args, jit=True)


CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (np.polyadd, (I, I[:2]), {}),
    (np.polymul, (np.array([0.0, 0.0, 1.0]), V), {}),
    (np.polymul, (np.zeros(2), np.zeros(3)), {}),
    (np.polymul, (V, []), {}),
    (np.poly, (I,), {}),
    (np.polyval, (I, np.array([[0.5, 2.0]])), {}),
    (np.polyfit, (np.arange(4.0), V, 2), {"w": np.array([1.0, 2.0, 0.5, 1.0])}),
    (np.polyder, (I, 3), {}),
    (np.polyder, (V[:1],), {}),
    (np.polyint, (I, 2), {}),
    (polynomial.polyval, (1.5, V), {}),
    (polynomial.polyval, (A, V), {}),
    (polynomial.polyder, (V, 5), {}),
    (chebyshev.chebval, (0.3, V[:1]), {}),
    (chebyshev.chebval, (V, V + 1j), {}),
    (chebyshev.chebvander, (A, 3), {}),
    (legendre.legvander, (0.5, 3), {}),
    (polynomial.polyvander, (np.array([1e200, 2.0]), 3), {}),
    (hermite.hermvander, (V, 0), {}),
    (hermite_e.hermevander, (V, 4), {}),
    (laguerre.lagvander, (V, 4), {}),
    (chebyshev.chebder, (V[:1],), {}),
    (chebyshev.chebder, (np.concatenate((V, V)),), {}),
    (np.lexsort, ((V, V > 0, I),), {}),
    (np.lexsort, (np.vstack((I, I[::-1])),), {}),
    (np.lexsort, (([2.0, 1.0, 2.0], [1, 0, 0]),), {}),
    (np.partition, (S, 2, 1), {}),
    (np.partition, (A, 2, None), {}),
    (np.partition, ([3.0, 1.0, 2.0], 1), {}),
    (np.array_equiv, (A, A[:1]), {}),
    (np.array_equiv, (A, A[:, :3]), {}),
    (np.array_equiv, (np.ones((2, 3)), np.ones(3)), {}),
    (np.atleast_3d, (V,), {}),
    (np.atleast_3d, (2.5,), {}),
    (np.searchsorted, (V, W, "right", np.argsort(V)), {}),
    (np.unique, (V + 1j,), {}),
    (np.ravel_multi_index, ((I, I[::-1]), (3, 4)), {}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0].__name__} {len(call[1])} {call[2]}")
def test_values_are_numpys(call):
    assert_as_numpy(*call)


@pytest.mark.parametrize(
    "function",
    [legendre.leggauss, hermite.hermgauss, hermite_e.hermegauss, laguerre.laggauss, chebyshev.chebgauss],
)
def test_nodes_are_numpys(function):
    count = bs.vjp(lambda x, n: np.sum(function(n)[0] ** 2 * function(n)[1]) * x, 1.0, 7, jit=False)[0]
    np.testing.assert_allclose(count, np.sum(function(7)[0] ** 2 * function(7)[1]), rtol=1e-11)
    for degree in (1, 2, 7, 30):
        found = bs.vjp(lambda x, n=degree: (function(n)[0] * x, function(n)[1] * x), 1.0, jit=False)[0]
        np.testing.assert_allclose(found, function(degree), rtol=1e-11, atol=1e-14)


def test_distinct_numbers_are_numpys():
    values = np.array([[2.0, np.nan, 1.0], [2.0, np.nan, np.nan]])
    options = {"return_index": True, "return_inverse": True, "return_counts": True}
    for equal_nan in (True, False):
        found = bs.vjp(lambda a, e=equal_nan: np.unique(a, equal_nan=e, **options), values, jit=False)[0]
        for ours, theirs in zip(found, np.unique(values, equal_nan=equal_nan, **options), strict=True):
            np.testing.assert_array_equal(ours, theirs)


REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "poly": (lambda q: np.sum(np.poly(q)), (Q,), "supported for a vector of zeros"),
    "poly, complex": (lambda v: np.poly(v * 1j)[0], (V,), "gives real numbers is known only when"),
    "polyfit": (lambda v, k: np.polyfit(V, v, 1, full=k)[0][0], (V, 1), "known only when the program runs"),
    "polyder": (lambda a: np.sum(np.polyder(a)), (A,), "the coefficients of a polynomial are no vector"),
    "legfit": (lambda v: legendre.legfit(V, v, 1, full=True)[0][0], (V,), "`full` of a fit"),
    "diag_indices": (lambda q, k: np.sum(q[np.diag_indices(2, k)]), (Q, 2), "no number that is written out"),
    "lexsort": (lambda v: v[np.lexsort((v, I), 0)][0], (V,), "along the last axis"),
    "unique, by the run": (
        lambda v, k: np.sum(np.unique(v, k > 0)[0]),
        (V, 1),
        "known only when the program runs",
    ),
    "unique": (lambda a: np.sum(np.unique(a, axis=0)), (A,), "supported for all entries"),
    "poly1d": (lambda v: np.poly1d(v, True)(1.0), (V,), "with coefficients alone"),
    "roots": (lambda v: np.poly1d(v).roots[0], (V,), "`roots` of a `np.poly1d` has no text"),
    "order of a slope": (lambda v: np.poly1d(v).deriv(np.argmax(v))(1.0), (V,), "m times, as written out"),
    "two classes": (
        lambda v: (np.poly1d(v) + polynomial.Polynomial(v))(1.0),
        (V,),
        "polynomials of two classes",
    ),
    "an object": (lambda v: np.poly1d(v) * 2.0, (V,), "the class `poly1d` is used as a value"),
    "two domains": (
        lambda v: (polynomial.Polynomial(v, v[:2]) + CLASS(v))(1.0),
        (V,),
        "the run may find that they differ",
    ),
    "mT": (lambda v: np.sum(v.mT), (V,), "there are less than two"),
    "unstack": (lambda v, k: np.unstack(v, axis=k)[0], (V, 0), "the number of an axis"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(name):
    function, args, words = REFUSED[name]
    with refused(words, bs.BacksweepError) as caught:
        bs.grad(function, jit=False)(*args)
    assert "help: " in str(caught.value)


def _written_through_views(a):
    b = a * 1.0
    turned = b.mT
    turned[0, 1] = 5.0
    for row in np.unstack(b):
        row *= 2.0
    return np.sum(b * b)


def test_views_are_views():
    assert_derivatives(_written_through_views, (Q,), jit=False)
