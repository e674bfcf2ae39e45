"""Derivatives of functions of a number, where a rule branches, against those of many digits: the right number or nan, to the third order."""

from __future__ import annotations

# ruff: noqa: PLW0108  a library function has no text that a decorator could read
import math
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special as sp
from mpmath import mp

import backsweep as bs
from tests.support.sampled import turning

Function = Callable[[Any], Any]
DIGITS = 60
STEP = mpmath.mpf(10) ** -12


def power_of_zero(x: Any) -> Any:
    return mpmath.mpf(0) if x == 0 else x ** (2 + x)


def quotient(formula: Function, limit: Callable[[], Any]) -> Function:
    """The formula, with its limit at zero."""
    return lambda x: limit() if x == 0 else formula(x)


POINTS: dict[str, tuple[Function, Function, float]] = {
    "abs": (lambda x: np.cos(abs(x)), mp.cos, 0.0),
    "fabs": (lambda x: np.cos(math.fabs(x)), mp.cos, 0.0),
    "copysign": (lambda x: np.cos(np.copysign(x, 1.0)), mp.cos, 0.0),
    "cube of abs": (lambda x: x * abs(x) ** 2, lambda x: x**3, 0.0),
    "softplus": (
        lambda x: np.log1p(np.exp(-abs(x))) + max(x, 0.0),
        lambda x: mp.log(1 + mp.exp(x)),
        0.0,
    ),
    "power, exponent 0": (lambda x: (2.0 + x) ** x, lambda x: (2 + x) ** x, 0.0),
    "power of complex, exponent 0": (
        lambda x: ((2.0 + x + 0j) ** x).real,
        lambda x: (2 + x) ** x,
        0.0,
    ),
    "power of i": (
        lambda x: ((1j + x) ** (x + 0.0)).real,
        lambda x: ((mpmath.mpc(0, 1) + x) ** x).real,
        0.0,
    ),
    "power, base 0": (lambda x: x ** (2.0 + x), power_of_zero, 0.0),
    "power of 0": (lambda x: 0.0 ** (2.0 + x), lambda _: mpmath.mpf(0), 0.0),
    "cube": (lambda x: x ** (3.0 + 0.0 * x), lambda x: x**3, 0.0),
    "square of a negative": (lambda x: (x - 2.0) ** (2.0 + 0.0 * x), lambda x: (x - 2) ** 2, 0.0),
    "sinc": (lambda x: np.sinc(x), mp.sincpi, 0.0),
    "root of a square": (lambda x: np.cos(np.sqrt(x * x)), mp.cos, 0.0),
    "hypot": (lambda x: np.cos(np.hypot(x, 0.0)), mp.cos, 0.0),
    "norm, order 2": (
        lambda x: np.linalg.norm(np.array([x, 1.0]), 2),
        lambda x: mp.sqrt(1 + x * x),
        0.0,
    ),
    "norm, order 3": (lambda x: np.cos(np.linalg.norm(np.array([x, 0.0]), 3)), mp.cos, 0.0),
    "norm, order 4": (lambda x: np.linalg.norm(np.array([x, 1.0]), 4), lambda x: mp.root(1 + x**4, 4), 0.0),
    "angle": (lambda x: np.arctan2(x, 1.0), mp.atan, 0.0),
    "xlogy": (lambda x: sp.xlogy(x, x + 1.0), lambda x: x * mp.log1p(x), 0.0),
    "xlog1py": (lambda x: sp.xlog1py(x, x), lambda x: x * mp.log1p(x), 0.0),
    "kl_div": (lambda x: sp.kl_div(x, x * x), lambda x: -x * mp.log(x) - x + x * x, 1.0),
    "boxcox": (
        lambda p: sp.boxcox(2.0, p),
        quotient(lambda p: (mpmath.mpf(2) ** p - 1) / p, lambda: mp.log(2)),
        0.0,
    ),
    "boxcox1p": (
        lambda p: sp.boxcox1p(2.0, p),
        quotient(lambda p: (mpmath.mpf(3) ** p - 1) / p, lambda: mp.log(3)),
        0.0,
    ),
    "inv_boxcox": (
        lambda p: sp.inv_boxcox(2.0, p),
        quotient(lambda p: (2 * p + 1) ** (1 / p), lambda: mp.exp(2)),
        0.0,
    ),
    "inv_boxcox1p": (
        lambda p: sp.inv_boxcox1p(2.0, p),
        quotient(lambda p: (2 * p + 1) ** (1 / p) - 1, lambda: mp.expm1(2)),
        0.0,
    ),
    "spence": (lambda x: sp.spence(x), lambda x: mp.polylog(2, 1 - x), 1.0),
    "ellipk": (lambda m: sp.ellipk(m), mp.ellipk, 0.0),
    "ellipe": (lambda m: sp.ellipe(m), mp.ellipe, 0.0),
    "ellipkinc": (lambda m: sp.ellipkinc(0.5, m), lambda m: mp.ellipf(mpmath.mpf(0.5), m), 0.0),
    "ellipeinc": (lambda m: sp.ellipeinc(0.5, m), lambda m: mp.ellipe(mpmath.mpf(0.5), m), 0.0),
    "exprel": (lambda x: sp.exprel(x), quotient(lambda x: mp.expm1(x) / x, lambda: mpmath.mpf(1)), 0.0),
    "berp": (lambda x: sp.berp(x), lambda x: mp.diff(lambda t: mp.ber(0, t), x), 0.0),
    "huber": (lambda r: sp.huber(1.0, r), lambda r: r * r / 2, 0.0),
    "logaddexp": (lambda x: np.logaddexp(x, 0.0), lambda x: mp.log(1 + mp.exp(x)), 0.0),
    "product of zeros": (
        lambda x: np.prod(np.array([x, x, 1.0 + x])),
        lambda x: x * x * (1 + x),
        0.0,
    ),
    "rgamma": (lambda x: sp.rgamma(x), mp.rgamma, -1.0),
    "iv": (lambda x: sp.iv(1, x), lambda x: mp.besseli(1, x), 0.0),
    "jv": (lambda x: sp.jv(1, x), lambda x: mp.besselj(1, x), 0.0),
}


def cosine_of_sum_of_roots(x: Any) -> Any:
    total = 0.0
    for k in range(3):
        total += np.sqrt(k * k * x)
    return np.cos(total)


ROOTS: dict[str, tuple[Function, Function, float]] = {
    "cosine of root": (lambda x: np.cos(np.sqrt(x)), lambda x: mp.cos(mp.sqrt(x)), 0.0),
    "cosine of half power": (lambda x: np.cos(x**0.5), lambda x: mp.cos(mp.sqrt(x)), 0.0),
    "cosine of power": (lambda x: np.cos(x ** (0.5 + 0.0 * x)), lambda x: mp.cos(mp.sqrt(x)), 0.0),
    "cosine of scaled root": (lambda x: np.cos(2.0 * np.sqrt(x)), lambda x: mp.cos(2 * mp.sqrt(x)), 0.0),
    "cosines of roots": (
        lambda x: np.sum(np.cos(np.sqrt(np.array([x, 1.0 + x])))),
        lambda x: mp.cos(mp.sqrt(x)) + mp.cos(mp.sqrt(1 + x)),
        0.0,
    ),
    "cosine of sum": (
        lambda x: np.cos(np.sum(np.sqrt(np.array([x, 4.0 * x])))),
        lambda x: mp.cos(3 * mp.sqrt(x)),
        0.0,
    ),
    "square of a difference from a sum": (
        lambda x: (np.sum(np.sqrt(np.array([x, 4.0 + x]))) - 2.0) ** 2,
        lambda x: (mp.sqrt(x) + mp.sqrt(4 + x) - 2) ** 2,
        0.0,
    ),
    "product of matrices": (
        lambda x: np.sum((np.array([[1.0, 2.0], [3.0, 4.0]]) @ np.sqrt(np.array([x, 4.0 * x]))) ** 2),
        lambda x: 146 * x,
        0.0,
    ),
    "outer product": (
        lambda x: np.sum(np.outer(np.sqrt(np.array([x, 4.0 * x])), np.sqrt(np.array([x, x])))),
        lambda x: 6 * x,
        0.0,
    ),
    "root of another argument": (
        lambda x: np.sqrt(x + 1.0) * np.cos(np.sqrt(x)),
        lambda x: mp.sqrt(x + 1) * mp.cos(mp.sqrt(x)),
        0.0,
    ),
    "product of roots": (
        lambda x: np.prod(np.sqrt(np.array([x, 4.0 * x]))),
        lambda x: 2 * x,
        0.0,
    ),
    "cosine of loop": (cosine_of_sum_of_roots, lambda x: mp.cos(3 * mp.sqrt(x)), 0.0),
    "root times its sine": (
        lambda x: np.sqrt(x) * np.sin(np.sqrt(x)),
        lambda x: mp.sqrt(x) * mp.sin(mp.sqrt(x)),
        0.0,
    ),
    "sum of exponentials": (
        lambda x: np.exp(np.sqrt(x)) + np.exp(-np.sqrt(x)),
        lambda x: 2 * mp.cosh(mp.sqrt(x)),
        0.0,
    ),
    "difference of squares": (
        lambda x: (1.0 - np.sqrt(x)) * (1.0 + np.sqrt(x)),
        lambda x: 1 - x,
        0.0,
    ),
    "cube root of cube": (lambda x: np.cbrt(x**3), lambda x: x, 0.0),
    "cube roots of cubes": (
        lambda x: np.sum(np.cbrt(np.array([x, 2.0 * x]) ** 3)) + np.cbrt(np.sum(np.array([x, 0.0]) ** 6)),
        lambda x: 3 * x + x * x,
        0.0,
    ),
    "cube root of product": (
        lambda x: np.cbrt(np.sin(x) * (x * x)),
        lambda x: mp.root(mp.sin(x) / x, 3) * x if x else x,
        0.0,
    ),
    "cube of cube root": (lambda x: np.cbrt(x) ** 3, lambda x: x, 0.0),
    "square of arc": (lambda x: np.arcsin(np.sqrt(x)) ** 2, lambda x: mp.asin(mp.sqrt(x)) ** 2, 0.0),
    "square of arccos": (lambda x: np.arccos(x) ** 2, lambda x: mp.acos(x) ** 2, 1.0),
    "square of arccosh": (lambda x: np.arccosh(x) ** 2, lambda x: mp.acosh(x) ** 2, 1.0),
    "fourth power of a quarter": (lambda x: (x**0.25) ** 4, lambda x: x, 0.0),
    "length with a root": (lambda x: np.hypot(np.sqrt(x), 1.0), lambda x: mp.sqrt(1 + x), 0.0),
    "radius and angle": (
        lambda x: (x * x) * np.cos(2.0 * np.arctan2(x, 2.0 * x)),
        lambda x: x * x * mpmath.mpf(3) / 5,
        0.0,
    ),
    "radius times cosine": (
        lambda x: np.hypot(x, x) * np.cos(np.arctan2(x, x)),
        lambda x: x,
        0.0,
    ),
}
"""Roots and kinks inside of functions that are smooth again: even the first derivative may be nan."""


def one_sided(exact: Function, point: float, order: int, side: int) -> float:
    """A derivative from one side: that of the polynomial through ten points."""
    step = side * STEP
    values = [mp.re(exact(mpmath.mpf(point) + k * step)) for k in range(10)]
    powers = mpmath.matrix([[mpmath.mpf(k) ** n for n in range(10)] for k in range(10)])
    return float(mp.lu_solve(powers, mpmath.matrix(values))[order] * mp.factorial(order) / step**order)


def exact_derivatives(exact: Function, point: float) -> Iterator[float | None]:
    """The first three; None where both sides differ."""
    with mpmath.workdps(DIGITS):
        for order in (1, 2, 3):
            left, right = (one_sided(exact, point, order, side) for side in (-1, 1))
            yield right if abs(left - right) <= 1e-6 * max(1.0, abs(right)) else None


def derived(function: Function, modes: str) -> Function:
    """The derivative by forward and reverse sweeps, the innermost first."""
    for mode in modes:
        function = (bs.grad if mode == "r" else bs.jacfwd)(function, jit=False)
    return function


@pytest.mark.parametrize("name", turning(9, [*POINTS, *ROOTS]))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_right_or_nan(name: str) -> None:
    function, exact, point = {**POINTS, **ROOTS}[name]
    expected = [*exact_derivatives(exact, point)]
    for modes in ("r", "f", "rr", "fr", "ff", "rrr"):
        wanted = expected[len(modes) - 1]
        found = float(derived(function, modes)(point))
        if wanted is None:
            assert len(modes) == 1 or not np.isfinite(found) or name == "power, base 0", modes
        elif (len(modes) == 1 and name in POINTS) or not np.isnan(found):
            assert found == pytest.approx(wanted, rel=1e-6, abs=1e-9), modes
