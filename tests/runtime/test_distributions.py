"""The distributions of `scipy.stats` have SciPy's values, and the derivatives of these."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats as st

import backsweep as bs
from tests.support.refused import refused
from tests.support.sampled import turning

Function = Callable[..., Any]

LINE = np.array([-1.7, -0.4, 0.3, 1.9])
HALF = np.array([0.2, 0.7, 1.6, 3.1])
UNIT = np.array([0.13, 0.4, 0.77, 0.91])
ABOVE = np.array([1.1, 1.7, 2.9, 4.0])
COUNTS = np.array([0.0, 1.0, 3.0, 6.0])

CONTINUOUS: dict[str, tuple[np.ndarray[Any, Any], tuple[float, ...]]] = {
    "norm": (LINE, ()),
    "lognorm": (HALF, (0.6,)),
    "halfnorm": (HALF, ()),
    "expon": (HALF, ()),
    "gamma": (HALF, (1.7,)),
    "chi2": (HALF, (3.3,)),
    "invgamma": (HALF, (2.2,)),
    "beta": (UNIT, (1.4, 2.6)),
    "uniform": (UNIT, ()),
    "t": (LINE, (4.5,)),
    "f": (HALF, (3.2, 5.1)),
    "cauchy": (LINE, ()),
    "halfcauchy": (HALF, ()),
    "laplace": (LINE, ()),
    "logistic": (LINE, ()),
    "gumbel_r": (LINE, ()),
    "gumbel_l": (LINE, ()),
    "weibull_min": (HALF, (1.6,)),
    "pareto": (ABOVE, (2.4,)),
    "powerlaw": (UNIT, (1.8,)),
    "rayleigh": (HALF, ()),
    "maxwell": (HALF, ()),
    "invgauss": (HALF, (0.8,)),
    "fisk": (HALF, (2.3,)),
    "skewnorm": (LINE, (1.2,)),
    "exponnorm": (LINE, (1.3,)),
    "vonmises": (LINE, (1.9,)),
    "truncnorm": (LINE, (-2.1, 2.4)),
    "genpareto": (HALF, (0.3,)),
    "genextreme": (LINE, (0.2,)),
    "ncx2": (HALF, (2.6, 1.3)),
    "nct": (LINE, (4.5, 0.7)),
    "chi": (HALF, (3.3,)),
    "gengamma": (HALF, (1.7, 1.3)),
    "betaprime": (HALF, (1.7, 2.3)),
    "invweibull": (HALF, (1.6,)),
    "weibull_max": (-HALF, (1.6,)),
    "gompertz": (HALF, (0.7,)),
    "nakagami": (HALF, (1.6,)),
    "lomax": (HALF, (1.6,)),
    "burr12": (HALF, (1.6, 0.8)),
    "loguniform": (HALF, (0.1, 4.3)),
    "triang": (UNIT, (0.35,)),
    "johnsonsu": (LINE, (0.7, 1.3)),
    "rice": (HALF, (0.8,)),
    "gennorm": (LINE, (1.6,)),
    "moyal": (LINE, ()),
    "levy": (HALF, ()),
    "arcsine": (UNIT, ()),
    "hypsecant": (LINE, ()),
    "loggamma": (LINE, (0.7,)),
    "truncexpon": (HALF, (4.1,)),
}
DISCRETE: dict[str, tuple[float, ...]] = {
    "poisson": (2.4,),
    "binom": (9.0, 0.35),
    "bernoulli": (0.35,),
    "geom": (0.35,),
    "nbinom": (2.6, 0.4),
    "betabinom": (9.0, 1.4, 2.2),
}
NAN_AT_INFINITY = ("vonmises", "maxwell", "ncx2", "nct", "gengamma", "nakagami", "burr12", "rice")
"""Distributions whose densities SciPy has as nan there."""
METHODS = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")
UNKNOWN = {
    *((name, each) for name in ("vonmises", "nct") for each in METHODS[2:]),
    *((name, each) for name in ("invgauss", "skewnorm", "exponnorm") for each in METHODS[6:]),
}
"""What SciPy has and no text stands for."""
AT_TAILS = {"ppf": None, "isf": None, "cdf": "ppf", "sf": "isf"}
"""What is compared at probabilities that are next to nothing, and by what such points are found."""
ROUGH = [
    "ncx2",
    "skewnorm",
    "exponnorm",
    "truncexpon",
    "fisk",
    "invgauss",
    "beta",
    "betaprime",
    "f",
    "weibull_max",
    "triang",
    "rice",
    "moyal",
    "arcsine",
    "halfnorm",
]
"""Distributions for which SciPy's values or ours are rough there."""
CASES = [(name, each) for name in CONTINUOUS for each in METHODS if (name, each) not in UNKNOWN]
COUNTED = ("pmf", "logpmf", "cdf", "sf")
NEXT_TO_A_BOUND = [("truncnorm", "sf")]
"""Where the place of a tail is the last number before a bound: what is left beyond it is rounding, of SciPy's text and of ours."""
TAIL_CASES = [
    case for case in CASES if case[1] in AT_TAILS and case[0] not in ROUGH and case not in NEXT_TO_A_BOUND
]
NEARLY_ALL = [
    (name, *each)
    for name in CONTINUOUS
    for each in (("logcdf", "isf", "sf"), ("logsf", "ppf", "cdf"))
    if (name, each[1]) not in UNKNOWN and (name in ("ncx2", "triang", "arcsine")) <= (each[0] == "logsf")
]
"""Logarithms of what is nearly 1; of some distributions no text tells the rest, or it has a slope that is infinite there."""
DISCRETE_CASES = [
    (name, each)
    for name in DISCRETE
    for each in COUNTED
    if name not in ("bernoulli", "betabinom") or "pmf" in each
]


def function_of(name: str, method: str, shapes: int) -> Function:
    """The function of the arguments, the shapes, the place and the scale, written as users write it."""
    own = getattr(getattr(st, name), method)
    if shapes == 0:
        return lambda x, loc, scale: own(x, loc, scale)  # noqa: PLW0108  its argument may not have another name
    if shapes == 1:
        return lambda x, a, loc, scale: own(x, a, loc=loc, scale=scale)
    return lambda x, a, b, loc, scale: own(x, a, b, loc=loc, scale=scale)


def slopes(function: Function, args: tuple[Any, ...], step: float = 1e-4) -> list[Any]:
    """Differences of SciPy's own function, of the fourth order."""
    found: list[Any] = []
    for k, arg in enumerate(args):

        def at(move: Any, k: int = k, arg: Any = arg) -> float:
            return float(np.sum(function(*args[:k], arg + move, *args[k + 1 :])))

        def slope(unit: Any) -> float:
            near, far = at(step * unit) - at(-step * unit), at(2 * step * unit) - at(-2 * step * unit)
            return (8.0 * near - far) / (12.0 * step)

        found.append(np.array([slope(row) for row in np.eye(arg.size)]) if np.ndim(arg) else slope(1.0))
    return found


def shown(case: tuple[str, str]) -> str:
    return ".".join(case)


@pytest.mark.parametrize("case", turning(15, CASES), ids=shown)
def test_continuous(case: tuple[str, str]) -> None:
    name, method = case
    x, shapes = CONTINUOUS[name]
    function = function_of(name, method, len(shapes))
    args = (UNIT if method in ("ppf", "isf") else 0.3 + 1.4 * x, *shapes, 0.3, 1.4)
    value, pullback = bs.vjp(function, *args, jit=False)
    np.testing.assert_allclose(value, function(*args), rtol=1e-9, atol=1e-12)
    for found, wanted in zip(pullback(np.ones_like(value)), slopes(function, args), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("case", turning(15, CASES), ids=shown)
def test_at_the_ends_and_for_parameters_that_are_not_allowed(case: tuple[str, str]) -> None:
    name, method = case
    x, shapes = CONTINUOUS[name]
    function = function_of(name, method, len(shapes))
    finite = name in NAN_AT_INFINITY
    far = np.array([-5.0, 9.0, math.nan, 0.3, *(() if finite else (math.inf, -math.inf))])
    quantiles = method in ("ppf", "isf")
    ends = np.array([-0.1, 0.0, 0.5, 1.0, 1.2, math.nan]) if quantiles else far
    given = UNIT if quantiles else 0.3 + 1.4 * x
    calls: list[tuple[Any, ...]] = [(ends, *shapes, 0.3, 1.4), (given, *shapes, 0.3, -1.4)]
    calls += [
        (given, *(-each if k == j else each for j, each in enumerate(shapes)), 0.3, 1.4)
        for k in range(len(shapes))
    ]
    for args in calls:
        with np.errstate(all="ignore"):
            wanted = function(*args)
            found = bs.vjp(function, *args, jit=False)[0]
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("case", turning(15, TAIL_CASES), ids=shown)
def test_far_tails(case: tuple[str, str]) -> None:
    name, method = case
    _, shapes = CONTINUOUS[name]
    function = function_of(name, method, len(shapes))
    at = np.array([1e-20, 1e-9])
    at = at if AT_TAILS[method] is None else getattr(getattr(st, name), AT_TAILS[method])(at, *shapes)
    value, pullback = bs.vjp(function, at, *shapes, 0.0, 1.0, jit=False)
    np.testing.assert_allclose(value, function(at, *shapes, 0.0, 1.0), rtol=1e-6)
    assert np.all(np.isfinite(pullback(np.ones_like(value))[0]))


@pytest.mark.parametrize("case", turning(8, NEARLY_ALL), ids=lambda case: " ".join(case[:2]))
def test_logarithms_of_what_is_nearly_one(case: tuple[str, str, str]) -> None:
    """They are what is left to 1, which a difference from 1 does not tell."""
    name, method, end, rest = case
    shapes = CONTINUOUS[name][1]
    at = getattr(getattr(st, name), end)(np.array([1e-14, 1e-10]), *shapes)
    value, pullback = bs.vjp(function_of(name, method, len(shapes)), at, *shapes, 0.0, 1.0, jit=False)
    left, _ = bs.vjp(function_of(name, rest, len(shapes)), at, *shapes, 0.0, 1.0, jit=False)
    np.testing.assert_allclose(value, -left, rtol=1e-6)
    assert np.all(np.isfinite(pullback(np.ones(2))[0]))


def test_cauchy_where_the_square_is_too_large() -> None:
    value, pullback = bs.vjp(lambda x: st.cauchy.logpdf(x), np.array([-1e200, 1e300]), jit=False)  # noqa: PLW0108
    np.testing.assert_allclose(value, st.cauchy.logpdf([-1e200, 1e300]), rtol=1e-12)
    np.testing.assert_allclose(pullback(np.ones(2)), 0.0, atol=1e-199)


def test_students_t_of_many_degrees_of_freedom() -> None:
    df = np.array([1e9, 1e13, 1e200, math.inf])
    value, pullback = bs.vjp(lambda x, df: st.t.logpdf(x, df), 1.5, df, jit=False)  # noqa: PLW0108
    np.testing.assert_allclose(value, st.t.logpdf(1.5, df), rtol=1e-12)
    np.testing.assert_allclose(pullback(np.ones(4))[0], -6.0, rtol=1e-8)


def test_powers_that_are_next_to_nothing() -> None:
    x = np.array([-800.0, -745.1])
    value, pullback = bs.vjp(lambda x: st.loggamma.cdf(x, 0.001), x, jit=False)
    np.testing.assert_allclose(value, st.loggamma.cdf(x, 0.001), rtol=1e-9)
    np.testing.assert_allclose(pullback(np.ones(2)), 0.001 * value, rtol=1e-9)
    np.testing.assert_allclose(bs.vjp(lambda q: st.loggamma.ppf(q, 0.001), value, jit=False)[0], x, rtol=1e-9)


def test_binomial_of_many_trials() -> None:
    n, p = 1541096362225563.0, 1.0477878413173978e-18
    value, pullback = bs.vjp(lambda n, p: st.binom.logpmf(np.arange(3), n, p), n, p, jit=False)
    np.testing.assert_allclose(np.exp(value), st.binom.pmf(np.arange(3), n, p), rtol=1e-9)
    assert pullback(np.ones(3))[1] == pytest.approx(3.0 / p - 3.0 * n, rel=1e-6)


@pytest.mark.parametrize("case", turning(3, DISCRETE_CASES), ids=shown)
def test_discrete(case: tuple[str, str]) -> None:
    name, method = case
    own, shapes = getattr(getattr(st, name), method), DISCRETE[name]
    if len(shapes) == 1:

        def function(k: Any, p: Any, _n: Any, _b: Any) -> Any:
            return own(k, p, loc=1)

        given = (shapes[0], 0.0, 0.0)
    elif len(shapes) == 2:

        def function(k: Any, p: Any, n: Any, _b: Any) -> Any:
            return own(k, n, p, 1)

        given = (shapes[1], shapes[0], 0.0)
    else:

        def function(k: Any, p: Any, n: Any, b: Any) -> Any:
            return own(k, n, p, b, 1)

        given = (shapes[1], shapes[0], shapes[2])
    for k in (COUNTS, COUNTS.astype(int), 3):
        p, n, b = given
        value, pullback = bs.vjp(lambda p, k, n, b: function(k, p, n, b), p, k, n, b, jit=False)
        np.testing.assert_allclose(value, function(k, *given), rtol=1e-9, atol=1e-12)
        (wanted,) = slopes(lambda p, k=k: own_without_inf(function(k, p, *given[1:])), (given[0],))
        found, *_ = pullback(np.ones_like(value) if np.ndim(value) else 1.0)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)
    odd = np.array([-2.0, 0.5, 30.0, math.nan])
    value, _ = bs.vjp(function, odd, *given, jit=False)
    np.testing.assert_allclose(value, function(odd, *given), rtol=1e-9, atol=1e-12)


def own_without_inf(value: Any) -> Any:
    """Where a probability is zero its logarithm does not change."""
    return np.where(np.isfinite(value), value, 0.0)


X = np.array([0.3, -0.2, 1.1])
ROWS = np.array([[0.3, -0.2, 1.1], [1.0, 0.2, 0.4]])
PRIOR = st.norm(0.5, 2.0)


def of_a_matrix(c: Any) -> Any:
    return st.multivariate_normal.logpdf(X, np.zeros(3), np.diag(c) + 0.3)


def of_rows(m: Any) -> Any:
    return np.sum(st.multivariate_normal.logpdf(ROWS, m, 2.0 * np.eye(3)))


def of_variances(s: Any) -> Any:
    frozen = st.multivariate_normal(mean=np.zeros(3), cov=np.diag(s))
    return frozen.logpdf(X) + st.multivariate_normal.pdf(X, mean=np.zeros(3), cov=s)


def of_students(m: Any) -> Any:
    return np.sum(st.multivariate_t.logpdf(ROWS, m, 2.0 * np.eye(3), df=4))


def of_numbers(m: Any) -> Any:
    """Without a matrix or a vector it is a distribution of numbers, and a vector a sample of them."""
    normal = np.sum(st.multivariate_normal.logpdf(m * X, 0.3, m[1]) * X) + st.multivariate_normal.pdf(m)[1]
    return normal + np.sum(st.multivariate_t.logpdf(m, df=4, shape=m[2]) * X)


def of_parts(m: Any) -> Any:
    """A center that is computed is no None."""
    return st.multivariate_normal.logpdf(m[:2], m[1:], np.diag(m[1:])) + np.sum(_without(m, m[0] * X))


def _without(x: Any, center: Any = None) -> Any:
    return (x - (0.0 if center is None else center)) ** 2


def of_shares(a: Any) -> Any:
    return st.dirichlet.logpdf(np.array([0.2, 0.3, 0.5]), a)


def of_counts(p: Any) -> Any:
    return st.multinomial.logpmf(np.array([1, 2, 3]), 6, p / np.sum(p))


def likelihood(p: Any) -> Any:
    mu, s = p[0], np.exp(p[1])
    return (
        -np.sum(st.norm.logpdf(X, loc=mu, scale=s)) - PRIOR.logpdf(mu) - st.halfcauchy.logpdf(s, scale=p[2])
    )


def of_frozen(p: Any) -> Any:
    d = st.gamma(a=p[0], scale=p[1])
    return np.sum(d.logpdf(np.array([0.5, 1.5]))) + d.cdf(p[2]) + d.sf(2.0) + d.ppf(0.3)


def of_chosen(p: Any) -> Any:
    d = st.norm(p[0], 1.0) if p[1] > 1.0 else st.norm(loc=2.0)
    prior = st.gamma(2.0, scale=p[0])
    if p[2] < 5.0:
        prior = st.gamma(a=p[1], loc=0.1)
    return d.logpdf(p[2]) * d.cdf(0.3) + prior.logpdf(p[2])


WHOLE = [
    of_a_matrix,
    of_rows,
    of_variances,
    of_students,
    of_numbers,
    of_parts,
    of_shares,
    of_counts,
    likelihood,
    of_frozen,
    of_chosen,
]


@pytest.mark.turns(9)
@pytest.mark.compiles
@pytest.mark.parametrize("function", turning(3, WHOLE))
def test_whole_functions(function: Function) -> None:
    p = np.array([1.2, 2.0, 3.0])
    value, gradient = bs.value_and_grad(function)(p)
    assert value == pytest.approx(float(function(p)), rel=1e-12)
    np.testing.assert_allclose(gradient, slopes(function, (p,))[0], rtol=1e-6, atol=1e-9)
    direction = np.array([0.4, -0.3, 0.7])
    value, slope = bs.jvp(function, (p,), (direction,), jit=False)
    assert slope == pytest.approx(gradient @ direction, rel=1e-10)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x * st.norm.rvs(), "draws random numbers"),
        (lambda x: x * st.norm.entropy(), "no derivative for `norm.entropy`"),
        (lambda x: st.nct.cdf(x, 2.0, 1.0), "no derivative for `nct.cdf`"),
        (lambda x: x * st.gamma.logpdf(x), "missing a required argument: 'a'"),
        (lambda x: st.norm.logpdf(x, 0.0, 1.0, 2.0), "too many positional arguments"),
    ],
)
def test_refused(function: Function, message: str) -> None:
    with refused(message):
        bs.grad(function)(1.3)


LOGARITHMS = [
    ("invgauss", "logcdf", (0.8,), 1e-4),
    ("invgauss", "logsf", (0.8,), 5000.0),
    ("lognorm", "logcdf", (0.1,), 1e-4),
    ("lognorm", "logsf", (0.1,), 5000.0),
    ("rayleigh", "logsf", (), 60.0),
    ("powerlaw", "logcdf", (50.0,), 1e-10),
    ("betaprime", "logcdf", (5.0, 6.0), 3e-61),
    ("truncnorm", "logcdf", (-5.0, 40.0), -4.9),
    ("truncnorm", "logsf", (-5.0, 40.0), 39.9),
    ("truncnorm", "logsf", (40.0, np.inf), 45.0),
    ("truncnorm", "logcdf", (-np.inf, -40.0), -45.0),
    ("truncnorm", "logcdf", (-np.inf, 1.0), 0.3),
    ("truncnorm", "logsf", (-np.inf, np.inf), 0.3),
]


@pytest.mark.parametrize(("name", "method", "shapes", "x"), LOGARITHMS)
def test_logarithms_of_probabilities_that_underflow(name, method, shapes, x):
    library = getattr(getattr(st, name), method)
    value, slope = bs.value_and_grad(lambda x: library(x, *shapes), jit=False)(x)
    assert value == pytest.approx(library(x, *shapes), rel=1e-12)
    density = getattr(st, name).logpdf(x, *shapes)
    sign = 1.0 if method == "logcdf" else -1.0
    assert slope == pytest.approx(sign * np.exp(density - value), rel=1e-6)


@pytest.mark.parametrize(("method", "x", "value"), [("logcdf", 1e-200, 4.0), ("logsf", 1e200, -4.0)])
def test_logarithms_of_fisk_where_the_library_has_none(method, x, value):
    library = getattr(st.fisk, method)
    found, slope = bs.value_and_grad(lambda x: library(x, 4.0), jit=False)(x)
    assert found == pytest.approx(value * np.log(x), rel=1e-12)
    assert slope == pytest.approx(value / x, rel=1e-12)


@pytest.mark.parametrize("method", ["logcdf", "logsf"])
def test_logarithms_of_invgauss_in_its_tails(method):
    """They are finite where the probabilities themselves are zero."""
    own, x = getattr(st.invgauss, method), 1e-4 if method == "logcdf" else 2000.0
    value, slope = bs.value_and_grad(lambda x: own(x, 1.05), jit=False)(x)
    assert value == pytest.approx(own(x, 1.05), rel=1e-11)
    h = 1e-4 * x
    assert slope == pytest.approx((own(x + h, 1.05) - own(x - h, 1.05)) / (2.0 * h), rel=1e-6)


def test_normal_numbers_between_bounds_far_out():
    """Of which the probabilities underflow: the bounds have derivatives, too, and quantiles come back."""

    def density(x, a, b):
        return st.truncnorm.logpdf(x, a, b)

    value, slopes = bs.value_and_grad(density, argnums=(0, 1, 2), jit=False)(45.0, 40.0, np.inf)
    assert value == pytest.approx(st.truncnorm.logpdf(45.0, 40.0, np.inf), rel=1e-12)
    assert slopes == pytest.approx(
        (-45.0, 40.02496884720726, 0.0)
    )  # the density at the bound over the mass, by mpmath
    for method, low, high in (("isf", 40.0, np.inf), ("ppf", -np.inf, -40.0), ("ppf", -np.inf, np.inf)):
        for chance in (1e-200, 1e-30, 0.3, 0.999):
            library = getattr(st.truncnorm, method)
            backwards = st.truncnorm.logcdf if method == "ppf" else st.truncnorm.logsf
            found, slope = bs.value_and_grad(lambda q: library(q, low, high), jit=False)(chance)  # noqa: B023
            assert backwards(found, low, high) == pytest.approx(
                np.log(chance), rel=1e-9
            )  # SciPy's quantile is rough
            steep = np.exp(-st.truncnorm.logpdf(found, low, high))
            assert slope == pytest.approx(steep if method == "ppf" else -steep, rel=1e-6)


@pytest.mark.parametrize(("low", "x"), [(0.1, 0.1 + 2e-17), (-0.1, -0.1 + 2e-17)])
def test_normal_numbers_next_to_their_bound(low, x):
    slope = bs.grad(lambda x: st.truncnorm.cdf(x, low, 2.0) - st.truncnorm.sf(x, low, 2.0), jit=False)(
        x + 1e-17
    )
    assert slope == pytest.approx(2.0 * st.truncnorm.pdf(x, low, 2.0), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "shapes", "x"), [("nbinom", (5.0, 0.5), 118.0), ("truncexpon", (4.7,), 4.7 - 1e-13)]
)
def test_what_is_left_is_next_to_nothing(name, shapes, x):
    library = getattr(st, name)
    found = bs.value_and_grad(lambda s: library.logsf(x, s, *shapes[1:]), jit=False)(shapes[0])[0]
    assert found == pytest.approx(library.logsf(x, *shapes), rel=1e-3 if name == "truncexpon" else 1e-12)


def test_trials_that_fail_for_long():
    value, slope = bs.value_and_grad(lambda p: st.geom.logsf(1e4, p), jit=False)(0.5)
    assert value == pytest.approx(1e4 * np.log(0.5), rel=1e-14)
    assert slope == pytest.approx(-2e4, rel=1e-14)
