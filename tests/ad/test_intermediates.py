"""Adjoints of variables by name: each against the gradient of what is added to the variable where it is assigned."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from tests.support import checking
from tests.support.sampled import every

X = np.array([0.3, 0.5, 0.9, 1.2])
W = np.linspace(-0.4, 0.6, 16).reshape(4, 4)


def in_a_loop(x, d):
    s = 0.0
    for i in range(1, x.size):
        u = x[i] * s + 1.0 + d[i - 1]
        s += u * u
    return s


def triangular(x, d):
    s = 1.0
    for i in range(x.size):
        for j in range(i):
            u = x[i] * x[j] * s + d[i, j]
            s += math.sin(u)
    return s


def on_a_branch_in_a_loop(x, d):
    s = 1.0
    for i in range(x.size):
        if x[i] > 0.4:
            u = s * 2.0 + d[i]
            s = u * 0.5 + u * u * 0.1
    return s


def backwards(x, d):
    s = 0.1
    for i in range(x.size - 1, -1, -2):
        u = s * x[i] + d[(x.size - 1 - i) // 2]
        s += u * u
    return s


def in_a_while(x, d):
    t = x[3]
    k = 0
    while t < 3.0:
        u = t * x[0] + d[k]
        t = t + u * u
        k += 1
    return t * x[1]


def left_early(x, d):
    s = 0.0
    for i in range(x.size):
        u = x[i] * x[i] + d[i]
        s += u * x[i]
        if s > 0.5:
            break
    return s


def whiles_in_a_loop(x, d):
    s = 1.0
    for i in range(x.size):
        k = 0
        while k * x[i] < 1.9:
            u = s * x[i] + 0.1 * k + d[i, k]
            s = 0.5 * s + 0.3 * u * u
            k += 1
    return s


def an_array(x, d):
    u = np.tanh(W @ x) + d
    return np.sum(u * u * x)


def written_later(x, d):
    u = x * x + d
    total = u[1] * u[2]
    u[1] = 3.0 * u[0]
    u *= x
    return total + np.sum(u)


def arrays_in_a_loop(x, d):
    h = x
    for k in range(3):
        u = W @ h + d[k]
        h = np.tanh(u)
    return np.sum(h * h)


def arrays_written_in_a_loop(x, d):
    total = 0.0
    for k in range(3):
        u = x * k + d[k]
        u[k] = u[k + 1] * 2.0
        total += np.sum(u * u)
    return total


def arrays_of_many_sizes(x, d):
    total = 0.0
    for k in range(1, 4):
        u = x[:k] * x[k] + d[k - 1, :k]
        total += np.sum(u * u * u)
    return total


def on_a_branch(x, d):
    if x[0] > 0.2:
        u = x[1] * x[2] + d
        v = u * u
    else:
        v = x[3]
    return v * x[0]


def on_a_branch_not_taken(x, d):
    if x[0] > 0.2:
        v = x[3]
    else:
        u = x[1] * x[2] + d
        v = u * u
    return v * x[0]


def loop_on_a_branch(x, d):
    s = x[0]
    if x[0] > 0.2:
        n = 0
        for i in range(x.size):
            if x[i] < 1.0:
                n += 1
        for i in range(n):
            u = s * x[i] + d[i]
            s += u * u
    return s


def augmented(x, d):
    s = x[0]
    s *= x[1]
    u = s * s
    u += x[2] * s + d
    return u * u


def unpacked(x, d):
    u, v = x[0] * x[1] + d, x[2]
    return u * u * v


def not_used(x, d):
    u = x[0] + d  # noqa: F841
    return x[1] * x[1]


def of_integers_mixed(x, d):
    k = 3
    u = k * x[0] + d
    return u * k


def made_and_filled(x, d):
    u = np.zeros(4) + d
    u[0] = x[0]
    for i in range(3):
        u[i + 1] = np.sin(u[i])
    return np.sum(u**2)


def made_and_filled_in_part(x, d):
    u = np.ones((2, 4)) + d
    u[1] = x * x
    return np.sum(u**3)


CASES: dict[Any, tuple[str, np.ndarray[Any, Any] | float]] = {
    in_a_loop: ("u", np.zeros(3)),
    triangular: ("u", np.zeros((4, 3))),
    on_a_branch_in_a_loop: ("u", np.zeros(4)),
    backwards: ("u", np.zeros(2)),
    in_a_while: ("u", np.zeros(12)),
    left_early: ("u", np.zeros(4)),
    whiles_in_a_loop: ("u", np.zeros((4, 7))),
    an_array: ("u", np.zeros(4)),
    written_later: ("u", np.zeros(4)),
    arrays_in_a_loop: ("u", np.zeros((3, 4))),
    arrays_written_in_a_loop: ("u", np.zeros((3, 4))),
    arrays_of_many_sizes: ("u", np.zeros((3, 3))),
    on_a_branch: ("u", 0.0),
    on_a_branch_not_taken: ("u", 0.0),
    loop_on_a_branch: ("u", np.zeros(3)),
    unpacked: ("u", 0.0),
    not_used: ("u", 0.0),
    of_integers_mixed: ("u", 0.0),
    made_and_filled: ("u", np.zeros(4)),
    made_and_filled_in_part: ("u", np.zeros((2, 4))),
}


def line_of(function: Any, text: str) -> int:
    """The line of a function's text that holds `text`."""
    import inspect

    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if text in line)


def part_of(whole: Any, like: Any) -> Any:
    """The entries of what is added that the variable has."""
    return whole[tuple(slice(0, n) for n in np.shape(like))] if np.shape(like) else whole


def named(function: Any) -> str:
    return str(function.__name__)


@pytest.mark.parametrize("function", CASES, ids=named)
def test_adjoint_is_that_of_what_is_added(function: Any) -> None:
    check(function, jit=False)


# Every third: compiling takes seconds, and what is emitted is plain loops and stores
@pytest.mark.parametrize("function", every(3, CASES, first=1), ids=named)
def test_compiled_adjoint_is_that_of_what_is_added(function: Any) -> None:
    check(function, jit=True)


def check(function: Any, *, jit: bool) -> None:
    """The variable's adjoint is that of `d`, and both gradients are those of differences."""
    name, d = CASES[function]
    found = bs.grad(function, wrt=(name, "d", "x"), jit=jit)(X, d)
    assert np.shape(found.u) == np.shape(part_of(found.d, found.u))
    checking.assert_close(found.u, part_of(found.d, found.u))
    checking.assert_gradient(found.d, function, (X, d), 1)
    checking.assert_gradient(found.x, function, (X, d), 0)


def test_what_is_stored_later_is_not_the_variables() -> None:
    """An array that nothing else touches before it is filled: what it was made with has no influence where it is overwritten."""

    def partly(x: float) -> float:
        u = np.ones(4)
        u[1] = x
        return np.sum(u**2)

    assert bs.grad(partly, wrt="u", jit=False)(1.5).tolist() == [2.0, 0.0, 2.0, 2.0]
    doubled = bs.grad(partly, hooks={"u": lambda u_bar: 2.0 * u_bar}, jit=False)
    assert doubled(1.5) == bs.grad(partly, jit=False)(1.5) == 3.0


def test_line_says_which_assignment() -> None:
    label = f"u@{line_of(augmented, 'u +=')}"
    found = bs.grad(augmented, wrt=(label, "d"))(X, 0.0)
    assert found[0] == found.d
    first = bs.grad(augmented, wrt=f"u@{line_of(augmented, 'u = s')}")(X, 0.0)
    assert first == found.d


def cell(x, s, d):
    h = np.tanh(x + s) + d
    return h * s


def calls_in_a_loop(x, d):
    s = 0.5
    for i in range(x.size):
        s = s + cell(x[i], s, d[i])
    return s


def test_variable_of_a_function_that_is_called() -> None:
    found = bs.grad(calls_in_a_loop, wrt=("cell.h", "d"))(X, np.zeros(4))
    assert found._fields == ("cell_h", "d")
    checking.assert_close(found.cell_h, found.d)


def neuron(x, w, b):
    u = x * w
    v = u + b
    a = max(v, 0.0)
    return a  # noqa: RET504  as in the notebook


def squared(x, w1, w2, b2):
    l = w1 * x
    y = (l * w2 + b2) ** 2
    return y  # noqa: RET504


def test_neuron_in_one_sweep() -> None:
    value, found = bs.value_and_grad(neuron, wrt=("x", "w", "b", "u", "v"))(3.0, 2.0, 1.0)
    assert value == 7.0
    assert found == (2.0, 3.0, 1.0, 1.0, 1.0)
    assert found.u == 1.0


def test_gradient_of_the_gradient_of_an_intermediate() -> None:
    at = (4.0, 3.0, 2.0, 6.0)
    assert bs.grad(squared, wrt="l")(*at) == 120.0
    assert bs.grad(squared, wrt=("w1", "w2", "b2"))(*at) == (480.0, 720.0, 60.0)
    inner = bs.grad(squared, wrt="l")
    assert bs.grad(inner, wrt=("w1", "w2", "b2"))(*at) == (32.0, 108.0, 4.0)
    assert bs.grad(bs.grad(squared, wrt="w1"), wrt="w1")(*at) == 128.0


def test_pullback_gives_intermediates_each_time() -> None:
    def two(x, d):
        u = x * x + d
        v = np.empty(2)
        for k in range(2):
            w = u[k] * u[k + 1]
            v[k] = w * x[k]
        return v

    d = np.zeros(4)
    _, pullback = bs.vjp(two, X, d, wrt=("u", "w", "d"))
    for v_bar in ([1.0, 2.0], [1.0, 0.0], [1.0, 2.0]):
        found = pullback(np.array(v_bar))
        checking.assert_close(found[0], found[2])
        checking.assert_close(found[1], np.array(v_bar) * X[:2])


def test_adjoint_of_an_array_has_memory_of_its_own() -> None:
    def added(x):
        u = np.cos(x)
        v = np.sin(x)
        s = v[0] * v[1]
        w = v
        return np.sum((w + u) * (w + u)) + s

    checking.assert_gradient(bs.grad(added, wrt=("w", "x"), jit=False)(X).x, added, (X,), 0)

    def written_before(x):
        u = np.zeros(4)
        u[0] = x[0]
        u[0] = u[0] * x[1]
        w = u
        return np.sum(w * w * w)

    found = bs.grad(written_before, wrt="w", jit=False)(X)
    checking.assert_close(found, 3.0 * np.array([X[0] * X[1], 0.0, 0.0, 0.0]) ** 2)


def test_from_compiled_code_and_as_decorator() -> None:
    slope = bs.grad(neuron, wrt="v")

    @numba.njit
    def twice(x):
        return 2.0 * slope(x, 2.0, 1.0)

    assert twice(3.0) == 2.0

    @bs.grad(wrt=("u", "x"))
    def f(x):
        u = x * x
        return u * u

    assert f(3.0) == (18.0, 108.0)


def test_nothing_is_emitted_that_was_not_asked_for() -> None:
    plain = bs.grad(triangular).source(X, np.zeros((4, 3)))
    assert "every" not in plain
    assert "most_trips" not in plain


def test_float32_is_kept() -> None:
    x = X.astype(np.float32)
    single = bs.grad(written_later, wrt="u")(x, np.zeros(4, np.float32))
    assert single.dtype == np.float32
