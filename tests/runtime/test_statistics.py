"""Functions of samples, of `scipy.stats`: values as SciPy has them, and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
import scipy.stats as st
from scipy.spatial.distance import jensenshannon

import backsweep as bs
from backsweep.runtime.scipy import sight
from tests.frontend.test_library_calls import assert_derivatives
from tests.runtime.test_axes import array, assert_as_numpy
from tests.runtime.test_integrals import assert_second_order
from tests.support.sampled import turning

V, W = array((6,), "float64"), array((6,), "float64", 1)
A, B = array((4, 5), "float64"), array((4, 5), "float64", 1)
T = array((2, 3, 4), "float64")
P, Q, R = np.abs(V) + 0.1, np.abs(A) + 0.1, np.abs(B) + 0.2
PLACES: list[dict[str, Any]] = [{}, {"axis": 1}, {"axis": None}]
CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    *(
        (each, (A,), where)
        for each in (st.zscore, st.sem, st.variation, st.skew, st.kurtosis)
        for where in PLACES
    ),
    *((each, (V,), {}) for each in (st.zscore, st.sem, st.variation, st.skew, st.kurtosis)),
    *((each, (A,), {"ddof": 1, "axis": 1}) for each in (st.zscore, st.sem, st.variation)),
    *((each, (A,), {"bias": False}) for each in (st.skew, st.kurtosis)),
    *((each, (V[:3],), {"bias": False}) for each in (st.skew, st.kurtosis)),
    (st.kurtosis, (A,), {"fisher": False, "bias": False}),
    (st.skew, (T,), {"axis": (0, 2)}),
    *((each, (np.full(3, 0.1),), {}) for each in (st.zscore, st.skew, st.kurtosis)),
    (st.zscore, (np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 5.0]]),), {}),
    (st.zscore, (np.arange(5),), {}),
    (st.zmap, (A, B), {"axis": 1, "ddof": 1}),
    *((each, (Q,), where) for each in (st.gmean, st.hmean) for where in PLACES),
    *((each, (Q,), {"weights": R, "axis": 1}) for each in (st.gmean, st.hmean)),
    (st.hmean, (np.array([0.0, 1.0]),), {}),
    *((st.pmean, (Q, p), {"axis": 1}) for p in (0, 1, -2, 0.5)),
    (st.pmean, (P, 3), {"weights": R.ravel()[:6]}),
    *((st.moment, (A, order), {}) for order in (0, 1, 2, 5)),
    (st.moment, (V, 3), {}),
    (st.moment, (A, 1), {"center": 0.5, "axis": None}),
    *((st.entropy, (Q,), where) for where in PLACES),
    (st.entropy, (P,), {"base": 2}),
    (st.entropy, (np.array([0.0, 1.0, 2.0]),), {}),
    (st.entropy, (Q, R), {"axis": 1}),
]


@pytest.mark.parametrize("call", turning(33, CALLS), ids=lambda call: f"{call[0].__name__} {call[2]}")
def test_values_are_scipys(call):
    sight.meet(st.zscore)
    assert_as_numpy(*call)


def fitted(x, y):
    line = st.linregress(x, y)
    slope, intercept, _, _, _ = st.linregress(x, y * y)
    return line.slope * intercept + line.rvalue + line.pvalue + line.stderr * slope


def correlated(x, y):
    r, p = st.pearsonr(x, y)
    return r * st.pearsonr(x, y * y).statistic + p + st.pearsonr(x * y, y)[0]


SMOOTH: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "zscore": (lambda a: st.zscore(a, axis=1, ddof=1), (A,)),
    "zmap": (lambda a, b: st.zmap(a, b), (A, B)),  # noqa: PLW0108
    "deviations": (lambda a: st.sem(a) * st.variation(a, ddof=1), (A,)),
    "shapes": (lambda a: st.skew(a, bias=False) * st.kurtosis(a, bias=False), (A,)),
    "shape": (lambda v: st.skew(v) * st.kurtosis(v, fisher=False), (V,)),
    "moment": (lambda a: st.moment(a, 3, axis=None) + st.moment(a, order=2, center=1.0), (A,)),
    "means": (lambda a, w: st.gmean(a, weights=w) + st.hmean(a, weights=w), (Q, R)),
    "pmean": (lambda a, w: st.pmean(a, w[0]) + st.pmean(a, 3, weights=w), (P, P[::-1])),
    "entropy": (lambda a, b: st.entropy(a, b, axis=1) + st.entropy(a, base=2.0)[1], (Q, R)),
    "pearsonr": (correlated, (V, W)),
    "linregress": (fitted, (V, W)),
}


@pytest.mark.parametrize("name", turning(8, SMOOTH))
def test_derivatives(name):
    function, args = SMOOTH[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.parametrize("name", turning(14, SMOOTH))
def test_second_order(name):
    assert_second_order(*SMOOTH[name])


def test_points_on_a_line():
    slope = bs.grad(lambda x, y: st.linregress(x, y).slope, argnums=(0, 1), jit=False)
    x = np.array([0.0, 1.0, 2.0, 3.0])
    np.testing.assert_allclose(slope(x, 2.0 * x)[1], (x - 1.5) / 5.0)
    assert np.all(np.isfinite(slope(x, 2.0 * x)[0]))
    np.testing.assert_allclose(
        bs.grad(lambda x, y: st.pearsonr(x, y)[0], jit=False)(x, 2.0 * x), 0.0, atol=1e-12
    )
    two = bs.value_and_grad(lambda x, y: st.linregress(x, y).slope, jit=False)(x[:2], 3.0 * x[:2])
    np.testing.assert_allclose(two[0], 3.0)


def test_what_scipy_refuses():
    for error, call in (
        ("identical", lambda x, y: st.linregress(0.0 * x, y).slope),
        ("same length", lambda x, y: st.pearsonr(x[1:], y)[0]),
        ("positive number", lambda x, y: st.entropy(x, base=-(y[0] ** 2))),
    ):
        with pytest.raises(ValueError, match=error):
            bs.grad(call, jit=False)(V, W)


def test_frequencies_of_zero_leave_the_slopes_by_others_finite():
    """Those by frequencies that are zero are infinite, unless they are zero in both."""
    p, q, empty = np.array([0.0, 0.3, 0.9]), np.array([0.2, 0.3, 0.5]), np.array([0.0, 0.2, 0.6])
    for call, is_infinite in (
        (st.entropy, True),
        (lambda x: st.entropy(x, q), True),
        (lambda x: st.entropy(x, empty + 0.1 * (empty > 0.5)), False),
        (lambda x: st.entropy(empty, x**2), False),
        (lambda x: jensenshannon(x, q, 2.0), True),
        (lambda x: jensenshannon(q, x), True),
        (lambda x: jensenshannon(empty, x**2), False),
    ):
        with np.errstate(divide="ignore", invalid="ignore"):
            found = bs.grad(call, jit=False)(p)
        step = np.array([0.0, 1e-6, 0.0])
        np.testing.assert_allclose(found[1], (call(p + step) - call(p - step)) / 2e-6, rtol=1e-7)
        assert np.isinf(found[0]) == is_infinite


@pytest.mark.parametrize("axis", [0, 1])
def test_the_distance_of_equal_distributions_has_the_slope_zero(axis):
    found = bs.grad(lambda x: np.sum(jensenshannon(x, x, axis=axis, keepdims=True)), jit=False)(Q)
    np.testing.assert_array_equal(found, np.zeros_like(Q))


@numba.njit
def scored(x, y):
    return st.linregress(st.zscore(x), y).slope + st.pearsonr(x, y).statistic


@pytest.mark.compiles
@pytest.mark.turns(14)
def test_compiled():
    np.testing.assert_allclose(scored(V, W), scored.py_func(V, W))
    assert_derivatives(scored, (V, W), jit=False)


@pytest.mark.parametrize("power", [0.0, 1e-9, -1e-5])
def test_power_means_are_smooth_where_the_power_is_zero(power):
    def mean(x, p):
        return st.pmean(x, p)

    x = np.array([0.4, 2.0, 1.3])
    expected = st.gmean(x) * np.var(np.log(x)) / 2.0
    assert bs.grad(mean, argnums=1, jit=False)(x, power) == pytest.approx(expected, rel=1e-4)
