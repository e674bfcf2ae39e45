"""Squares of roots, norms and absolute values have all derivatives where these are zero."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs

ZERO = np.zeros(2)
POINT = np.array([0.7, -0.4])


def of_a_product(x: Any) -> Any:
    d = np.linalg.norm(x)
    return d * d


def of_the_fourth_power(x: Any) -> Any:
    return np.linalg.norm(x) ** 4 + np.square(np.linalg.norm(x))


def beside_factors(x: Any) -> Any:
    return -(-0.5 * np.linalg.norm(x) * np.linalg.norm(x)) * 2


def of_math(x: Any) -> Any:
    d = math.sqrt(x[0] ** 2 + x[1] * x[1])
    return d * d


def of_a_quotient(x: Any) -> Any:
    d = np.sqrt(x[0] ** 2 + x[1] ** 2)
    return 4 * (d / 2.0) ** 2


def of_a_dot(x: Any) -> Any:
    d = np.sqrt(x @ x)
    return (2 * d) ** 2.0 / 4


def of_absolute_values(x: Any) -> Any:
    return abs(x[0]) ** 2 + abs(x[1]) * abs(x[1])


def of_entries(x: Any) -> Any:
    return np.sum(np.abs(x) ** 2)


def of_rows(x: Any) -> Any:
    return np.sum(np.linalg.norm(x.reshape(1, 2), axis=1) ** 2)


def of_a_loop(x: Any) -> Any:
    s = 0.0
    for i in range(x.size):
        s += x[i] ** 2
    d = np.sqrt(s)
    return 0.5 * d * d + 0.5 * math.sqrt(s) ** 2


def of_a_loop_with_a_branch(x: Any) -> Any:
    s = 0.0
    for i in range(x.size):
        for k in range(x.size):
            if k == i:
                s += x[i] ** 2 / 1.0 if k < 5 else abs(x[0])
    return np.sqrt(s) ** 2


def of_a_modulus(x: Any) -> Any:
    z = x[0] + 1j * x[1]
    return np.abs(z) * np.abs(z)


def of_an_order(x: Any) -> Any:
    return np.linalg.norm(x, 2) ** 2


def of_a_matrix(x: Any) -> Any:
    return np.linalg.norm(x.reshape(2, 1), "fro") ** 2


def in_a_kernel(x: Any) -> Any:
    d = np.linalg.norm(x - np.zeros(2))
    return -2 * math.exp(-(d / 2.0) * (d / 2.0) * 2)


def in_a_loop(x: Any) -> Any:
    total = 0.0
    for k in range(2):
        d = np.abs(x[k])
        total += d * d
    return total


def of_lengths(x: Any) -> Any:
    return pow(np.hypot(x[0], x[1]), 2) / 2 + math.hypot(x[0], x[1]) ** 2 / 2


SQUARES: list[Callable[[Any], Any]] = [
    *(
        of_a_product,
        of_the_fourth_power,
        beside_factors,
        of_math,
        of_a_quotient,
        of_a_dot,
        of_absolute_values,
    ),
    *(
        of_a_loop,
        of_a_loop_with_a_branch,
        of_entries,
        of_rows,
        of_a_modulus,
        of_an_order,
        of_a_matrix,
        in_a_kernel,
        in_a_loop,
        of_lengths,
    ),
]
"""Their Hessian at zero is twice the identity."""


@pytest.mark.parametrize("function", SQUARES, ids=lambda each: each.__name__)
def test_second_order_at_zero(function: Callable[[Any], Any]) -> None:
    assert bs.hessian(function, jit=False)(ZERO) == pytest.approx(2 * np.eye(2), abs=1e-12)
    product = bs.hvp(function, jit=False)((ZERO,), (np.array([1.0, 0.0]),))
    assert np.ravel(product) == pytest.approx([2.0, 0.0], abs=1e-12)
    value, gradient = bs.value_and_grad(function, jit=False)(POINT)
    assert value == pytest.approx(function(POINT), rel=1e-14)
    slopes = [(function(POINT + step) - function(POINT - step)) / 2e-6 for step in 1e-6 * np.eye(2)]
    assert gradient == pytest.approx(slopes, rel=1e-6)


def test_compiled() -> None:
    def kernel_matrix(x: Any) -> Any:
        d = np.sqrt(np.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1))
        return np.sum(np.exp(-0.5 * (d / 1.3) ** 2))

    def by_hand(x: Any) -> Any:
        return np.sum(np.exp(-0.5 * np.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1) / 1.69))

    x = np.array([[0.1, 0.4], [0.7, -0.2], [0.1, 0.4]])  # two points are equal
    expected = bs.hessian(by_hand, jit=False)(x)
    assert bs.hessian(kernel_matrix)(x) == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_the_square_of_a_root_of_what_may_be_negative_keeps_its_domain() -> None:
    def f(x: Any) -> Any:
        return np.sqrt(x[0]) ** 2

    with np.errstate(invalid="ignore"):
        assert np.isnan(bs.value_and_grad(f, jit=False)(np.array([-1.0]))[0])


def test_the_sum_of_squared_eigenvalues_at_a_tie() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.linalg.eigvalsh(np.array([[x[0], x[1]], [x[1], x[0]]])) ** 2)

    assert bs.hessian(f, jit=False)(ZERO) == pytest.approx(4 * np.eye(2), abs=1e-12)

    def written_afterwards(a: Any) -> Any:
        b = a.copy()
        w = np.linalg.eigvalsh(b)
        b[0, 0] = 7.0
        return np.sum(w * w) * b[0, 0]

    a = np.array([[1.0, 9.0], [2.0, 3.0]])  # the upper triangle is not read
    value, gradient = bs.value_and_grad(written_afterwards, jit=False)(a)
    assert value == pytest.approx(7.0 * (1.0 + 9.0 + 8.0))
    assert gradient == pytest.approx(7.0 * np.array([[2.0, 0.0], [8.0, 6.0]]))


def written_between(x: Any) -> Any:
    a = x.copy()
    before = np.sqrt(np.sum(a**2))
    a[0] = 3.0
    return before * np.sqrt(np.sum(a**2))


def drawn_twice(x: Any) -> Any:
    np.random.seed(3)  # noqa: NPY002  the state that compiled code draws from
    return abs(x[0] + np.random.normal()) * abs(x[0] + np.random.normal())  # noqa: NPY002  as above


@pytest.mark.parametrize("function", [written_between, drawn_twice], ids=lambda each: each.__name__)
def test_roots_that_only_look_alike_are_two(function: Callable[[Any], Any]) -> None:
    value, gradient = bs.value_and_grad(function, jit=False)(POINT)
    assert value == pytest.approx(function(POINT), rel=1e-14)
    slopes = [(function(POINT + step) - function(POINT - step)) / 2e-6 for step in 1e-6 * np.eye(2)]
    assert gradient == pytest.approx(slopes, rel=1e-6, abs=1e-9)
