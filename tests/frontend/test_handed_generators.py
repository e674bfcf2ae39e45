"""Generators whose items cannot be computed early are refused: an order of writes, or a second round, would be lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import backsweep as bs

X = np.array([0.5, 1.25, 0.75])


def squares(x: Any) -> Iterator[Any]:
    for v in x:
        yield v * v


def endless(x: Any) -> Iterator[Any]:
    while True:
        yield x
        x = x * 0.5


def doubled(x: Any) -> Iterator[Any]:
    for k in range(x.size):
        x[k] *= 2.0
        yield x[k]


def drawn(x: Any) -> Iterator[Any]:
    for v in x:
        yield v * np.random.normal()  # noqa: NPY002


def twice(items: Any) -> Any:
    total = 0.0
    for v in items:
        total += v
    for v in items:
        total += 100.0 * v
    return total


def in_a_loop(items: Any) -> Any:
    total = 0.0
    for _ in range(2):
        for v in items:
            total += v
    return total


def writing(items: Any, y: Any) -> Any:
    total = 0.0
    for v in items:
        total += v
        y[2] = total
    return total


def once(items: Any) -> Any:
    total = 0.0
    for v in items:
        total += v
    return total


def written_after(x: Any) -> Any:
    found = squares(x)
    first = next(found)
    x[1] = 5.0
    return first * next(found)


def written_between(x: Any) -> Any:
    total = 0.0
    for u, v in zip(squares(x), squares(x), strict=False):
        total += u * v
        x[2] += u
    return total


def written_by_a_generator(x: Any) -> Any:
    total = 0.0
    for k, v in zip(range(2), doubled(x), strict=False):
        total += k * v
    return total + np.sum(x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: twice(squares(x)),
        lambda x: in_a_loop(squares(x)),
        lambda x: writing(squares(x), x),
        lambda x: once(doubled(x)) + np.sum(x),
        lambda x: once(drawn(x)) * np.random.normal(),  # noqa: NPY002
        lambda x: once(endless(x[0])),
        written_after,
        written_between,
        written_by_a_generator,
    ],
)
def test_items_that_may_not_be_computed_early(function: Any) -> None:
    with pytest.raises(bs.UnsupportedError, match="it is a generator"):
        bs.grad(function, jit=False)(X)


def first_of_none(x: Any) -> Any:
    return next(v for v in x if v > 100.0)


def test_next_of_nothing_raises() -> None:
    with pytest.raises(StopIteration):
        bs.grad(first_of_none, jit=False)(X)
