"""Distances of `scipy.spatial.distance`: values as SciPy has them, and derivatives, also where points coincide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from scipy.spatial import distance

import backsweep as bs
from backsweep.runtime.scipy import sight
from tests.frontend.test_library_calls import assert_derivatives
from tests.runtime.test_axes import array, assert_as_numpy
from tests.runtime.test_integrals import assert_second_order
from tests.support.sampled import turning

U, V = array((5,), "float64"), array((5,), "float64", 1)
W = np.array([0.5, 1.0, 0.0, 2.0, 0.3])
A, B = array((4, 5), "float64"), array((3, 5), "float64", 1)
S = array((5, 5), "float64", 2)
S = S @ S.T + np.eye(5)
D = np.abs(array((3, 3), "float64"))
D = (D + D.T) * (1.0 - np.eye(3))
WEIGHED = (
    "euclidean",
    "sqeuclidean",
    "cityblock",
    "chebyshev",
    "cosine",
    "braycurtis",
    "canberra",
    "correlation",
)
OF_ROWS: list[dict[str, Any]] = [
    *({"metric": each} for each in WEIGHED),
    *({"metric": each, "w": W} for each in ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine")),
    *({"metric": each, "w": W} for each in ("braycurtis", "canberra")),
    {"metric": "minkowski", "p": 3},
    {"metric": "minkowski"},
    {"metric": "minkowski", "p": 1.5, "w": W},
    {"metric": "seuclidean", "V": W + 1.0},
    {"metric": "mahalanobis", "VI": S},
]
CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    *((getattr(distance, each), (U, V), {}) for each in WEIGHED),
    *((getattr(distance, each), (U, V), {"w": W}) for each in WEIGHED),
    (distance.correlation, (U, V), {"centered": False}),
    *((distance.minkowski, (U, V, p), {}) for p in (1, 2, 3.5, np.inf)),
    *((distance.minkowski, (U, V, p, W), {}) for p in (1, 2, 3.5)),
    (distance.mahalanobis, (U, V, S), {}),
    (distance.seuclidean, (U, V, W + 1.0), {}),
    (distance.squareform, (array((6,), "float64"),), {}),
    (distance.squareform, (np.zeros(0),), {}),
    (distance.squareform, (np.arange(3),), {"force": "tomatrix"}),
    (distance.squareform, (D,), {}),
    (distance.squareform, (D + np.eye(3),), {"checks": False}),
    *((distance.cdist, (A, B), options) for options in OF_ROWS),
    (distance.cdist, (A, A), {}),
    (distance.cdist, (np.arange(6).reshape(2, 3), np.ones((4, 3), np.int64)), {}),
    *((distance.pdist, (A,), options) for options in OF_ROWS),
]


@pytest.mark.parametrize("call", turning(30, CALLS), ids=lambda call: f"{call[0].__name__} {list(call[2])}")
def test_values_are_scipys(call):
    sight.meet(distance.cdist)
    assert_as_numpy(*call)


SMOOTH: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "roots": (lambda u, v: distance.euclidean(u, v) + distance.minkowski(u, v, 2.5), (U, V)),
    "order": (lambda u, v: distance.minkowski(u, v, 2.0 + v[0] ** 2), (U, V)),
    "sums": (
        lambda u, v: distance.sqeuclidean(u, v, u * u) * distance.cityblock(u, v) + distance.chebyshev(u, v),
        (U, V),
    ),
    "angles": (lambda u, v: distance.cosine(u, v) + distance.correlation(u, v), (U, V)),
    "shares": (lambda u, v: distance.braycurtis(u, v) + distance.canberra(u, v), (U, V)),
    "scaled": (
        lambda u, s: distance.mahalanobis(u, s[0], s) + distance.seuclidean(u, s[1], s[2] ** 2),
        (U, S),
    ),
    "cdist": (lambda a, b: distance.cdist(a, b) + 1.0, (A, B)),
    "cdist, cosine": (lambda a, b: distance.cdist(a, b, "cosine"), (A, B)),
    "cdist, minkowski": (lambda a, b: distance.cdist(a, b, metric="minkowski", p=3), (A, B)),
    "cdist, correlation": (lambda a, b: distance.cdist(a, b, "correlation"), (A, B)),
    "cdist, mahalanobis": (lambda a, s: distance.cdist(a, a[:2] * 2.0, "mahalanobis", VI=s), (A, S)),
    "pdist": (lambda a: distance.squareform(distance.pdist(a, "sqeuclidean")), (A,)),
    "pdist, weights": (lambda a, w: distance.pdist(a, "cityblock", w=w), (A, W + 1.0)),
    "squareform": (lambda a: distance.squareform(a * a, checks=False), (D,)),
}


@pytest.mark.parametrize("name", turning(24, SMOOTH))
def test_derivatives(name):
    function, args = SMOOTH[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.parametrize("name", turning(24, SMOOTH))
def test_second_order(name):
    assert_second_order(*SMOOTH[name])


@pytest.mark.parametrize("metric", turning(5, ["euclidean", "cityblock", "chebyshev", "minkowski", "cosine"]))
def test_points_that_coincide(metric):
    def energy(a):
        return np.sum(np.exp(-distance.cdist(a, a, metric)))

    slope = bs.grad(energy, jit=False)(A)
    _, along = bs.jvp(bs.grad(energy, jit=False), (A,), (B[[0, 1, 2, 0]],), jit=False)
    assert np.all(np.isfinite(slope))
    assert np.all(np.isfinite(along))
    step = 1e-6 * B[[0, 1, 2, 0]]
    two = energy(A + step) - energy(A - step)
    np.testing.assert_allclose(np.sum(slope * B[[0, 1, 2, 0]]), two / 2e-6, rtol=1e-6)


ROOTS: dict[str, Callable[..., Any]] = {
    "euclidean": lambda u, v: distance.euclidean(u, v) + u[0],
    "weights": lambda u, v: distance.euclidean(u, v, U * U),
    "minkowski": lambda u, v: distance.minkowski(u, v) + u[0],
    "order": lambda u, v: distance.minkowski(u, v, 1.5),
    "mahalanobis": lambda u, v: distance.mahalanobis(u, v, S),
    "seuclidean": lambda u, v: distance.seuclidean(u, v, U * U),
    "rows": lambda u, v: distance.cdist(u.reshape(1, 5), v.reshape(1, 5))[0, 0],
    "smooth": lambda u, v: np.cos(distance.chebyshev(u, v)),
}


@pytest.mark.parametrize("name", turning(6, ROOTS))
def test_second_derivatives_where_points_coincide(name):
    hessian = bs.hessian(ROOTS[name], jit=False)
    assert np.all(np.isnan(np.diag(hessian(U, U.copy()))))
    near, step = U + np.array([0.0, 1.0, -0.5, 0.3, 2.0]), 1e-6
    slope = bs.grad(ROOTS[name], jit=False)
    moved = np.eye(5)[0] * step
    found = hessian(U, near)[0]
    if name == "order":  # infinite by the entry that is alike
        assert np.isnan(found[0])
        return
    np.testing.assert_allclose(
        found, (slope(U + moved, near) - slope(U - moved, near)) / (2 * step), rtol=1e-4, atol=1e-5
    )


def test_squared_distances_have_second_derivatives():
    square = bs.hessian(lambda u, v: distance.euclidean(u, v) ** 2, jit=False)
    np.testing.assert_allclose(square(U, U.copy()), 2.0 * np.eye(5))


def test_what_scipy_refuses():
    for error, call in (
        ("non-negative", lambda a, b: distance.cdist(a, b, "cityblock", w=a[0])),
        ("greater than 0", lambda a, b: distance.cdist(a, b, "minkowski", p=b[0, 0] - 9.0)),
        ("same number of columns", lambda a, b: distance.cdist(a, b[:, 1:])),
        ("symmetric", lambda a, b: distance.squareform(a[:3, :3] * (1.0 - np.eye(3)))),
        ("Incompatible", lambda a, b: distance.squareform(a[0])),
    ):
        with pytest.raises(ValueError, match=error):
            bs.grad(lambda a, b, call=call: np.sum(call(a, b)), jit=False)(A, B)


@numba.njit
def similarity(a, b):
    return np.sum(np.exp(-distance.cdist(a, b, "sqeuclidean"))) + distance.euclidean(a[0], b[0])


@pytest.mark.compiles
@pytest.mark.turns(14)
def test_compiled():
    np.testing.assert_allclose(similarity(A, B), similarity.py_func(A, B))
    assert_derivatives(similarity, (A, B), jit=False)
