"""Implicit differentiation: numbers and vectors, several parameters, second order, fixed points."""

from __future__ import annotations

import numpy as np
import pytest

import backsweep as bs
from tests.support import checking

A = np.array([[4.0, 1.0, 0.0], [1.0, 5.0, 2.0], [0.5, 0.0, 6.0]])


def bisected(a, b):
    low, high = 0.0, 10.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle**3 + a * middle - b > 0.0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


cubic = bs.root(bisected, lambda x, a, b: x**3 + a * x - b)


def kepler_newton(anomaly, eccentricity):
    e = anomaly
    for _ in range(30):
        e -= (e - eccentricity * np.sin(e) - anomaly) / (1.0 - eccentricity * np.cos(e))
    return e


def system_newton(matrix, b, strength):
    x = np.zeros(3)
    for _ in range(60):
        x = x - np.linalg.solve(matrix + np.diag(3.0 * strength * x * x), residual(x, matrix, b, strength))
    return x


def residual(x, matrix, b, strength):
    return matrix @ x + strength * x**3 - b


system = bs.root(system_newton, residual)


def test_a_number_found_by_bisection_which_no_sweep_could_follow() -> None:
    def cost(a, b):
        return cubic(a, b) ** 2

    x = cubic(2.0, 7.0)
    slope = 3.0 * x * x + 2.0
    found = bs.grad(cost, (0, 1), jit=False)(2.0, 7.0)
    checking.assert_close(np.array(found), np.array([2.0 * x * -x / slope, 2.0 * x / slope]))


@pytest.mark.compiles
def test_second_order_of_a_number() -> None:
    def cost(b):
        return cubic(2.0, b)

    x = cubic(2.0, 7.0)
    # x' = 1 / (3 x^2 + 2), x'' = -6 x x'^3
    slope = 1.0 / (3.0 * x * x + 2.0)
    assert bs.grad(cost)(7.0) == pytest.approx(slope)
    assert bs.grad(bs.grad(cost))(7.0) == pytest.approx(-6.0 * x * slope**3)


def pair_newton(b, strength):
    x = b / 2.0
    for _ in range(40):
        x = x - pair(x, b, strength) / (2.0 + 3.0 * strength * x * x)
    return x


def pair(x, b, strength):
    return 2.0 * x + strength * x**3 - b * np.sum(b)


def test_second_order_by_several_arguments() -> None:
    solved = bs.root(pair_newton, pair)

    def cost(b, strength):
        return np.sum(solved(b, strength) ** 2)

    b, names = np.array([1.0, 2.0]), ("b", "strength")
    with pytest.raises(bs.ArgumentError, match=r'jacrev\(bs.grad\(f, wrt="b"\), wrt=\("b", "strength"\)\)'):
        bs.hessian(cost, wrt=names, jit=False)(b, 0.3)
    with pytest.raises(bs.UnsupportedError, match="instead of bs"):
        bs.hvp(cost, jit=False)((b, 0.3), (b,))
    gradients = [bs.grad(cost, wrt=name, jit=False) for name in names]
    rows = [bs.jacrev(gradient, wrt=names, jit=False)(b, 0.3) for gradient in gradients]
    checking.assert_close(rows[0].strength, rows[1].b)
    _, pullback = bs.vjp(gradients[0], b, 0.3, wrt="b", jit=False)
    checking.assert_close(pullback(b), rows[0].b @ b)


def test_a_system() -> None:
    b = np.array([1.0, 2.0, 3.0])

    def cost(matrix, b, strength):
        x = system(matrix, b, strength)
        return np.sum(x * x * np.array([1.0, -2.0, 0.5]))

    found = bs.grad(cost, (0, 1, 2), jit=False)(A, b, 0.3)
    for number, gradient in enumerate(found):
        checking.assert_gradient(gradient, cost, (A, b, 0.3), number)


def test_second_order_of_a_vector() -> None:
    solved = bs.root(pair_newton, pair)

    def cost(b):
        return np.sum(solved(b, 0.3) ** 2)

    def along(b):
        return np.sum(bs.grad(cost, jit=False)(b) * np.array([1.0, -1.0]))

    b = np.array([1.0, 2.0])
    found = bs.grad(along, jit=False)(b)
    checking.assert_gradient(found, along, (b,), 0)


@pytest.mark.compiles
def test_fixed_point_in_a_loop() -> None:
    def iterated(a):
        x = 1.0
        while abs(np.cos(a * x) - x) > 1e-14:
            x = np.cos(a * x)
        return x

    fixed = bs.root(iterated, lambda x, a: x - np.cos(a * x))

    def cost(p):
        total = 0.0
        for k in range(p.size):
            total += fixed(p[k]) * (k + 1.0)
        return total

    p = np.array([0.3, 0.6, 0.8])
    slope = bs.grad(cost)
    x = np.array([fixed(a) for a in p])
    checking.assert_close(slope(p), -x * np.sin(p * x) / (1.0 + p * np.sin(p * x)) * np.arange(1.0, 4.0))
