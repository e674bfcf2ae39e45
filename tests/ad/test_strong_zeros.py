"""Where an adjoint or a tangent is exactly zero, a singular partial derivative contributes zero."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from backsweep.rules import REGISTRY, Rule
from backsweep.rules.declare import FixedSample, Sample, read_late
from tests.support.sampled import turning

read_late(every=True)
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

JIT = pytest.mark.parametrize("jit", [False, True])
SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1000.0, -1000.0)
COMPLEX = (0j, 1.0 + 0j, -1.0 + 0j, 1j, -1j, 2.0 + 1j)
ELEMENTWISE = [
    rule
    for rule in REGISTRY
    if isinstance(rule, Rule)
    and rule.is_own
    and rule.elementwise
    and not any(isinstance(sample, Sample) for sample in rule.samples)
    and not rule.refused  # an operand of these has no derivative that is known
    and len(rule.parameters) < 4  # of more there are thousands of special points
]


def points(rule: Rule) -> Iterator[tuple[Any, ...]]:
    """The edges of a rule, and special values of each of its operands."""
    yield from (edge.operands for edge in rule.edges)
    values = COMPLEX if rule.of_complex else SPECIAL
    choices = []
    for place, sample in enumerate(rule.samples):
        literal = rule.literals.get(place)
        if isinstance(sample, FixedSample):
            choices.append((sample.value,))
        elif literal is not None:
            choices.append((sample[0],) if callable(literal) else (literal,))
        else:
            choices.append(values)
    yield from itertools.product(*choices)


def wrapped(rule: Rule) -> tuple[Callable[..., Any], list[int]]:
    """A function of the operands that are not literal which calls the rule's function, and their places."""
    function, fixed = rule.functions[0], set(rule.literals)
    fixed |= {k for k, sample in enumerate(rule.samples) if isinstance(sample, FixedSample)}
    varying = [k for k in range(len(rule.parameters)) if k not in fixed]
    return function, varying


@functools.cache  # one function at all points is transformed once
def call_of_one(function: Any) -> Callable[..., Any]:
    def called(x: Any) -> Any:
        return function(x)

    return called


@functools.cache
def call_of_two(function: Any) -> Callable[..., Any]:
    def called(x: Any, y: Any) -> Any:
        return function(x, y)

    return called


@functools.cache
def call_of_three(function: Any) -> Callable[..., Any]:
    def called(x: Any, y: Any, z: Any) -> Any:
        return function(x, y, z)

    return called


@functools.cache
def call_with(function: Any, literal: Any, place: int) -> Callable[..., Any]:
    def first(x: Any) -> Any:
        return function(literal, x)

    def second(x: Any) -> Any:
        return function(x, literal)

    return second if place else first


@functools.cache
def call_of_last(function: Any, first: Any, second: Any) -> Callable[..., Any]:
    def called(x: Any) -> Any:
        return function(first, second, x)

    return called


@functools.cache
def call_of_first(function: Any, second: Any, third: Any) -> Callable[..., Any]:
    def called(x: Any) -> Any:
        return function(x, second, third)

    return called


@functools.cache
def call_of_rest(function: Any, first: Any) -> Callable[..., Any]:
    def called(x: Any, y: Any) -> Any:
        return function(first, x, y)

    return called


def program(rule: Rule, operands: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function that calls the rule's function, with its literals, and the other operands."""
    function, varying = wrapped(rule)
    if varying == [2]:
        return call_of_last(function, *operands[:2]), operands[2:]
    if varying == [0] and len(operands) == 3:
        return call_of_first(function, *operands[1:]), operands[:1]
    if varying == [1, 2]:
        return call_of_rest(function, operands[0]), operands[1:]
    if len(varying) == len(operands):
        return (call_of_one, call_of_two, call_of_three)[len(operands) - 1](function), operands
    (place,) = varying
    return call_with(function, operands[1 - place], 1 - place), (operands[place],)


SLOW = ("chndtrinc",)
"""Rules that seek a root for seconds, as plain Python."""


@pytest.mark.parametrize(
    "rule", turning(5, [each for each in ELEMENTWISE if each.name not in SLOW]), ids=lambda rule: rule.name
)
def test_every_rule_with_the_cotangent_zero(rule: Rule) -> None:
    """At every special point at which the function itself does not raise, plain; the tangent likewise."""
    for operands in points(rule):
        f, given = program(rule, operands)
        try:
            value = f(*(np.float64(each) if type(each) is float else each for each in given))
        except (ValueError, ZeroDivisionError, OverflowError):
            continue
        if not np.isfinite(value):
            continue
        _, pullback = bs.vjp(f, *given, jit=False)
        bars = pullback(0.0 * np.ones_like(value)[()])
        for bar in bars if isinstance(bars, tuple) else (bars,):
            assert bar == 0.0, (given, bars)
        zeros = tuple(0.0 * np.ones_like(each)[()] for each in given)
        _, dot = bs.jvp(f, given, zeros, jit=False)
        assert dot == 0.0, (given, dot)


def logarithms(x):
    return np.sum(np.where(x > 0.0, x * np.log(x), 0.0))


def roots(x):
    y = np.sqrt(x) * x
    return np.sum(np.where(x > 0.0, y, 0.0))


def inverses(x):
    inverse = 1.0 / x
    cube = inverse * inverse * inverse
    return np.sum(np.where(x > 0.0, cube, 0.0))


def powers(x):
    return np.sum(np.where(x > 0.0, x**1.5 + x**0.5 + x**-1.5, 2.0 * x))


def chained(x):
    return np.sum(np.where(x > 0.0, np.exp(x * np.log(np.sqrt(x))), 0.0))


def replaced(x):
    inverse = 1.0 / x
    inverse[0] = x[1]
    inverse[3] = 1.0
    return np.sum(inverse * inverse)


def left_out(x):
    inverse = 1.0 / x
    squares = inverse * inverse
    total = 0.0
    for i in range(1, 3):
        total += squares[i]
    return total


def in_a_loop(x):
    total = 0.0
    for i in range(x.size):
        u = 1.0 / np.sqrt(x[i])
        v = u * u * x[i] * x[i]
        total += v if x[i] > 0.0 else 0.0
    return total


def nothing_over_nothing(x):
    y = np.maximum(x, 0.0)
    return np.sum(np.where(x > 0.0, y / (y * y) * x * x, 0.0))


def smooth_of_roots(x):
    root, angle = np.sqrt(x), np.arctan2(x, 2.0 * x)
    return np.sum(np.where(x > 0.0, np.cos(root) + root * root * root + x * np.cos(angle), 1.0))


def arcs(x):
    return np.sum(np.where(x > 0.0, np.arccos(x / 8.0) * x, np.arccos(np.where(x < 0.0, 0.0, 1.0)) * 0.0))


MASKED = [
    logarithms,
    roots,
    inverses,
    powers,
    chained,
    replaced,
    left_out,
    in_a_loop,
    nothing_over_nothing,
    arcs,
    smooth_of_roots,
]
COMPILED = turning(12, MASKED)
X = np.array([0.0, 1.0, 4.0, -2.0])
V = np.array([0.5, 1.0, 2.0, 3.0])
INNER = {"replaced": (1, 2), "left_out": (1, 2)}


def differences(g: Callable[[Any], Any], direction: Any) -> Any:
    """The derivative of g along a direction at X, where it is smooth."""
    h = 1e-5
    return (g(X + h * direction) - g(X - h * direction)) / (2.0 * h)


def expected(f: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The gradient and its product with V, by differences; zero in the entry that is at the singular point."""
    free = np.array([0.0, 1.0, 1.0, 1.0])
    units = np.eye(4) * free
    slope = np.array([differences(f, unit) if unit.any() else 0.0 for unit in units])
    return slope, differences(bs.grad(f, jit=False), V * free) * free


@pytest.mark.parametrize(
    ("f", "jit"),
    [*((f, False) for f in MASKED), *((f, True) for f in COMPILED)],
    ids=lambda item: getattr(item, "__name__", str(item)),
)
def test_what_a_mask_hides_contributes_nothing(f: Callable[[Any], Any], jit: bool) -> None:
    """First derivatives in both modes, and second ones, without a second mask; a quarter of these compiled in each turn."""
    slope, product = expected(f)
    at_zero = 2.0 if f is powers else 0.0
    slope[0] = at_zero
    found = bs.grad(f, jit=jit)(X)
    np.testing.assert_allclose(found, slope, rtol=1e-6, atol=1e-7)
    _, along = bs.jvp(f, (X,), (V,), jit=jit)
    np.testing.assert_allclose(along, slope @ V, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(bs.hvp(f, jit=jit)((X,), (V,)), product, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(bs.hessian(f, jit=jit)(X) @ V, product, rtol=1e-5, atol=1e-6)


def variances_that_stay_at_zero(p: Any, n: int) -> Any:
    kappa, theta, sigma, rho, start = p
    v = np.full(n, start)
    logs = np.zeros(n)
    drawn = np.linspace(-2.0, 1.5, n)
    for step in range(6):
        turned = drawn * np.cos(step)
        shock = rho * drawn + np.sqrt(1 - rho**2) * turned
        kept = np.maximum(v, 0)
        logs = logs - 0.5 * kept + np.sqrt(kept) * drawn
        v = v + kappa * (theta - kept) + sigma * np.sqrt(kept) * shock
    return np.exp(logs).mean()


def root_of_what_a_choice_shuts(x: Any) -> Any:
    return np.sqrt(max(1 - x * x, 0.0)) * x + np.cbrt(min(x**3, 0.0))


def roots_of_what_clipping_shuts(x: Any) -> Any:
    return np.sum(np.sqrt(np.clip(1 - x * x, 0, None)) + np.maximum(1 - x**3, 0) ** 0.5 * x)


def root_of_what_a_branch_leaves_out(x: Any) -> Any:
    d = 1 - x * x if x < 1 else 0.0
    return np.sqrt(d) + x * x


def root_in_a_loop_of_what_is_shut(x: Any) -> Any:
    v = 0.3
    for _ in range(4):
        kept = max(v, 0.0)
        v = v - 0.4 * x * kept - x * 0.3 * np.sqrt(kept)
    return v


SHUT: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (variances_that_stay_at_zero, (np.array([1.5, 0.04, 0.3, -0.6, 0.05]), 6)),
    (root_of_what_a_choice_shuts, (2.0,)),
    (roots_of_what_clipping_shuts, (np.array([1.2, 1.7, 1.9, 0.4]),)),
    (root_of_what_a_branch_leaves_out, (2.0,)),
    (root_in_a_loop_of_what_is_shut, (0.7,)),
]


@pytest.mark.parametrize(("function", "given"), SHUT, ids=[function.__name__ for function, _ in SHUT])
def test_roots_of_what_is_shut_have_derivatives_in_both_modes(
    function: Callable[..., Any], given: tuple[Any, ...]
) -> None:
    """A choice, a bound or a branch hands on a constant zero, of which the root's infinite slope makes nothing: not an unknown product."""
    x, *rest = given
    units = np.eye(np.size(x))

    def f(x: Any) -> Any:
        return function(x if np.ndim(x) else float(x), *rest)

    def along(g: Callable[[Any], Any], unit: Any) -> Any:
        step = 1e-6 * (unit if np.ndim(x) else unit[0])
        return (np.asarray(g(x + step)) - np.asarray(g(x - step))) / 2e-6

    slope = bs.grad(function, jit=False)
    found = np.ravel(slope(x, *rest))
    np.testing.assert_allclose(found, [along(f, unit) for unit in units], rtol=1e-6, atol=1e-7)
    tangents = bs.jacfwd(function, jit=False)(x, *rest)
    np.testing.assert_allclose(np.ravel(tangents), found, rtol=1e-12, atol=1e-12)
    second = np.array([np.ravel(along(lambda x: slope(x, *rest), unit)) for unit in units])
    for twice in (bs.hessian(function, jit=False), bs.jacfwd(slope, jit=False)):
        np.testing.assert_allclose(np.reshape(twice(x, *rest), second.shape), second, rtol=1e-5, atol=1e-5)


def root_of_a_product_of_cubes(x: Any) -> Any:
    return np.cbrt(np.dot(np.array([x**3, 2.0 * x**3]), np.array([1.0, 2.0])))


def root_of_a_product_of_what_a_loop_adds_up(x: Any) -> Any:
    s = 0.0
    for _ in range(2):
        s += x**3
    return np.cbrt(np.dot(np.array([s, 2.0 * s]), np.array([1.0, 2.0])))


@pytest.mark.parametrize("function", [root_of_a_product_of_cubes, root_of_a_product_of_what_a_loop_adds_up])
def test_roots_of_products_of_what_is_flat_are_not_known(function: Callable[[Any], Any]) -> None:
    assert np.isnan(bs.grad(function, jit=False)(0.0))
    assert np.isnan(bs.jvp(function, (0.0,), (1.0,), jit=False)[1])


def flat_in_a_sum_of_roots(x: Any) -> Any:
    return (np.sqrt(x[0]) + np.sqrt(x[1]) - 2.0) ** 2


def flat_in_a_root_and_a_number(x: Any) -> Any:
    s = np.sqrt(x[0]) + 2.0
    return (s - 2.0) ** 2


def flat_in_a_sum_of_many_roots(x: Any) -> Any:
    s = np.sqrt(x[1]) + np.sqrt(x[1]) + np.sqrt(x[1]) + np.sqrt(x[1]) + np.sqrt(x[1] + 0.0) + np.sqrt(x[0])
    return np.cos(s - 10.0)


FLAT = [flat_in_a_sum_of_roots, flat_in_a_root_and_a_number, flat_in_a_sum_of_many_roots]


@pytest.mark.parametrize("function", FLAT)
def test_what_is_flat_in_a_sum_of_roots_of_which_some_are_zero_is_not_known(
    function: Callable[[Any], Any],
) -> None:
    x = np.array([0.0, 4.0])
    assert np.isnan(bs.grad(function, jit=False)(x)[0])
    assert np.isnan(bs.jvp(function, (x,), (np.array([1.0, 0.0]),), jit=False)[1])


def test_a_sum_of_roots_at_its_least_square_has_the_gradient_zero() -> None:
    x = np.array([1.0, 1.0])
    np.testing.assert_array_equal(bs.grad(flat_in_a_sum_of_roots, jit=False)(x), [0.0, 0.0])


def test_what_is_less_its_least_value_may_be_zero() -> None:
    assert bs.grad(lambda x: np.where(x > 0.0, np.log((x * x + 2.0) - 2.0), x), jit=False)(0.0) == 1.0


@pytest.mark.compiles
def test_single_precision() -> None:
    for f in (roots, inverses):
        found = bs.grad(f)(X.astype(np.float32))
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, bs.grad(f)(X), rtol=1e-4)


def norms(x):
    total = 0.0
    for i in range(x.shape[0]):
        length = np.sqrt(np.sum(x[i] * x[i]))
        if length > 0.0:
            total += length
    return total


@JIT
def test_rows_of_zeros(jit: bool) -> None:
    x = np.array([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(bs.grad(norms, jit=jit)(x), [[0.6, 0.8], [0.0, 0.0]])


@JIT
def test_a_factor_of_zero(jit: bool) -> None:
    """The adjoint is zero because a factor is; its derivative with respect to that factor is kept."""

    def f(m, x):
        return m * math.sqrt(x)

    assert bs.grad(f, argnums=1, jit=jit)(0.0, 0.0) == 0.0
    assert bs.grad(f, argnums=1, jit=jit)(1.0, 0.0) == math.inf
    assert bs.grad(bs.grad(f, argnums=1), argnums=0, jit=jit)(0.0, 4.0) == 0.25
    assert bs.grad(bs.grad(f, argnums=0), argnums=1, jit=jit)(0.0, 4.0) == 0.25


def acceleration(pos, mass, softening):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
    chosen = inv_r3 > 0
    for i in range(chosen.shape[0]):
        for j in range(chosen.shape[1]):
            if chosen[i, j]:
                inv_r3[i, j] = inv_r3[i, j] ** (-1.5)
    return np.hstack(((dx * inv_r3) @ mass, (dy * inv_r3) @ mass, (dz * inv_r3) @ mass))


def masked_bodies(pos, mass):
    a = acceleration(pos, mass, 0.0)
    return np.sum(a * a)


def bodies(pos, mass):
    total = 0.0
    for i in range(pos.shape[0]):
        a = np.zeros(3)
        for j in range(pos.shape[0]):
            if i != j:
                d = pos[j] - pos[i]
                a += d * (np.sum(d * d) ** -1.5 * mass[j, 0])
        total += np.sum(a * a)
    return total


@pytest.mark.compiles
def test_bodies_that_do_not_attract_themselves() -> None:
    random = np.random.default_rng(0)
    pos, mass = random.normal(size=(5, 3)), random.uniform(1.0, 2.0, (5, 1))
    found, wanted = (bs.grad(f, argnums=(0, 1))(pos, mass) for f in (masked_bodies, bodies))
    for mine, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9)
    along = [bs.jvp(f, (pos, mass), (pos, mass))[1] for f in (masked_bodies, bodies)]
    np.testing.assert_allclose(along[0], along[1], rtol=1e-9)


@pytest.mark.compiles
def test_rows_of_a_jacobian() -> None:
    def f(x):
        return x * np.log(x)

    found = bs.jacobian(f)(np.array([0.0, 1.0]))
    assert found[1].tolist() == [0.0, 1.0]


@pytest.mark.compiles
def test_a_sparse_matrix_keeps_its_pattern() -> None:
    def f(x):
        return np.where(x > 0.0, np.log(x) * x, 0.0) * np.where(x > 2.0, x - 3.0, 0.0)

    x = np.array([0.0, 3.0, -1.0, 3.0])
    sparse = bs.jacobian(f, sparse=True)(x)
    assert np.array_equal(sparse.toarray(), bs.jacobian(f)(x))
    assert sparse.toarray()[1, 1] == 3.0 * math.log(3.0)


@pytest.mark.compiles
def test_switched_off() -> None:
    found = bs.grad(logarithms, strong_zeros=False)(X)
    assert np.isnan(found[0])
    assert found[1] == 1.0
    assert "import strong" not in bs.grad(logarithms, strong_zeros=False).source(X)
    assert "import strong" in bs.grad(logarithms).source(X)


def test_no_guards_where_nothing_is_singular() -> None:
    def f(x, y):
        h = 1.0 / (1.0 + y * y)
        return np.sum(np.sin(x[1:] - x[:-1]) * h) + np.sum(np.log(1.0 + np.exp(x)) / y)

    assert "import strong" not in bs.grad(f, argnums=(0, 1)).source(X, 2.0)


def test_data_that_are_nan_are_cleaned_first() -> None:
    def left_out(x, h):
        return np.nansum(h * x)

    def cleaned(x, h):
        return np.sum(np.where(np.isnan(h), 0.0, h) * x)

    x, h = np.ones(3), np.array([1.0, np.nan, 2.0])
    assert left_out(x, h) == cleaned(x, h) == 3.0
    np.testing.assert_array_equal(bs.grad(left_out, jit=False)(x, h), [1.0, np.nan, 2.0])
    np.testing.assert_array_equal(bs.grad(cleaned, jit=False)(x, h), [1.0, 0.0, 2.0])


def quotients_of_nothing(x, y):
    nothing = np.sum(np.sqrt(x[2:1]))
    return (
        x[0] + nothing**0.5 + y / (2.0 * np.sum(3.0 * x[2:1])) + (1.0 + y / np.sum(x[2:1] * x[2:1])) ** -1.0
    )


def test_the_sum_of_nothing_is_divided_by_as_numpy_does() -> None:
    with np.errstate(all="ignore"):
        value, (by_x, by_y) = bs.value_and_grad(quotients_of_nothing, argnums=(0, 1), jit=False)(
            np.ones(3), 1.0
        )
        assert value == quotients_of_nothing(np.ones(3), 1.0) == np.inf
    assert by_x.tolist() == [1.0, 0.0, 0.0]
    assert by_y == np.inf
