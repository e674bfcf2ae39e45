"""What is written out in place of functions of Python's library gives what they give."""

from __future__ import annotations

import inspect
import itertools
import math
import operator
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from backsweep.prelude import meaning_of
from backsweep.runtime.plain.orders import in_order, itself, put_in_order_of_keys

NUMBERS = [0.5, 0.25, 2.0, 0.25, 1.5]
CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (itertools.pairwise, (NUMBERS,), {}),
    (itertools.pairwise, ([1.0],), {}),
    (itertools.accumulate, (NUMBERS,), {}),
    (itertools.accumulate, ([],), {}),
    (itertools.accumulate, (NUMBERS, operator.mul), {}),
    (itertools.accumulate, (NUMBERS, max), {"initial": 1.0}),
    (itertools.islice, (NUMBERS, 2), {}),
    (itertools.islice, (NUMBERS, None), {}),
    (itertools.islice, (NUMBERS, 1, 9, 2), {}),
    (itertools.islice, (NUMBERS, 7, None), {}),
    (itertools.chain, (NUMBERS, [], [1.0]), {}),
    (itertools.chain.from_iterable, ([NUMBERS, [], [1.0]],), {}),
    (itertools.takewhile, (lambda v: v < 1.0, NUMBERS), {}),
    (itertools.dropwhile, (lambda v: v < 1.0, NUMBERS), {}),
    (itertools.filterfalse, (lambda v: v < 1.0, NUMBERS), {}),
    (math.fsum, ([1e16, 1.0, -1e16, 1e-3],), {}),
    (math.fsum, ([0.1] * 10,), {}),
    (math.fsum, ([],), {}),
    (math.fsum, ([math.inf, 1.0],), {}),
    (math.dist, (NUMBERS, NUMBERS[::-1]), {}),
    (math.isclose, (1.0, 1.0 + 1e-10), {}),
    (math.isclose, (1.0, 1.1), {"abs_tol": 0.2}),
    (math.isclose, (math.inf, math.inf), {}),
    (math.isclose, (math.inf, 1.0), {}),
    (statistics.mean, (NUMBERS,), {}),
    (statistics.fmean, (NUMBERS,), {}),
    (statistics.fmean, (NUMBERS, [1, 2, 3, 4, 5]), {}),
    (statistics.variance, (NUMBERS,), {}),
    (statistics.variance, (NUMBERS, 0.5), {}),
    (statistics.pvariance, (NUMBERS,), {}),
    (statistics.stdev, (NUMBERS,), {}),
    (statistics.pstdev, (NUMBERS, 1.0), {}),
    (statistics.geometric_mean, (NUMBERS,), {}),
]


@pytest.mark.parametrize(("function", "args", "keywords"), CALLS)
def test_as_in_python(function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    expected = function(*args, **keywords)
    found = meaning_of(function)(*args, **keywords)
    if inspect.isgenerator(expected) or hasattr(expected, "__next__"):
        expected = list(expected)
    if isinstance(expected, list):
        assert found == expected
    else:
        assert found == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("function", "args", "error"),
    [
        (itertools.islice, (NUMBERS, -1), ValueError),
        (math.dist, (NUMBERS, [1.0]), ValueError),
        (statistics.mean, ([],), statistics.StatisticsError),
        (statistics.variance, ([1.0],), statistics.StatisticsError),
        (statistics.geometric_mean, ([-1.0],), statistics.StatisticsError),
    ],
)
def test_raises_as_python(
    function: Callable[..., Any], args: tuple[Any, ...], error: type[Exception]
) -> None:
    with pytest.raises(error):
        function(*args)
    with pytest.raises(error):
        meaning_of(function)(*args)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 16, 33])
@pytest.mark.parametrize("backwards", [False, True])
def test_sorting_is_stable(count: int, backwards: bool) -> None:
    numbers = np.random.default_rng(count).integers(0, 5, count)
    pairs = [(int(number), place) for place, number in enumerate(numbers)]
    expected = sorted(pairs, key=operator.itemgetter(0), reverse=backwards)
    assert in_order(pairs, operator.itemgetter(0), backwards) == expected
    assert in_order(pairs, itself, backwards) == sorted(pairs, reverse=backwards)
    put_in_order_of_keys(pairs, operator.itemgetter(0), backwards)
    assert pairs == expected
