"""Roots have SciPy's values, and the derivatives that the implicit function theorem gives, whatever the search."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
import scipy.optimize as so
from scipy.integrate import quad

import backsweep as bs
from tests.runtime.test_quadrature import slopes
from tests.support.refused import refused
from tests.support.sampled import turning

Function = Callable[..., Any]
AT = (1.3, 2.0)
TWO = 2.0
TABLE = np.array([1.0, 2.0, 3.0])


def cubic(x, p, q):
    return x**3 - p * x - q


@numba.njit
def compiled_cubic(x, p, q):
    return x**3 - p * x - q


class Model:
    """An equation that is a method."""

    def __init__(self) -> None:
        self.rest = 2.0

    def equation(self, x, p):
        return x**3 - p * x - self.rest


MODEL = Model()


def by_brentq(p, q):
    return so.brentq(lambda x: x**3 - p * x - q, 0.0, 4.0)


def by_brenth(p, q):
    return so.brenth(cubic, 0, 4, args=(p, q))


def by_bisection(p, q):
    return so.bisect(compiled_cubic, 0, 4, (p, q))


def by_ridder(p, q):
    y = p * q
    return so.ridder(lambda x: np.exp(x) - y, -3, 3, xtol=1e-10)


def with_moving_ends(p, q):
    return so.brentq(lambda x: x**3 - p * x - q, p / 10, 4 * q)


def by_the_secant(p, q):
    return so.newton(lambda x: x**3 - p * x - q, 2.0)


def by_newton(p, q):
    return so.newton(lambda x, k: cubic(x, k, q), 2.0, fprime=lambda x, k: 3 * x * x - k, args=(p,))


def by_halley(p, q):
    return so.newton(lambda x: cubic(x, p, q), 2.0, fprime=lambda x: 3 * x * x - p, fprime2=lambda x: 6 * x)


def results_of_a_bracket(p, q):
    found = so.root_scalar(lambda x: x**3 - p * x - q, bracket=[0, 3], method="bisect")
    return found.root * q if found.converged else 0.0


def results_of_two_points(p, q):
    return so.root_scalar(cubic, args=(p, q), x0=1.0, x1=2.0).root


def results_of_newton(p, q):
    return so.root_scalar(cubic, args=(p, q), x0=2.0, method="newton").root


def a_fixed_point(p, q):
    return so.fixed_point(lambda x: np.cos(p * x) / q, 0.5)


def a_fixed_vector(p, q):
    start = np.array([1.2, 1.3])
    return np.sum(so.fixed_point(lambda x: np.sqrt(p / (x + np.array([1.2, q]))), start) ** 2)


def a_system_of_a_list(p, q):
    def equations(v):
        x, y = v
        return [x * np.cos(y) - p, x * y - y - q]

    x, y = so.fsolve(equations, [1.0, 1.0])
    return x * y


def a_system_of_an_array(p, q):
    w = np.array([p, q, p * q])
    found = so.root(lambda v, c: v**3 + c * np.sum(v) - w, np.ones(3), args=(q,))
    return np.sum(found.x * found.x) if found.success else 0.0


def a_linear_system_bent(p, q):
    a = np.array([[p, 1.0], [0.3, q]])
    return np.sum(so.fsolve(lambda v: a @ v + 0.1 * v**3 - TABLE[:2], np.zeros(2)) ** 2)


def a_system_of_one(p, q):
    return so.fsolve(lambda x: x**2 - p * q, 1.0)[0]


def defaults_in_a_loop(p, q):
    total = 0.0
    for k in range(3):
        total += so.brentq(lambda x, k=k: x**3 - p * x - q - k * TABLE[k], 0, 4)
    return total


def what_a_loop_assigns(p, q):
    found = np.zeros(3)
    for i in range(3):
        w = TABLE[i] * q
        found[i] = so.brentq(lambda x: x**3 - p * x - w, 0, 4)  # noqa: B023  it is called at once
    return np.sum(found**2)


def inner_functions(p, q):
    def inner(x):
        return x**3 - p * x

    def outer(x):
        y = inner(x)
        return y - q

    return so.brentq(outer, 0, 4)


def a_partial_function(p, q):
    return so.brentq(functools.partial(cubic, p=p, q=q), 0, 4)


def a_method(p, q):
    return so.brentq(MODEL.equation, 0, 4, args=(p,)) * q


def an_equation_with_an_integral(p, q):
    return so.brentq(lambda x: quad(lambda t: np.exp(-p * t * t), 0, x)[0] - q / 4, 0, 4)


def an_integral_of_roots(p, q):
    return quad(lambda t: so.brentq(lambda x: x**3 - p * x - q * t, 0, 4), 0.5, 1.0)[0]


def a_root_of_a_root(p, q):
    x = so.brentq(lambda x: x**3 - p * x - q, 0, 4)
    return so.brentq(lambda y: y**3 - x * y - x, 0, 4)


def statements_in_the_equation(p, q):
    c = np.array([p, q, 1.0])

    def equation(x):
        total = 0.0
        for k in range(3):
            total += c[k] * x**k if x > 0.1 else 0.5 * c[k]
        return total - TWO * 5

    return so.brentq(equation, 0, 4)


EXACT = [
    *(by_brentq, by_brenth, by_bisection, by_ridder, with_moving_ends, by_the_secant, by_newton, by_halley),
    *(results_of_a_bracket, results_of_two_points, a_fixed_point, a_fixed_vector),
    *(defaults_in_a_loop, what_a_loop_assigns, inner_functions, a_partial_function, a_method),
    *(an_equation_with_an_integral, an_integral_of_roots, a_root_of_a_root, statements_in_the_equation),
]
"""What takes SciPy's own steps."""
NEAR = [
    *(results_of_newton, a_system_of_a_list, a_system_of_an_array, a_linear_system_bent, a_system_of_one),
]


@pytest.mark.parametrize("function", turning(6, [*EXACT, *NEAR]), ids=lambda each: each.__name__)
def test_value_and_gradient(function: Function) -> None:
    value, gradient = bs.value_and_grad(function, argnums=(0, 1), jit=False)(*AT)
    np.testing.assert_allclose(value, function(*AT), rtol=1e-14 if function in EXACT else 1e-9)
    np.testing.assert_allclose(gradient, slopes(function, AT, 1e-3), rtol=1e-7, atol=1e-9)


@pytest.mark.turns(9)
@pytest.mark.parametrize(
    "function",
    [by_bisection, a_fixed_point, a_linear_system_bent, a_root_of_a_root, an_equation_with_an_integral],
)
def test_second_derivatives(function: Function) -> None:
    gradient = bs.grad(function, argnums=(0, 1), jit=False)
    by_rows = [slopes(lambda *at, k=k: gradient(*at)[k], AT) for k in (0, 1)]
    hessian = bs.hessian(function, argnums=(0, 1), jit=False)(*AT)
    np.testing.assert_allclose(np.array(hessian), by_rows, rtol=1e-7, atol=1e-9)


def test_derivatives_of_each_order() -> None:
    """The root of `x * x = a` is known; the search is bisection, whose own steps have the derivative zero."""

    def square_root(a):
        return so.bisect(lambda x: x * x - a, 0.0, 3.0)

    derivative, exact, power = square_root, 1.0, 0.5
    for _ in range(4):
        derivative = bs.grad(derivative, jit=False)
        exact, power = exact * power, power - 1.0
        assert derivative(2.0) == pytest.approx(exact * 2.0**power, rel=1e-11)


@pytest.mark.parametrize("function", [by_ridder, a_system_of_a_list])
def test_forward_mode(function: Function) -> None:
    _, tangent = bs.jvp(function, AT, (1.0, 0.5), jit=False)
    gradient = bs.grad(function, argnums=(0, 1), jit=False)(*AT)
    assert tangent == pytest.approx(gradient[0] + 0.5 * gradient[1], rel=1e-11)


@pytest.mark.compiles
@pytest.mark.turns(3)
@pytest.mark.parametrize("function", [by_brentq, a_fixed_vector])
def test_compiled(function: Function) -> None:
    plain = bs.grad(function, argnums=(0, 1), jit=False)(*AT)
    np.testing.assert_allclose(bs.grad(function, argnums=(0, 1))(*AT), plain, rtol=1e-11)


def test_a_coarse_search_has_the_derivative_of_the_root() -> None:
    def coarse(a):
        return so.bisect(lambda x: x * x - a, 0.0, 3.0, xtol=1e-3)

    assert coarse(2.0) == bs.value_and_grad(coarse, jit=False)(2.0)[0]
    assert bs.grad(coarse, jit=False)(2.0) == pytest.approx(0.5 / math.sqrt(2.0), rel=1e-10)


def test_a_root_without_a_slope_has_no_derivative() -> None:
    def flat(a):
        return so.brentq(lambda x: (x - 1.0) ** 3 * a, 0.0, 2.0)

    with np.errstate(all="ignore"):
        value, gradient = bs.value_and_grad(flat, jit=False)(2.0)
    assert value == flat(2.0)
    assert not math.isfinite(gradient)


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda a: so.brentq(lambda x: x * x + a, 0.0, 2.0), ValueError),
        (lambda a: so.bisect(lambda x: x - a, 0.0, 3.0, maxiter=3), RuntimeError),
        (lambda a: so.newton(lambda x: x * x + a, 1.0, fprime=lambda x: 2 * x), RuntimeError),
    ],
)
def test_no_root_raises_as_in_scipy(function: Function, error: type[Exception]) -> None:
    for each in (function, bs.grad(function, jit=False)):
        with pytest.raises(error):
            each(2.0)


def test_systems_without_a_root() -> None:
    def nowhere(a):
        return so.fsolve(lambda x: x * x + a, 1.0)[0]

    def unsure(a):
        found = so.root(lambda x: x * x + a, [1.0])
        return found.x[0] if found.success else 7.0 * a

    with pytest.raises(RuntimeError, match="Failed to converge"):
        bs.grad(nowhere, jit=False)(1.0)
    assert bs.value_and_grad(unsure, jit=False)(1.0) == (7.0, 7.0)


def test_a_system_whose_root_is_zero() -> None:
    def zero(a):
        x = so.fsolve(lambda v: np.array([np.sin(a * v[0]) + v[1], v[1] - v[0] ** 3 * a]), [0.3, -0.2])
        return np.sum(x) + a

    value, gradient = bs.value_and_grad(zero, jit=False)(1.5)
    assert value == pytest.approx(1.5, abs=1e-8)
    assert gradient == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize(
    ("function", "word"),
    [
        (lambda a: so.brentq(lambda x: x * x - a, 0, 2, full_output=True)[0], "full_output"),
        (lambda a: so.bisect(lambda x: x * x - a, 0, 2, disp=False), "disp"),
        (
            lambda a: so.root_scalar(lambda x: x * x - a, bracket=[0, 2], options={"xtol": 1e-9}).root,
            "options",
        ),
        (lambda a: so.root_scalar(lambda x: x * x - a).root, "bracket"),
        (lambda a: so.root(lambda x: x * x - a, [1.0], method="krylov").x[0], "method"),
        (lambda a: so.fixed_point(lambda x: x / a, 1.0, method="steps"), "method"),
        (lambda a: np.sum(so.newton(lambda x: x * x - a, np.array([1.0, 2.0]))), "array of starts"),
    ],
)
def test_refused_options(function: Function, word: str) -> None:
    with refused(word) as caught:
        bs.grad(function, jit=False)(1.0)
    assert caught.value.problems[0].code == "BS202"


@pytest.mark.parametrize(
    ("function", "remedy"),
    [
        (lambda a: so.toms748(lambda x: x * x - a, 0, 2), "brentq"),
        (lambda a: so.minimize(lambda x: (x[0] - a) ** 2, [0.0]).x[0], "fsolve"),
        (lambda a: so.golden(lambda x: (x - a) ** 2), "minimize_scalar"),
        (lambda a: so.least_squares(lambda x: x - a, [0.0]).x[0], "fsolve"),
    ],
)
def test_refused_with_a_remedy(function: Function, remedy: str) -> None:
    with pytest.raises(bs.UnsupportedError, match="has no derivative") as caught:
        bs.grad(function, jit=False)(1.0)
    assert remedy in caught.value.problems[0].remedy


def test_the_remedy_for_minima() -> None:
    """The zero of the gradient, which the compiler derives, in place of `minimize`."""

    def least(a):
        return so.fsolve(lambda x: objective_slope(x, a), np.array([1.0, 1.0]))[1]

    exact = 1.0 / math.sqrt(2.0)
    assert least(2.0) == pytest.approx(math.sqrt(2.0), rel=1e-8)
    assert bs.grad(least, jit=False)(2.0) == pytest.approx(0.5 * exact, rel=1e-9)


def objective(x, a):
    return (x[0] - a) ** 2 + (x[1] ** 2 - a) ** 2


objective_slope = bs.grad(objective, argnums=0, jit=False)


class Counter:
    """An object of the user's, which an equation changes or reads."""

    def __init__(self, offset):
        self.offset = offset
        self.calls = 0


def test_an_equation_reads_an_object_and_must_not_change_it():
    def read(a):
        c = Counter(a)
        return so.brentq(lambda x: x * x - c.offset, 0.0, 3.0)

    def changed(a):
        c = Counter(a)

        def equation(x):
            c.calls += 1
            return x * x - c.offset

        return so.brentq(equation, 0.0, 3.0) * c.calls

    assert bs.grad(read, jit=False)(2.0) == pytest.approx(0.5 / math.sqrt(2.0))
    with refused("changes in a function that is differentiated"):
        bs.grad(changed, jit=False)(2.0)
