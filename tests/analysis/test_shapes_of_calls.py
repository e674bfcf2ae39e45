"""Shapes of what library functions return follow from those of their arguments: loops over them have known bounds."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.support.sampled import turning

Q = np.array([1.3, 0.2])


def made(q: Any) -> Any:
    """A vector of five, a square matrix and one of four by five, from two numbers."""
    v = np.arange(5.0) * q[0] + q[1]
    return v, np.eye(4) * q[0], np.ones((4, 5)) * q[0] + v


def rolled(q: Any) -> Any:
    _, square, _ = made(q)
    return np.sum(np.roll(square, 1, axis=1) * square)


def summed_up(q: Any) -> Any:
    v, _, m = made(q)
    return np.sum(np.cumsum(m, axis=1) * m) + np.sum(np.cumsum(v) * v)


def multiplied_up(q: Any) -> Any:
    _, _, m = made(q)
    return np.sum(np.cumprod(m, axis=0) * m)


def turned_round(q: Any) -> Any:
    _, _, m = made(q)
    return np.sum(np.fliplr(m) * np.flipud(m) * np.flip(m, axis=0))


def sorted_rows(q: Any) -> Any:
    _, _, m = made(q)
    return np.sum(np.sort(m, axis=0) * m)


def differences(q: Any) -> Any:
    v, _, _ = made(q)
    return np.sum(np.diff(v) ** 2 * v[1:])


def positions(q: Any) -> Any:
    v, _, _ = made(q)
    return np.sum(np.argsort(v) * v + np.searchsorted(np.arange(2, 9), v) * v)


def every_second(q: Any) -> Any:
    v, _, m = made(q)
    return np.sum(v[::2] * v[2:5] + m[:3, 4:1:-1] @ np.ones(3))


def in_a_row(q: Any) -> Any:
    _, _, m = made(q)
    return np.sum(m.ravel() * np.arange(0, 40, 2))


def spread(q: Any) -> Any:
    return np.sum(np.linspace(q[0], q[1], 7) * np.arange(0.0, 0.7, 0.1))


CALLS = (
    rolled,
    summed_up,
    multiplied_up,
    turned_round,
    sorted_rows,
    differences,
    positions,
    every_second,
    in_a_row,
    spread,
)


@pytest.mark.parametrize("function", turning(2, CALLS), ids=lambda each: each.__name__)
def test_bounds_are_numbers(function: Any) -> None:
    value, gradient = bs.value_and_grad(function, jit=False)(Q)
    text = bs.grad(function, jit=False).source(Q)
    assert not re.search(r"aligned|stretched|joint_shape|sum_to", text)
    bounds = re.findall(r"range\((.*)\):", text)
    assert not [each for each in bounds if re.search(r"[a-z_]\w", each)], text
    assert value == pytest.approx(function(Q), rel=1e-12)
    step = 1e-6
    for k, entry in enumerate(gradient):
        more, less = (function(Q + sign * step * np.eye(2)[k]) for sign in (1.0, -1.0))
        assert entry == pytest.approx((more - less) / (2.0 * step), rel=1e-6, abs=1e-6)
