"""Forward mode beside reverse mode, at points where a value, a factor or a partial derivative is zero, infinite or nan."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.ad.test_strong_zeros import MASKED
from tests.support.sampled import turning

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
Function = Callable[[Any], Any]
NAN, INF = np.nan, np.inf
POINTS = [
    np.array([0.0, 1.0, 4.0, -2.0]),
    np.array([1.0, 2.0, 3.0, 0.5]),
    np.array([0.0, 0.0, 1.0, 2.0]),
    np.array([NAN, 1.0, 2.0, 0.0]),
    np.array([INF, 1.0, 2.0, -1.0]),
    np.array([-INF, 1.0, NAN, 0.0]),
    np.array([1.0, 1.0, -0.0, 2.0]),
]


def choices() -> list[Function]:
    """Functions that choose among entries, of which others have infinite or nan tangents."""

    def nan_sum(x):
        return np.nansum(np.sqrt(x))

    def nan_sum_of_what_was_made_nan(x):
        y = np.where(x > 3.0, np.nan, x)
        return np.nansum(y * y)

    def nan_mean(x):
        return np.nanmean(np.sqrt(x))

    def nan_max(x):
        return np.nanmax(np.sqrt(x))

    def nan_min(x):
        return np.nanmin(np.sqrt(x))

    def nan_var(x):
        return np.nanvar(np.sqrt(x))

    def nan_std(x):
        return np.nanstd(np.sqrt(x))

    def nan_prod(x):
        return np.nanprod(np.sqrt(x))

    def nan_median(x):
        return np.nanmedian(np.sqrt(x))

    def nan_quantile(x):
        return np.nanquantile(np.sqrt(x), 0.3)

    def nan_sums_of_rows(x):
        return np.sum(np.nansum(np.sqrt(x).reshape(2, 2), axis=1))

    def nan_maxima_of_columns(x):
        return np.sum(np.nanmax(np.sqrt(x).reshape(2, 2), axis=0))

    def nan_products_of_columns(x):
        return np.sum(np.nanprod(np.sqrt(x).reshape(2, 2), axis=0))

    def nan_running_product(x):
        return np.nancumprod(np.sqrt(x))[-1]

    def finite_numbers(x):
        return np.sum(np.nan_to_num(np.sqrt(x)))

    def largest(x):
        return np.max(np.sqrt(np.abs(x)))

    def range_of_entries(x):
        return np.ptp(np.sqrt(np.abs(x)))

    def middle(x):
        return np.median(np.sqrt(np.abs(x)))

    def quantile(x):
        return np.quantile(np.sqrt(np.abs(x)), 0.7)

    def clipped(x):
        return np.sum(np.clip(1.0 / x, -1.0, 1.0))

    def at_least(x):
        return np.sum(np.maximum(np.log(x), 0.0))

    def at_least_of_numbers(x):
        return np.sum(np.fmax(np.log(x), 0.0))

    def selected(x):
        return np.sum(np.select([x > 0.0, x < 0.0], [np.log(x), x], 0.0))

    def entries(x):
        return np.sum(np.sqrt(x)[x > 0.0])

    def some(x):
        return np.sum(np.sqrt(x), where=x > 0.0)

    def skipped(x):
        total = 0.0
        for v in x:
            if not np.isnan(v):
                total += v * v
        return total

    return [each for each in locals().values() if callable(each)]


def factors() -> list[Function]:
    """Functions with a factor of zero beside an infinite tangent."""

    def root_times(x):
        return np.sum(np.sqrt(x) * x)

    def square_of_root(x):
        return np.sum(np.sqrt(x) ** 2)

    def power_times(x):
        return np.sum(x**0.5 * x)

    def in_turn(x):
        total = 0.0
        for i in range(x.size):
            y = np.sqrt(x[i])
            total += y * y * (2.0 + x[i])
        return total

    def in_memory(x):
        y = np.empty_like(x)
        for i in range(x.size):
            y[i] = np.sqrt(x[i])
        y *= x
        return np.sum(y)

    def product(x):
        return np.prod(np.sqrt(x))

    def running_product(x):
        return np.cumprod(np.sqrt(np.abs(x)))[1]

    def over_length(x):
        return np.linalg.norm(np.sqrt(x) * x)

    def log_of_sum(x):
        return np.logaddexp(np.log(x[0]), x[1])

    def log_of_sums(x):
        y = np.log(x)
        m = np.max(y)
        return m + np.log(np.sum(np.exp(y - m)))

    def steep_exponential(x):
        return np.sum(np.exp(-1.0 / (x * x)))

    def powers(x):
        return x[0] ** x[1] + np.abs(x[2]) ** x[3]

    def length(x):
        return np.hypot(np.sqrt(x[0]), x[1])

    def magnitude(x):
        return np.sum(np.abs(np.sqrt(x)))

    return [each for each in locals().values() if callable(each)]


CHOICES = choices()
FUNCTIONS = [*CHOICES, *factors(), *MASKED]
COMPILED = turning(15, FUNCTIONS)
OF_TWO_ROOTS = ("nan_running_product", "running_product")
"""A loop's product of roots: where two are zero, the slope is 0 along each axis, and the tangent zero times infinity."""


@pytest.mark.parametrize(
    ("f", "jit"),
    [*((f, False) for f in turning(6, FUNCTIONS)), *((f, True) for f in COMPILED)],
    ids=lambda item: getattr(item, "__name__", str(item)),
)
def test_tangents_are_finite_where_the_gradient_is(f: Function, jit: bool) -> None:
    """Where the function is finite: each finite entry of the gradient is the tangent along its unit vector."""
    gradient = bs.grad(f, jit=jit)
    for x in POINTS:
        try:
            value = f(x)
        except (ValueError, ZeroDivisionError):
            continue
        if not np.isfinite(value) or (np.isinf(x).any() and f not in CHOICES):
            continue
        slope = gradient(x)
        for k in np.flatnonzero(np.isfinite(slope)):
            _, along = bs.jvp(f, (x,), (np.eye(4)[k],), jit=jit)
            if f.__name__ in OF_TWO_ROOTS and np.isnan(along) and np.sum(x == 0.0) > 1:
                continue
            assert along == pytest.approx(slope[k], rel=1e-9, abs=1e-12), (x, k)


def test_a_number_beside_nan() -> None:
    def f(h, x):
        y = np.where(np.isnan(h), np.nan, x)
        return np.nansum(y * y)

    h, x = np.array([1.0, np.nan]), np.array([0.7, 5.0])
    _, along = bs.jvp(f, (h, x), (np.ones(2),), wrt=("x",), jit=False)
    assert along == pytest.approx(1.4)


def test_second_tangents_through_products_with_zero() -> None:
    """A factor of zero hides an infinite tangent, not the other factor's own derivative."""

    def f(x, y):
        return np.sqrt(x) * y * y

    def along_y(x, y):
        return bs.grad(f, argnums=1)(x, y)

    for x, y in itertools.product((0.0, 4.0), (0.0, 3.0)):
        _, found = bs.jvp(along_y, (x, y), (0.0, 1.0), jit=False)
        assert found == 2.0 * np.sqrt(x)


def drawn(p: Any) -> Any:
    generator = np.random.default_rng(42)
    x = p[0]
    for _ in range(3):
        x = x + p[1] * generator.normal() * np.cos(x)
    return x * x + generator.standard_normal((2, 2)) @ p


@pytest.mark.parametrize("jit", [False, True])
def test_a_generator_with_a_seed_draws_the_same_for_each_tangent(jit: bool) -> None:
    p = np.array([0.3, 0.7])
    np.testing.assert_allclose(bs.jacfwd(drawn, jit=jit)(p), bs.jacrev(drawn, jit=jit)(p), rtol=1e-13)
