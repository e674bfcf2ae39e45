"""Which loops of the reverse sweep are run forwards."""

from __future__ import annotations

import numpy as np
import pytest

import backsweep as bs
from tests.zoo.aliases import even_and_odd, one_row_twice, two_rows


def total(x, w):
    s = 0.0
    for i in range(x.size):
        s += np.sin(w * x[i])
    return s


def recurrence(x, w):
    y = x.copy()
    for i in range(1, y.size):
        y[i] = y[i] + w * y[i - 1]
    return y[-1]


def rows(x, w):
    y = np.zeros(x.size)
    for i in range(x.size):
        y[i] = w * x[i] * x[i]
    return np.sum(y * y)


def carried(x, w):
    s = 1.0
    for i in range(x.size):
        s = s * w + x[i]
    return s


def reverse_sweep(function) -> str:
    source = bs.value_and_grad(function, argnums=(0, 1)).source(np.ones(5), 0.3)
    return source[source.index("# reverse sweep") :]


@pytest.mark.parametrize("function", [total, rows])
def test_loops_that_commute_run_forwards(function) -> None:
    assert ", -1)" not in reverse_sweep(function)


@pytest.mark.parametrize("function", [recurrence, carried])
def test_loops_that_depend_on_their_order_run_backwards(function) -> None:
    assert ", -1)" in reverse_sweep(function)


def inner_loops(function) -> list[str]:
    return [line for line in reverse_sweep(function).splitlines() if line.startswith("        for i")]


def test_iterations_that_touch_different_elements_of_several_views_run_forwards() -> None:
    assert not any("-1)" in line for line in inner_loops(two_rows))
    assert ", -1)" not in reverse_sweep(even_and_odd)


def test_iterations_that_touch_one_element_through_two_views_run_backwards() -> None:
    assert any(", -1)" in line for line in inner_loops(one_row_twice))
