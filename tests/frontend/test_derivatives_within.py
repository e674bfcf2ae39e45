"""Derivatives of functions that the function defines, dicts that it changes or that a derivative gives, and classes with slots."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import backsweep as bs


def of_a_lambda(x):
    f = lambda y: y**3 * x  # noqa: E731  as people write it
    return bs.grad(f)(x) * x + bs.grad(lambda t: bs.grad(lambda u: u**3 * t * x)(t))(x)


def of_an_energy(x):
    k = x[0]

    def energy(q, scale=0.5):
        return scale * k * np.sum(q**2) + np.prod(q)

    force = bs.grad(energy)
    q = x[1:].copy()
    v = np.zeros(3)
    for _ in range(5):
        v = v - 0.1 * force(q)
        q = q + 0.1 * v
    return np.sum(q**2)


def of_several_arguments(x):
    def f(a, b):
        return a * b**2 * x[0]

    by_a, by_b = bs.grad(f, argnums=(0, 1))(x[1], x[2])
    value, slope = bs.value_and_grad(f, argnums=1)(x[1], x[2])
    jacobian = bs.jacobian(lambda q: np.array([q[0] * q[1] * x[2], np.sin(q[0])]))(x[:2])
    hessian = bs.hessian(lambda q: np.sum(q**3) * x[3])(x[:2])
    return by_a * by_b + value * slope + np.sum(jacobian**2) + np.sum(hessian * np.outer(x[:2], x[:2]))


class _Spring:
    __slots__ = ("stiffness",)

    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, q):
        return self.stiffness * np.sum(q**4)

    def force(self, q):
        return -bs.grad(self.energy)(q)

    def __add__(self, other):
        return _Spring(self.stiffness + other.stiffness)


def of_a_method(x):
    spring = _Spring(x[0]) + _Spring(x[1] * 2.0)
    return np.sum(spring.force(x[1:]) ** 2)


def _loss(p):
    return (p["a"] * p["b"] - 1.0) ** 2


_slope = bs.grad(_loss)


def dicts_of_derivatives(x, y):
    g = _slope({"a": x, "b": y})
    value, h = bs.value_and_grad(_loss)({"a": x, "b": y})
    p = {"a": x, "b": y}
    for _ in range(3):
        step = _slope(p)
        for name in p:
            p[name] -= 0.01 * step[name]
    return (
        g["a"] * h["b"] * value
        + sum(v**2 for v in g.values())
        + bs.grad(_loss)({"a": x, "b": y})["a"]
        + p["a"]
    )


def of_what_changes_before_the_call(x):
    k = 2.0
    slope = bs.grad(lambda q: np.sum(q**k))
    second = bs.grad(lambda q: np.sum(slope(q) ** 2))
    k = 3.0
    total = np.sum(slope(x))
    k = 1.5
    spring = _Spring(x[0])
    force = bs.grad(spring.energy)
    spring.stiffness = x[1]
    whole = functools.partial(lambda scale, q: np.sum(scale * q**3), x[2])
    return total + np.sum(slope(x)) + np.sum(second(x)) + np.sum(force(x)) + np.sum(bs.grad(whole)(x) * x)


def twice(x):
    f = lambda t: t**4 * x  # noqa: E731  as people write it
    curvature = bs.grad(bs.grad(f))
    total = 0.0
    for i in range(3):
        slope = bs.grad(lambda t: t**2 * x * i)  # noqa: B023  it is called in the same round
        total += slope(x + i)
    return curvature(x) * x + total


X = np.array([0.7, 1.3, 2.1, 0.4])
CASES = [
    (of_a_lambda, (1.5,)),
    (of_an_energy, (X,)),
    (of_several_arguments, (X,)),
    (of_a_method, (X,)),
    (of_what_changes_before_the_call, (X,)),
    (twice, (1.5,)),
    (dicts_of_derivatives, (1.5, 2.0)),
]


@pytest.mark.parametrize(("function", "args"), CASES, ids=[function.__name__ for function, _ in CASES])
def test_gradient(function, args):
    value, slope = bs.value_and_grad(function, jit=False)(*args)
    assert value == pytest.approx(function(*args))
    step = 1e-5

    def differences(direction):
        up, down = (function(args[0] + sign * step * direction, *args[1:]) for sign in (1, -1))
        return (up - down) / (2 * step)

    directions = np.eye(4) if isinstance(args[0], np.ndarray) else [1.0]
    np.testing.assert_allclose(
        slope, np.reshape([differences(each) for each in directions], np.shape(slope)), rtol=1e-6
    )
