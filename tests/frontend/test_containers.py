"""Sets, heaps, typed lists and dicts, ranges and slices that are asked for their parts, `operator.setitem`."""

from __future__ import annotations

import heapq
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import float64, int64
from numba.typed import Dict, List

import backsweep as bs

X = np.array([0.7, 1.3, 2.4, 3.1])


def sets(x: Any) -> Any:
    seen, total = set(), 0.0
    kept = {3, 1}
    for i in range(9):
        k = (i * i) % 4
        if k in seen and k not in kept:
            continue
        seen.add(k)
        kept.discard(i)
        total += x[k] * x[i % 4] * len(kept)
    return total * len(seen) * (2.0 if len(kept) in {0, 2} else 1.0)


def sets_of_the_function_around(x: Any) -> Any:
    seen = {7}

    def turn(k: int) -> int:
        if k in seen:
            seen.remove(k)
        else:
            seen.add(k)
        return len(seen)

    total = sum(x[k] ** turn(k) for k in (1, 3, 1, 2))
    seen |= {int(2.0 * v) for v in x}
    holds = lambda k: k in seen  # noqa: E731
    return total * sum(seen) if holds(4) and not holds(5) else x[0]


def heaps(x: Any) -> Any:
    heap = [x[2] * x[0], x[1], x[0], x[3]]
    heapq.heapify(heap)
    heapq.heappush(heap, x[0] * x[0])
    first = heapq.heappop(heap) * heapq.heappushpop(heap, x[1] * x[0]) + 2.0 * heapq.heapreplace(
        heap, 9.0 * x[0]
    )
    paths = [(0.5, 0)]
    for i in range(x.size):
        heapq.heappush(paths, (x[i], i))
    while len(paths) > 0:
        cost, place = heapq.heappop(paths)
        first += cost * (place + 1) * len(paths)
    return first * heap[0] + heap[2]


def typed(x: Any) -> Any:
    found = List([x[0], x[1]])
    found.append(x[2])
    more = List.empty_list(float64)
    more.append(x[3])
    table = Dict()
    table["a"] = found[0] * more[0]
    table["a"] += found[2]
    return table["a"] * len(found) * found[1]


def parts(x: Any) -> Any:
    numbers, part = range(1, x.size, 2), slice(1, 3)
    total = x[numbers.start] * x[numbers.stop - 1] * numbers.step * x[part.start] + x[part].sum()
    for i in range(x.size):
        if i in numbers or i in range(3, 1, -1):
            total += x[i] ** 2
    return total * (2 in range(0, 5, 2))


def stored(x: Any) -> Any:
    y, items = x.copy(), [x[0], x[1] * x[1], x[2]]
    operator.setitem(y, 0, x[1] * x[2])
    operator.delitem(items, 0)
    return y[0] * y[1] * items[0]


@pytest.mark.parametrize("function", [sets, sets_of_the_function_around, heaps, parts, stored])
def test_right(function: Callable[..., Any]) -> None:
    compare(function, jit=False)


def test_typed_containers() -> None:  # run as Python, they would be compiled
    value, gradient = bs.value_and_grad(typed, jit=False)(X)
    a, b, c, d = X
    assert value == pytest.approx(3.0 * b * (a * d + c), rel=1e-13)
    np.testing.assert_allclose(gradient, [3.0 * b * d, 3.0 * (a * d + c), 3.0 * b, 3.0 * a * b], rtol=1e-13)


@pytest.mark.compiles
def test_right_compiled() -> None:
    compare(sets, jit=True)


def compare(function: Callable[..., Any], jit: bool) -> None:
    value, gradient = bs.value_and_grad(function, jit=jit)(X)
    assert value == pytest.approx(function(X), rel=1e-13)
    step = 1e-6 * np.eye(4)
    wanted = [(function(X + direction) - function(X - direction)) / 2e-6 for direction in step]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-7)


def looped_over(x: Any) -> Any:
    total = 0.0
    kept = {3, 1}
    for k in kept:
        total += x[k]
    return total


def made_for_integers(x: Any) -> Any:
    found = List.empty_list(int64)
    found.append(x[0])
    return found[0] * x[1]


@pytest.mark.parametrize("function", [looped_over, made_for_integers])
def test_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(bs.UnsupportedError):
        bs.grad(function, jit=False)(X)


def missing_at_first(x: Any) -> Any:
    items = None
    for i in range(3):
        if items is None:
            items = [x[i]]
        else:
            items.append(x[i])
    return items[0] * items[2]


def empty_at_first(x: Any) -> Any:
    items: list[Any] = []
    for i in range(3):
        if len(items) == 0:
            items = [x[i]]
        else:
            items.append(x[i])
    return items[0] * items[2]


def test_a_list_that_is_none_at_first_is_refused_in_words() -> None:
    with pytest.raises(bs.UnsupportedError, match="no list on every path"):
        bs.grad(missing_at_first, jit=False)(X)
    compare(empty_at_first, jit=False)


def test_an_empty_heap_raises() -> None:
    def popped(x: Any) -> Any:
        heap = [x[0]]
        for _ in range(2):
            heapq.heappop(heap)
        return x[0]

    for called in (popped, bs.grad(popped, jit=False)):
        with pytest.raises(IndexError):
            called(X)
