"""Unpacking an array or a list of another length raises ValueError, as Python does, and nothing else changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backsweep as bs

PAIRS, TRIPLES = np.arange(6.0).reshape(3, 2), np.arange(9.0).reshape(3, 3)


def parameters(theta: Any) -> Any:
    a, b = theta
    return a * a * b


def nested(t: Any) -> Any:
    (a, b), c = t
    return a * b * c


def rows(points: Any) -> Any:
    s = 0.0
    for x, y in points:
        s += x * x * y
    return s


def numbered(points: Any) -> Any:
    s = 0.0
    for i, (x, y) in enumerate(points):
        s += x * y * i
    return s


def side_by_side(points: Any, factors: Any) -> Any:
    s = 0.0
    for (x, y), f in zip(points, factors, strict=False):
        s += x * y * f
    return s


def row_by_row(points: Any) -> Any:
    s = 0.0
    for i in range(points.shape[0]):
        x, y = points[i]
        s += x * y
    return s


def grown(x: Any, n: Any) -> Any:
    items = [x * x]
    for i in range(n):
        items.append(x * i)
    a, b = items
    return a * b


def stored_first(x: Any, theta: Any) -> Any:
    x[0] = 2.0 * x[1]
    a, b = theta
    return a * x[0] + b * x[1]


CASES = (
    (parameters, (PAIRS[0],), (np.ones(1),)),
    (parameters, (PAIRS[0],), (np.ones(3),)),
    (parameters, (PAIRS[0],), (np.ones(0),)),
    (nested, ((PAIRS[1], 2.0),), ((np.ones(3), 2.0),)),
    (rows, (PAIRS,), (TRIPLES,)),
    (rows, (np.ones((0, 3)),), (np.ones((1, 1)),)),
    (numbered, (PAIRS,), (TRIPLES,)),
    (side_by_side, (PAIRS, np.ones(3)), (TRIPLES, np.ones(1))),
    (side_by_side, (TRIPLES, np.ones(0)), (TRIPLES, np.ones(3))),
    (row_by_row, (PAIRS,), (TRIPLES,)),
    (grown, (0.7, 1), (0.7, 2)),
    (grown, (0.7, 1), (0.7, 0)),
    (stored_first, (np.ones(2), PAIRS[1]), (np.ones(2), np.ones(3))),
)


@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize(
    ("function", "fitting", "others"), CASES, ids=lambda each: getattr(each, "__name__", "")
)
def test_another_length_raises(function: Any, fitting: Any, others: Any, jit: bool) -> None:
    gradient = bs.value_and_grad(function, jit=jit)
    value, _ = gradient(*map(np.copy, fitting) if function is stored_first else fitting)
    assert value == pytest.approx(function(*map(np.copy, fitting) if function is stored_first else fitting))
    with pytest.raises(ValueError, match=r"unpack"):
        function(*others)
    with pytest.raises(ValueError, match=r"2 values are expected to unpack"):
        gradient(*others)
    if function is not nested and function is not grown:
        with pytest.raises(ValueError, match=r"2 values are expected to unpack"):
            bs.grad(function, jit=jit)(*others)


def test_rows_of_a_matrix_are_checked_once() -> None:
    text = bs.grad(rows).source(PAIRS)
    assert "    if n > 0 and points.shape[1] != 2:\n        raise ValueError(" in text


def test_tuple_of_another_length_is_refused() -> None:
    with pytest.raises(bs.UnsupportedError, match="3 values are unpacked to 2 variables"):
        bs.grad(parameters)((1.0, 2.0, 3.0))
