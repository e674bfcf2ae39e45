"""What is at hand is neither read nor computed again: elements of arrays, dear functions that the primal computes."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import backsweep as bs


def gates(x, w):
    h = x.copy()
    for i in range(h.size):
        first = math.exp(w * h[i])
        second = math.exp(first * h[i])
        h[i] = first + second
    return h[0]


def stored(x, w):
    y = x.copy()
    total = 0.0
    for i in range(1, x.size):
        y[i] = math.exp(w * y[i] * y[i - 1])
        total += math.sin(y[i])
    return total


def between(x, w):
    y = x.copy()
    z = y[:]
    total = y[1] * w
    z[1] = y[1] * y[1]
    return total + y[1] * y[1]


def rotated(x, w):
    if x > 0.0:
        s, c = math.sin(x * w), math.cos(x * w)
    else:
        s, c = x, w
    return s * c + s * w


def sweeps(function, x) -> tuple[str, str]:
    """The forward and the reverse sweep, without comments, before loops are taken apart."""
    source = bs.value_and_grad(function, argnums=(0, 1)).source(x, 0.3, optimize="readable")
    forward, reverse = source.split("# reverse sweep")
    return forward, re.sub(r"#.*", "", reverse)


def test_an_element_is_read_and_recorded_once() -> None:
    forward, _ = sweeps(gates, np.ones(3))
    assert "= h[i]" not in forward  # x[i] is what it was copied from, and need not be recorded
    assert forward.count("np.empty") == 2  # two exponentials


def test_what_was_stored_is_not_read_back() -> None:
    forward, _ = sweeps(stored, np.ones(3))
    assert "math.sin(y[i])" not in forward


def test_a_write_through_another_name_is_seen() -> None:
    x = np.array([0.3, 0.7, 0.2])
    value, (x_bar, w_bar) = bs.value_and_grad(between, argnums=(0, 1))(x, 0.3)
    assert value == pytest.approx(0.7 * 0.3 + 0.7**4)
    assert x_bar == pytest.approx([0.0, 0.3 + 4.0 * 0.7**3, 0.0])
    assert w_bar == pytest.approx(0.7)


def test_a_store_that_rounds_is_read_back() -> None:
    def rounding(x, w):
        y = x.copy()
        y[0] = math.exp(w)
        return y[0] * w

    x = np.ones(2, np.float32)
    value = bs.value_and_grad(rounding, argnums=1)(x, 0.3)[0]
    assert value == float(np.float32(math.exp(0.3))) * 0.3


def test_sine_and_cosine_are_computed_once() -> None:
    forward, reverse = sweeps(rotated, 0.7)
    assert forward.count("math.") == 2
    assert "math." not in reverse
