"""Checks of extents that programs write themselves: they raise as in Python, also those of which an earlier part is proved by a later one."""

from __future__ import annotations

import numpy as np
import pytest

import backsweep as bs

X = np.ones((4, 3))
SHAPES = ((4, 3), (4, 2), (4, 5), (5, 3), (1, 3), (4, 1), (3, 3))


def _either(x, y):
    if x.shape[0] != y.shape[0] or x.shape[1] != y.shape[1]:
        raise ValueError("other extents")
    return np.sum(x * x * y)


def _shapes(x, y):
    if x.shape != y.shape:
        raise ValueError("other extents")
    return np.sum(x * x * y)


def _negated(x, y):
    if not (x.shape == y.shape):
        raise ValueError("other extents")
    return np.sum(x * x * y)


def _asserted(x, y):
    assert x.shape == y.shape
    return _summed(x, y)


def _behind(x, y):
    s = np.sum(x * 2.0)
    if x.shape[0] != y.shape[0] or x.shape[1] != y.shape[1]:
        raise ValueError("other extents")
    return np.sum(x * x * y) + s


def _one_more(x, y):
    if x.shape[0] != y.shape[0] or x.shape[1] != y.shape[1] + 1:
        raise ValueError("other extents")
    return _summed(x, y)


def _at_least(x, y):
    if x.shape[0] < y.shape[0] or x.shape[1] < y.shape[1]:
        raise ValueError("other extents")
    return _summed(x, y)


def _unless_empty(x, y):
    n, m = x.shape
    p, q = y.shape
    if n != p or (m != q and m > 0):
        raise ValueError("other extents")
    return _summed(x, y)


def _known(x, y):
    if x.shape == (y.shape[0], 3) and y.shape == (4, 3):
        return np.sum(x * x * y)
    return np.sum(x)


def _summed(x, y):
    s = 0.0
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            s += x[i, j] ** 2 * y[i, j]
    return s


@pytest.mark.parametrize(
    "function",
    [_either, _shapes, _negated, _asserted, _behind, _one_more, _at_least, _unless_empty, _known],
)
def test_raises_as_in_python(function):
    gradient = bs.value_and_grad(function, jit=False)
    for shape in (*SHAPES, *reversed(SHAPES)):
        y = np.ones(shape)
        try:
            expected = function(X, y)
        except (ValueError, AssertionError) as error:
            with pytest.raises(type(error)):
                gradient(X, y)
        else:
            assert gradient(X, y)[0] == pytest.approx(expected)


def _around(x, n):
    s = 0.0
    for i in range(n):
        s += x[(i + 1) % x.size] * x[i % n] ** 2
    return s


def _ring(x):
    s = 0.0
    for i in range(len(x)):
        s += x[(i + 1) % len(x)] * x[i - 1]
    return s


def _remainders(x, n):
    return x[5 % n] * x[n % x.size]


def test_remainders_are_in_bounds():
    """What is left of a division is below the divisor, and zero has raised before."""
    x = np.array([1.0, 2.0, 3.0])
    gradient = bs.grad(_around, jit=False)
    np.testing.assert_allclose(gradient(x, 3), [2 * 1 * 2 + 9, 2 * 2 * 3 + 1, 2 * 3 * 1 + 4])
    assert "out of bounds" not in bs.grad(_ring, jit=False).source(x)
    with pytest.raises(IndexError):
        gradient(x, 4)
    signed = bs.grad(_remainders, jit=False)
    np.testing.assert_allclose(signed(x, -4), [3.0, 0.0, 1.0])  # 5 % -4 is -3
    for n in (-9, 7):
        with pytest.raises(IndexError):
            signed(x, n)
    with pytest.raises(ZeroDivisionError):
        signed(x, 0)
