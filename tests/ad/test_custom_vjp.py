"""Pullbacks of the user's own, and code without derivative: structures, loops, second order, what is refused."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import backsweep as bs
from tests.support import checking

X = np.array([0.4, 1.3, 2.5])


@bs.custom_vjp
def root(x):
    return math.sqrt(x)


def root_forward(x):
    y = math.sqrt(x)
    return y, (x, y)


def root_backward(residuals, y_bar):
    x, y = residuals
    return (0.5 * y_bar / y if x > 0.0 else 0.0,)


root.defvjp(root_forward, root_backward)


@bs.custom_vjp
def bounded(lowest, highest, x):
    return x


bounded.defvjp(
    lambda lowest, highest, x: (x, (lowest, highest)),
    lambda residuals, x_bar: (None, None, np.minimum(np.maximum(x_bar, residuals[0]), residuals[1])),
)


class Pair(NamedTuple):
    total: Any
    weights: Any


@bs.custom_vjp
def split(pair, k, scale=2.0):
    """The total with a weight, and the other weights scaled: the pullback is three times too large."""
    return pair.total * pair.weights[k], (pair.weights * scale,)


def split_forward(pair, k, scale=2.0):
    return (pair.total * pair.weights[k], (pair.weights * scale,)), (pair, k, scale)


def split_backward(residuals, bars):
    pair, k, scale = residuals
    first, (second,) = bars
    weights_bar = second * scale
    weights_bar[k] += first * pair.total
    return Pair(3.0 * first * pair.weights[k], 3.0 * weights_bar), None, None


split.defvjp(split_forward, split_backward)


def split_cost(total, weights):
    s = 0.0
    for k in range(weights.size):
        first, (second,) = split(Pair(total, weights), k)
        s += first + np.sum(second * second)
        total = total + s
    return s


def split_plain(total, weights):
    s = 0.0
    for k in range(weights.size):
        first, second = total * weights[k], weights * 2.0
        s += first + np.sum(second * second)
        total = total + s
    return s


@pytest.mark.parametrize("jit", [False, True])
def test_residuals_and_a_branch_in_the_pullback(jit: bool) -> None:
    def cost(x):
        return root(x) * x

    slope = bs.grad(cost, jit=jit)
    assert slope(4.0) == 3.0
    assert slope(0.0) == 0.0
    assert bs.grad(slope, jit=jit)(4.0) == pytest.approx(0.75 / 2.0)
    assert root(9.0) == 3.0


@pytest.mark.parametrize("jit", [False, True])
def test_result_that_is_its_argument(jit: bool) -> None:
    """It shares no memory with it: what is written to one is not seen in the other's adjoint."""

    def cost(x):
        y = bounded(-1.0, 1.0, x)
        y[0] = y[1] * x[0]
        return np.sum(y * np.array([0.5, 3.0, -4.0])) + np.sum(x)

    checking.assert_close(bs.grad(cost, jit=jit)(X), np.array([0.5 * X[1] + 1.0, 1.0 + 1.0, -1.0 + 1.0]))


@pytest.mark.parametrize("jit", [False, True])
def test_tuples_in_a_loop(jit: bool) -> None:
    """The pullback of each call is three times too large, and nothing else is."""

    def tripled(u: Any) -> Any:
        return u

    found = bs.grad(split_cost, (0, 1), jit=jit)(0.7, X)

    # the same function with hooks that triple what goes back from the two results of each iteration
    def reference(total, weights):
        s = 0.0
        for k in range(weights.size):
            w = bs.hook(weights * 1.0, lambda adjoint: 3.0 * adjoint)
            t = bs.hook(total * 1.0, lambda adjoint: 3.0 * adjoint)
            second = w * 2.0
            s += t * w[k] + np.sum(second * second)
            total = total + s
        return s

    wanted = bs.grad(reference, (0, 1), jit=False)(0.7, X)
    assert split_cost(0.7, X) == pytest.approx(split_plain(0.7, X))
    checking.assert_close(found[0], wanted[0])
    checking.assert_close(found[1], wanted[1])
    assert tripled(1) == 1


def test_from_compiled_code_too() -> None:
    @numba.njit
    def cost(x):
        return root(x) * x

    assert cost(4.0) == 8.0
    assert bs.grad(cost)(4.0) == 3.0


def test_second_order_against_differences() -> None:
    def cost(x):
        return np.sum(bounded(-10.0, 10.0, x * x) * x) * root(x[0])

    checking.assert_gradient(bs.grad(cost)(X), cost, (X,), 0)

    def of_slope(x):
        return np.sum(bs.grad(cost)(x) * np.array([1.0, 2.0, 3.0]))

    checking.assert_gradient(bs.grad(of_slope)(X), of_slope, (X,), 0)


def test_forward_over_reverse() -> None:
    def cost(x):
        return root(x) * x

    assert bs.hvp(cost)((4.0,), (1.0,)) == pytest.approx(0.375)
    with pytest.raises(bs.UnsupportedError, match="BS210"):
        bs.jvp(cost, (4.0,), (1.0,))


def test_cotangent_of_another_shape_is_found_when_it_runs() -> None:
    @bs.custom_vjp
    def summed(x):
        return np.sum(x)

    summed.defvjp(lambda x: (np.sum(x), x), lambda x, y_bar: (np.full(x.size - 1, y_bar),))

    def cost(x):
        return summed(x * x)

    with pytest.raises(ValueError, match="another shape"):
        bs.grad(cost)(X)


def test_residuals_are_as_they_were() -> None:
    """What the forward function kept is not what a later statement makes of the array."""

    @bs.custom_vjp
    def squares(x):
        return x * x

    squares.defvjp(lambda x: (x * x, x), lambda x, y_bar: (2.0 * x * y_bar,))

    def cost(x):
        u = x * 1.0
        total = 0.0
        for k in range(3):
            total += np.sum(squares(u))
            u[k] = u[k] * 3.0
        return total

    for jit in (False, True):
        checking.assert_gradient(bs.grad(cost, jit=jit)(X), cost, (X,), 0)


def test_one_array_as_the_cotangent_of_two_arguments() -> None:
    """What is added to the adjoint of one argument later is not added to that of the other, nor to a residual."""

    @bs.custom_vjp
    def total(a, b):
        return a + b

    def backward(residuals, y_bar):
        shared = y_bar * 2.0
        return shared, shared

    total.defvjp(lambda a, b: (a + b, None), backward)

    @bs.custom_vjp
    def turned(a):
        return a * 1.0

    turned.defvjp(lambda a: (a * 1.0, a), lambda a, y_bar: (a.T,))

    def cost(x, w):
        s = np.sum(x * x) + np.sum(w * w * w)
        return np.sum(total(x, w)) + s

    def square(m):
        s = np.sum(m * m * m)
        return np.sum(turned(m)) + s

    m = np.array([[1.0, 2.0], [3.0, 4.0]])
    for jit in (False, True):
        x_bar, w_bar = bs.grad(cost, (0, 1), jit=jit)(X, 2.0 * X)
        checking.assert_close(x_bar, 2.0 + 2.0 * X)
        checking.assert_close(w_bar, 2.0 + 12.0 * X * X)
        given = m.copy()
        checking.assert_close(bs.grad(square, jit=jit)(given), m.T + 3.0 * m * m)
        checking.assert_close(given, m)


def test_calls_of_gradients_within_the_pullback() -> None:
    def inner(x):
        return x * x * x

    @bs.custom_vjp
    def cube(x):
        return inner(x)

    cube.defvjp(lambda x: (inner(x), x), lambda x, y_bar: (y_bar * bs.grad(inner)(x),))

    def cost(x):
        return cube(x) * 2.0

    slope = bs.grad(cost)
    assert slope(2.0) == 24.0
    assert bs.grad(slope)(2.0) == 24.0


def test_declared_rule_for_a_function_of_others() -> None:
    @numba.njit
    def theirs(x):
        return x**3

    @bs.rule(theirs)
    def cube(x):
        """The third power."""
        y = theirs(x)
        return y, lambda y_bar: 3.0 * x * x * y_bar

    def cost(x):
        return theirs(x) + x

    assert bs.grad(cost)(2.0) == 13.0


@pytest.mark.parametrize("jit", [False, True])
def test_no_grad(jit: bool) -> None:
    def helper(a, k, value):
        a[k] = value * value
        return value * 3.0

    def cost(x):
        a = x * 2.0
        with bs.no_grad():
            s = np.sum(x * x)
            for k in range(2):
                s = s + helper(a, k, x[2])
            a[2] += x[0]
            if s > 1000.0:
                return s
        t = x[1]
        with bs.no_grad():
            t *= x[0]
        return s * x[0] + np.sum(a) + t

    a = 2.0 * X
    s = np.sum(X * X) + 6.0 * X[2]
    value, found = bs.value_and_grad(cost, jit=jit)(X)
    assert value == pytest.approx(s * X[0] + 2.0 * X[2] ** 2 + a[2] + X[0] + X[0] * X[1])
    # a[0] and a[1] are constants, a[2] and t keep their derivatives, s is a constant
    checking.assert_close(found, np.array([s, 1.0, 2.0]))
    assert cost(X) == pytest.approx(value)


def test_no_grad_with_tuples_and_flags() -> None:
    def cost(x):
        with bs.no_grad():
            a, (b, c) = x * x, (x > 1.0, 2.0 * x)
            pair = (a, c)
        return (pair[0] if b else pair[1]) * x

    assert bs.grad(cost)(3.0) == 9.0
    assert bs.grad(cost)(0.5) == 1.0


def test_no_grad_with_arrays_and_lists() -> None:
    """What is written afterwards, under the name without derivative, and what is put into lists."""

    def cost(x):
        with bs.no_grad():
            a = x * 2.0
            a[0] = x[1]
            entries = [x[0], x[1]]
            entries.append(x[2] * x[2])
            entries.extend([each * x[0] for each in entries])
            doubled = [x[0]] * 2
            doubled[1] = 3.0
        return np.sum(a * x) + sum(entries) + sum(doubled) * x[0]

    for jit in (False, True):
        found = bs.grad(cost, jit=jit)(X)
        checking.assert_close(found, np.array([X[1] + X[0] + 3.0, 2.0 * X[1], 2.0 * X[2]]))


def test_no_grad_with_lists_that_are_only_read_or_handed_on() -> None:
    """A list that is made within has no derivative, whatever it is made of; another name for one keeps it."""

    def cost(x):
        values = [x[0] * 2.0, x[1]]
        with bs.no_grad():
            made = [x[0] * 2.0, x[1]]
            for k in range(2):
                values = [values[1] * x[k], values[0]] if x[k] > 0.0 else values
            others = [x[1], x[2]]
        kept = [x[0], x[1]]
        if x[0] > 0.0:
            kept[0] = kept[1] * x[0]
        with bs.no_grad():
            same = kept
            copies = [kept[:], kept.copy(), kept + made]
        return (
            made[0] * x[0]
            + values[1] * x[1]
            + others[0] * x[2]
            + same[0]
            + copies[1][0] * copies[2][3] * x[1]
        )

    def expected(x):
        values, made, others = [x[0] * 2.0, x[1]], 2.0 * x[0], x[1]
        for k in range(2):
            values = [values[1] * x[k], values[0]]
        copied = x[1] * x[0] * x[1]
        return np.array([made + x[1], values[1] + x[0] + copied, others])

    for jit in (False, True):
        checking.assert_close(bs.grad(cost, jit=jit)(X), expected(X))


def test_no_grad_changes_by_a_constant() -> None:
    """An augmented assignment changes numbers, arrays, elements and items by what has no derivative, infinite ones, too."""

    def cost(x):
        y, s, values, rows = x * 1.0, x[0] * x[1], [x[0] * 1.0, x[1]], [x * 1.0, x * 2.0]
        n = 3
        with bs.no_grad():
            y *= 2.0
            y[0] /= 4.0
            y[1:] **= 2
            s *= s
            values[0] *= 3.0
            rows[0] *= 3.0
            n *= 2
        return np.sum(y * y) + s * s + values[0] * values[0] + np.sum(rows[0] ** 2) + n * x[2]

    y = np.array([0.5 * X[0], (2.0 * X[1]) ** 2, (2.0 * X[2]) ** 2])
    s = (X[0] * X[1]) ** 2
    expected = 2.0 * y + 6.0 * X + np.array([2.0 * s * X[1] + 6.0 * X[0], 2.0 * s * X[0], 6.0])
    for jit in (False, True):
        checking.assert_close(bs.grad(cost, jit=jit)(X), expected)

    def scaled(x):
        y = np.log(x)
        with bs.no_grad():
            y *= 0.5
        return np.sum(np.exp(y))

    found = bs.value_and_grad(scaled)(np.array([1.0, 4.0]))
    checking.assert_close(found, (3.0, np.array([1.0, 0.5])))


def test_residuals_of_one_name() -> None:
    """Residuals that one variable held, one after the other."""

    @bs.custom_vjp
    def twice(u):
        return math.sin(math.sin(u))

    def forward(u):
        first = u
        u = math.sin(u)
        return math.sin(u), (first, u)

    twice.defvjp(forward, lambda rest, y_bar: (y_bar * math.cos(rest[0]) * math.cos(rest[1]),))

    def cost(u):
        with bs.no_grad():
            s = twice(u) + twice(u * u)
        u = u * s
        return twice(u)

    s = math.sin(math.sin(0.3)) + math.sin(math.sin(0.09))
    assert bs.grad(cost)(0.3) == pytest.approx(s * math.cos(0.3 * s) * math.cos(math.sin(0.3 * s)))


def test_gradient_by_several_arguments_within_a_pullback() -> None:
    def plain(u, v):
        return math.exp(u * v)

    @bs.custom_vjp
    def product(u, v):
        return plain(u, v)

    product.defvjp(
        lambda u, v: (plain(u, v), (u, v)),
        lambda rest, y_bar: (
            y_bar * bs.grad(plain, (0, 1))(*rest)[0],
            y_bar * bs.grad(plain, wrt=("v",))(*rest).v,
        ),
    )

    def cost(x, y):
        return product(x, y) * x

    wanted = math.exp(0.06) + 0.2 * 0.3 * math.exp(0.06), 0.04 * math.exp(0.06)
    assert bs.grad(cost, (0, 1))(0.2, 0.3) == pytest.approx(wanted)


def test_results_that_have_no_names() -> None:
    def both_forward(w, b):
        return (w * b, 2.0 * b), (w, b)

    def both_backward(kept, bars):
        return kept[1] * bars[0], kept[0] * bars[0] + 2.0 * bars[1]

    def outer_forward(w, b):
        return w * w * b, (w, b)

    def outer_backward(kept, bar):
        return both(kept[0], bar)

    @bs.custom_vjp
    def both(w, b):
        return w * b, 2.0 * b

    @bs.custom_vjp
    def outer(w, b):
        return w * w * b

    def total(w, b):
        product, twice = both(w, b)
        return product + twice

    def alone(w):
        return total(w, 3.0)

    def twice(w, b):
        return 2.0 * outer(w, b)

    both.defvjp(both_forward, both_backward)
    outer.defvjp(outer_forward, outer_backward)
    assert bs.grad(alone, jit=False)(2.0) == 3.0
    assert bs.grad(total, (0, 1), jit=False)(2.0, 3.0) == (3.0, 4.0)
    assert bs.grad(twice, (0, 1), jit=False)(2.0, 3.0) == (4.0, 4.0)


def test_a_forward_function_that_calls_itself_returns_a_tuple_within_another_backward():
    @bs.custom_vjp
    def scaled(w, b):
        return w * b, 2.0 * b

    scaled.defvjp(lambda w, b: (scaled(w, b), (w, b)), lambda kept, bar: (kept[1] * bar[0], kept[0] * bar[1]))

    @bs.custom_vjp
    def squared(w, v):
        return w * w + v

    squared.defvjp(lambda w, v: (w * w + v, w), scaled)

    slope = bs.grad(lambda w: squared(w, 1.0), jit=False)
    assert slope(3.0) == 3.0
    assert bs.grad(slope, jit=False)(3.0) == 1.0  # of `scaled`, by its own derivative


def test_a_forward_function_that_calls_itself_returns_a_tuple():
    @bs.custom_vjp
    def scaled(w, b):
        return w * b, 2.0 * b

    def back(kept, bar):
        w, b = kept
        return b * bar[0], w * bar[0] + 2.0 * bar[1]

    scaled.defvjp(lambda w, b: (scaled(w, b), (w, b)), back)

    def cubed(w):
        first, second = scaled(w, 2.0 * w)
        return first * second

    slope = bs.grad(cubed, jit=False)
    assert (cubed(3.0), slope(3.0), bs.grad(slope, jit=False)(3.0)) == (216.0, 216.0, 144.0)
