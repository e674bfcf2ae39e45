"""What a comprehension assigns by `:=` is the function's variable, as Python has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs

X = np.array([0.3, 0.8, 1.1])


def carried_by_loops(x: Any) -> Any:
    total, w = 0.0, 1.0
    for k in range(3):
        halves = [w := w * 0.5 + v * k for v in x]
        total += w * halves[0]
    return total + w


def within_another(x: Any) -> Any:
    rows = [[w := u * v for u in x] for v in x]
    largest = max((far := v * v) for v in x)
    return w * rows[1][2] + largest * far


def at_an_exit(x: Any) -> Any:
    k, w = 0, x[1]
    while (k := k + 1) < 3 and any((w := v * k) > 1.5 for v in x):
        pass
    first = next((found := v) for v in x if v > 0.5)
    return w * k * first * found


def on_one_path(x: Any) -> Any:
    if x[0] > 1.0:
        found = [w := v for v in x]
        u = w
    else:
        found = [w := v * 2 for v in x[:2] if (u := v + 1.0) > 0.0]
    w = w * u
    nothing = [w := v for v in x if v > 5.0]
    return w * sum(found) + len(nothing)


def of_arrays(x: Any) -> Any:
    total = sum((w := x * v) for v in x)

    def inner(y: Any) -> Any:
        found = [w := y * v for v in x]
        return w + found[0]

    return np.sum(w * total) * inner(x[1])


@pytest.mark.parametrize("function", [carried_by_loops, within_another, at_an_exit, on_one_path, of_arrays])
def test_assigned_in_a_comprehension(function: Callable[..., Any]) -> None:
    value, gradient = bs.value_and_grad(function, jit=False)(X)
    assert value == pytest.approx(function(X), rel=1e-13)
    step = 1e-6 * np.eye(3)
    wanted = [(function(X + direction) - function(X - direction)) / 2e-6 for direction in step]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-7)
