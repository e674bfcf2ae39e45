"""Distributions of `scipy.stats` far out: probabilities and their slopes against mpmath, where SciPy's values may be rough or gone."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import scipy.stats as st

import backsweep as bs
from tests.support.sampled import turning


def invgauss_parts(x, mu):
    near, far = (x / mu - 1) / mp.sqrt(x), (x / mu + 1) / mp.sqrt(x)
    other = mp.exp(2 / mu) * mp.ncdf(-far)
    return mp.ncdf(near) + other, mp.ncdf(-near) - other


PARTS = {"invgauss": invgauss_parts}
"""Distribution function and what is left to 1, in mpmath."""
METHODS = {
    "cdf": lambda low, high: low,
    "sf": lambda low, high: high,
    "logcdf": lambda low, high: mp.log(low) if low < 0.5 else mp.log1p(-high),
    "logsf": lambda low, high: mp.log(high) if high < 0.5 else mp.log1p(-low),
}
POINTS = {
    "invgauss": [
        *((1e-10, 0.7), (1e-4, 1.05), (1e-4, 0.01), (1e-4, 1e-4), (0.3, 0.7), (1.0, 0.7), (1e3, 1e3)),
        *((200.0, 0.7), (1e5, 0.7), (1e8, 1.0), (1e10, 1e5)),
    ],
}
CASES = [(name, method, point) for name, points in POINTS.items() for method in METHODS for point in points]


@pytest.mark.parametrize(("name", "method", "point"), turning(12, CASES))
def test_values_and_slopes_are_those_of_mpmath(name, method, point):
    own = getattr(getattr(st, name), method)
    of_two, of_three = lambda p: own(p[0], p[1]), lambda p: own(p[0], p[1], p[2])
    function = of_two if len(point) == 2 else of_three
    value, slopes = bs.value_and_grad(function, jit=False)(np.array(point))
    with mp.workdps(400):
        exact = [mp.mpf(each) for each in point]

        def along(k, t):
            return METHODS[method](*PARTS[name](*(t if n == k else each for n, each in enumerate(exact))))

        expected = [along(0, exact[0])]
        for k in range(len(point)):
            step = abs(exact[k]) * mp.mpf(10) ** -60
            expected.append((along(k, exact[k] + step) - along(k, exact[k] - step)) / (2 * step))
        expected = [float(each) for each in expected]
    np.testing.assert_allclose([value, *slopes], expected, rtol=2e-9, atol=1e-300)


CLOSE_TO_ONE = [
    ("expon", (), 200.0),
    ("gamma", (2.5,), 200.0),
    ("chi2", (3.5,), 200.0),
    ("weibull_min", (1.7,), 30.0),
    ("gumbel_l", (), 5.4),
    ("gompertz", (0.7,), 5.8),
    ("cauchy", (), 1e150),
    ("t", (3.5,), 1e5),
    ("laplace", (), 200.0),
    ("hypsecant", (), 200.0),
    ("lomax", (2.5,), 1e5),
]


@pytest.mark.parametrize(("name", "shapes", "x"), turning(4, CLOSE_TO_ONE))
def test_logarithms_of_what_is_close_to_one(name, shapes, x):
    """They are minus what is left to 1, and so are their slopes."""
    own = getattr(st, name)
    value, slope = bs.value_and_grad(lambda x: own.logcdf(x, *shapes), jit=False)(x)
    assert value == pytest.approx(-own.sf(x, *shapes), rel=1e-11, abs=0.0)
    assert slope == pytest.approx(own.pdf(x, *shapes), rel=1e-9, abs=0.0)
    slope = bs.grad(lambda x: own.cdf(x, *shapes), jit=False)(x)
    assert slope == pytest.approx(own.pdf(x, *shapes), rel=1e-9, abs=0.0)


def test_quantiles_of_cauchy_close_to_one():
    q = 1.0 - 1e-10
    value, slope = bs.value_and_grad(st.cauchy.ppf, jit=False)(q)
    assert value == pytest.approx(1.0 / np.tan(np.pi * (1.0 - q)), rel=1e-14)
    assert slope == pytest.approx(np.pi * (1.0 + value * value), rel=1e-12)


SKEWED = [
    *((-6.1, 2.0), (-30.0, 2.0), (-0.5, 5.0), (-0.01, 100.0), (0.005, 100.0), (0.5, 3.0), (2.0, 3.0)),
    *((-5.0, 0.1), (-5.0, 0.0), (-5.0, -2.0), (3.0, -2.0), (-1.7, 1.0), (-1e-5, 1e4), (-200.0, 2.0)),
]


@pytest.mark.parametrize(("x", "a"), turning(3, SKEWED))
def test_skewed_normal_numbers_far_out(x, a):
    """Of the small side the distribution function is a difference of what is large."""
    with mp.workdps(30):
        width = 1 / (mp.mpf(1) + abs(x) * (1 + a * a) + abs(a)) if a >= 0 else 1 / mp.mpf(1 + abs(x))
        ends = [x - k * width for k in (0, 1, 3, 6, 10, 20, 40, 80, 160, 400, 400 + 40 / width)]
        low = mp.quad(lambda t: 2 * mp.npdf(t) * mp.ncdf(a * t), ends[::-1])
        steep = 2 * mp.npdf(x) * mp.ncdf(a * mp.mpf(x)) / low
        turned = -mp.exp(-x * mp.mpf(x) * (1 + a * a) / 2) / (mp.pi * (1 + a * a)) / low
        expected = [float(each) for each in (mp.log(low), steep, turned)]
    for function in (
        lambda p: st.skewnorm.logcdf(p[0], p[1]),
        lambda p: st.skewnorm.logsf(-p[0], -p[1]),
    ):
        value, slopes = bs.value_and_grad(function, jit=False)(np.array((x, a)))
        np.testing.assert_allclose([value, *slopes], expected, rtol=1e-9)
    value, slopes = bs.value_and_grad(lambda p: st.skewnorm.cdf(p[0], p[1]), jit=False)(np.array((x, a)))
    np.testing.assert_allclose([value, *slopes], float(low) * np.array([1.0, *expected[1:]]), rtol=1e-9)


@pytest.mark.compiles
def test_skewed_normal_numbers_compiled():
    def total(x, a):
        return np.sum(st.skewnorm.logcdf(x, a)) + st.skewnorm.sf(x[0], a, 0.3, 2.0)

    x = np.array([-7.0, 0.3, 2.0])
    plain = bs.value_and_grad(total, argnums=(0, 1), jit=False)(x, 1.7)
    value, slopes = bs.value_and_grad(total, argnums=(0, 1))(x, 1.7)
    assert value == pytest.approx(plain[0], rel=1e-12)
    np.testing.assert_allclose(slopes[0], plain[1][0], rtol=1e-11)
    assert slopes[1] == pytest.approx(plain[1][1], rel=1e-11)
