"""Remedies of refused hooks, pullbacks, rules and roots: what to give instead, and the numbers that come of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import fsolve

import backsweep as bs
from backsweep.rules import REGISTRY
from tests.remedies import answers

ONES = np.ones(3)


def total(x):
    u = x * x
    return np.sum(u * x)


def total_of_one(x):
    u = x * x
    return u * x


@bs.custom_vjp
def root(s):
    return math.sqrt(s)


root.defvjp(lambda s: (math.sqrt(s), s), lambda s, y_bar: (y_bar * 0.5 / max(s, 1.0),))


def root_with_a_pullback(x, y):
    return root(x - y)


@answers("adjoint_not_finite", 0.5)
def own_pullback() -> Any:
    return bs.grad(root_with_a_pullback, debug_nan=True, jit=False)(2.0, 2.0)


@answers("collecting_inside", [12.0, 12.0])
def adjoints_by_wrt() -> Any:
    slope = bs.grad(total, wrt=("x", "u"))
    return bs.grad(lambda x: np.sum(slope(x)[0] * slope(x)[1]), jit=False)(2.0 * np.ones(2)) / 3.0


def newton(a, b):
    x = a
    for _ in range(50):
        x = x - (x * x - a * b) / (2.0 * x)
    return x


geometric_mean = bs.root(newton, lambda x, a, b: x * x - a * b)


def cost_of_a_root(a, b):
    return np.sum(geometric_mean(a, b) ** 4)


@answers("hessian_through_a_root", (8.0 * np.eye(2), [8.0, 8.0]))
def rows_by_reverse_mode() -> Any:
    by_a = bs.jacrev(bs.grad(cost_of_a_root, wrt="a"), wrt=("a", "b"), jit=False)
    return tuple(by_a(np.ones(2), 2.0))


def item_hooked(x):
    first = bs.hook(x, lambda adjoint: 2.0 * adjoint)
    return first * (x * x)


@answers("hook_of_a_tuple", 4.0)
def hook_of_an_item() -> Any:
    return bs.grad(item_hooked, jit=False)(1.0)


@answers("hook_of_an_integer", 6.0)
def hook_of_a_float() -> Any:
    return bs.grad(lambda x, n: bs.hook(x, lambda adjoint: 2.0 * adjoint) * n, jit=False)(1.0, 3)


@answers("hook_of_another_kind", 4.0 * ONES)
def adjoint_of_the_shape() -> Any:
    return bs.grad(lambda x: np.sum(bs.hook(x * x, lambda adjoint: 2.0 * adjoint)), jit=False)(ONES)


@answers("hook_that_is_no_function", 2.0 * 2.0 * 4.0 + 4.0)
@answers("hooks_is_a_number", 2.0 * 2.0 * 4.0 + 4.0)
def hook_by_a_function() -> Any:
    return bs.grad(total_of_one, hooks={"u": lambda adjoint: 2.0 * adjoint}, jit=False)(2.0)


@answers("hook_that_stores", (12.0, 2.0))
@answers("hook_that_is_no_function", (12.0, 2.0))
def adjoint_collected() -> Any:
    seen: dict[str, Any] = {}
    slope = bs.grad(total_of_one, hooks={"u": None}, collect=seen, jit=False)(2.0)
    return slope, seen["u"]


@bs.custom_vjp
def twice(x):
    return 2.0 * x


twice.defvjp(lambda x: (2.0 * x, None), lambda _, y_bar: (2.0 * y_bar,))


@answers("pullback_in_forward_mode", (4.0, 4.0))
def pullback_in_reverse_mode() -> Any:
    def cost(x):
        return twice(x) * x

    return bs.grad(cost, jit=False)(1.0), bs.vjp(cost, 1.0, jit=False)[1](1.0)


@answers("pullback_missing", 2.0)
def pullback_given() -> Any:
    @bs.custom_vjp
    def relu(x):
        return max(x, 0.0)

    relu.defvjp(lambda x: (max(x, 0.0), x), lambda x, y_bar: (y_bar if x > 0.0 else 0.0,))
    return bs.grad(lambda x: relu(x) * 2.0, jit=False)(1.0)


@answers("pullback_of_too_few", 4.0)
def cotangent_for_each_argument() -> Any:
    @bs.custom_vjp
    def scaled(x, factor):
        return x * factor

    scaled.defvjp(lambda x, factor: (x * factor, factor), lambda factor, y_bar: (y_bar * factor, None))
    return bs.grad(lambda x: scaled(x, 2.0) * x, jit=False)(1.0)


@bs.custom_vjp
def norm_by_order(x, p):
    return np.linalg.norm(x, p)


def backward_by_order(kept, y_bar):
    x, p, y = kept
    powers = np.abs(x) ** p
    by_p = y * (np.sum(powers * np.log(np.abs(x))) / (p * np.sum(powers)) - np.log(np.sum(powers)) / p**2)
    return None, y_bar * by_p


norm_by_order.defvjp(
    lambda x, p: (np.linalg.norm(x, p), (x, p, np.linalg.norm(x, p))),
    backward_by_order,
)


@answers("parameter_without_formula", True)
def derivative_of_ones_own() -> Any:
    x, step = np.array([0.3, 1.0, 0.6]), 1e-5
    differences = (np.linalg.norm(x, 2.5 + step) - np.linalg.norm(x, 2.5 - step)) / (2.0 * step)
    return abs(bs.grad(lambda p: norm_by_order(x, p), jit=False)(2.5) - differences) < 1e-8


inverse = bs.root(
    lambda a: np.ravel(np.linalg.inv(a)),
    lambda x, a: np.ravel(a @ np.reshape(x, (2, 2)) - np.eye(2)),
)


@answers("root_is_a_matrix", -np.ones((2, 2)))
def root_as_a_vector() -> Any:
    return bs.grad(lambda a: np.sum(np.reshape(inverse(a), (2, 2))), jit=False)(np.eye(2))


@answers("rule_adjoints", (1.0, -1.0))
@answers("rule_grammar", (1.0, -1.0))
@answers("rule_without_text", (1.0, -1.0))
@answers("scipy_function", (1.0, -1.0))
def rule_with_all_adjoints() -> Any:
    @bs.pure_python(result=0.0)
    def distance(p, q):
        return float(np.hypot(p - q, 0.0))

    rules = list(REGISTRY)

    @bs.rule(distance)
    def of_distance(p, q):
        d = distance(p, q)
        return d, lambda d_bar: (d_bar * (p - q) / d, -d_bar * (p - q) / d)

    found = bs.grad(lambda p, q: 1.0 * distance(p, q), argnums=(0, 1), jit=False)(3.0, 1.0)
    REGISTRY[:] = rules
    return found


slope_of_distance = bs.grad(lambda x, a: (x[0] - a**2) ** 2, argnums=0, jit=False)


@answers("scipy_function_of_functions", 4.0)
def zero_of_the_gradient() -> Any:
    def least(a):
        return fsolve(lambda x: slope_of_distance(x, a), np.array([1.0]))[0]

    return bs.grad(least, jit=False)(2.0)


def bounded(adjoint):
    return np.clip(adjoint, -1.0, 1.0)


def hooked_steps(x):
    u = bs.hook(x * x, bounded)
    return u[1:] - u[:-1]


HOOKED = [[-2.0, 4.0, 0.0], [0.0, -4.0, 8.0]]


@answers("tangents_of_a_hook", (HOOKED, HOOKED, HOOKED))
def jacobian_in_reverse_mode() -> Any:
    x = np.array([1.0, 2.0, 4.0])
    return (
        bs.jacrev(hooked_steps, jit=False)(x),
        bs.jacobian(hooked_steps, jit=False)(x),
        bs.jacobian(lambda x: (x * x)[1:] - (x * x)[:-1], sparse=True, jit=False)(x).toarray(),
    )
