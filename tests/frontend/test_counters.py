"""Counters: what they count, and their operators, as Python has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs

X = np.array([0.3, 0.8, 1.1])
COUNTS = {0: 2, 5: 1}


def of_dicts(x: Any) -> Any:
    table = {}
    for k in range(3):
        table[k] = k + 1
    count, other = Counter(table), Counter({1: 3, 2: 5})
    count.update(other)
    other.update(COUNTS)
    count.update({4: 1, int(x[2]): 2})
    return sum(n * x[0] ** k for k, n in count.items()) + x[1] * sum(n * x[0] ** k for k, n in other.items())


def less(x: Any) -> Any:
    count = Counter([1, 2, 2, 3])
    count.subtract([2, 2, 2])
    count.subtract(Counter([7]))
    opposite = -count
    count = +count
    return (
        sum(n * x[0] ** k for k, n in count.items())
        + x[1] * sum(n * x[0] ** k for k, n in opposite.items())
        + x[1] * sum(k for k in opposite)
    )


def combined(x: Any) -> Any:
    one, other = Counter([1, 2, 2, 3]), Counter([2, 3, 3, 4])
    other[9] -= 1
    found = sum(n * x[0] ** k for k, n in (one + other).items())
    left = one - other
    found += 2.0 * sum(n * x[0] ** k for k, n in left.items())
    both = one & other
    either = one | other
    return (
        found
        + x[1] * sum(n * x[0] ** k for k, n in both.items())
        + x[2] * sum(n * x[0] ** k for k, n in either.items())
    )


def in_place(x: Any) -> Any:
    count = Counter()
    same = count
    for v in x:
        count += Counter([int(3.0 * v)])
        if v > 0.7:
            count -= Counter([0])
    return sum(n * x[0] ** k for k, n in same.items()) * x[1]


def anew(x: Any) -> Any:
    count = Counter([1, 1, 2])
    before = count
    count = count + count
    count |= Counter([5])
    del count[2], count[77]
    return sum(n * x[0] ** k for k, n in count.items()) + x[1] * sum(n * x[0] ** k for k, n in before.items())


def most(x: Any) -> Any:
    count = Counter(int(3 * v) for v in x)
    count.update([7, 7, 2])
    n = int(3 * x[0])
    found = sum(k * v * x[0] for k, v in count.most_common(2)) + len(count.most_common(n - 1))
    return found * count.most_common(1)[0][0] * x[1] + sum(x[2] ** k for k in count.elements())


@pytest.mark.parametrize("function", [of_dicts, less, combined, in_place, anew, most])
def test_counts_as_python_does(function: Callable[..., Any]) -> None:
    value, gradient = bs.value_and_grad(function, jit=False)(X)
    assert value == pytest.approx(function(X), rel=1e-13)
    step = 1e-6 * np.eye(3)
    wanted = [(function(X + direction) - function(X - direction)) / 2e-6 for direction in step]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-7)
