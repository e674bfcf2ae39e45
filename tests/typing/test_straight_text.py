"""Functions without a text: those without branches get one, and overloads that `exec` makes are differentiated by it."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest
from numba.extending import overload

import backsweep as bs
from backsweep.typing.straight_text import with_text


def made(text: str, **names: Any) -> Any:
    """A function that `exec` makes of a text which is lost."""
    namespace = {"np": np, "math": math, **names}
    exec(text, namespace)
    return namespace["made"]


@pytest.mark.parametrize(
    "body",
    [
        "return -x * (y + 2.0) / 3 ** x - y % 2.0",
        "a = np.empty(2)\n    a[0] = x\n    a[1] = y\n    return a[1:].sum() + a[-1] * math.exp(x)",
        "return np.sum(np.ones(3), axis=0) + (x, y)[1] + abs(x)",
        "z = x\n    x = y\n    return x - z",
        "return (x < y) is not None",
        "n = -3\n    return n ** 2 + x * -1.0",
    ],
)
def test_same(body: str) -> None:
    lost = made(f"def made(x, y=0.25):\n    {body}\n")
    found = with_text(lost)
    assert found is not None
    assert found(0.7, 1.5) == lost(0.7, 1.5)
    assert found(0.7) == lost(0.7)


@pytest.mark.parametrize(
    "body",
    [
        "return x if x > 0.0 else y",
        "x += y\n    return x",
        "return [x, y][0]",
        "for _ in range(2):\n        x = x * y\n    return x",
        "return max(*(x, y))",
        "return x + 1e999",
    ],
)
def test_none(body: str) -> None:
    """There is no text for what branches, changes an operand in place, or has parts of other kinds."""
    assert with_text(made(f"def made(x, y=0.25):\n    {body}\n")) is None


@numba.njit
def rows(a):
    return np.exp(a) * 2.0


def of_numbers_or_arrays(x):
    return np.exp(np.asarray(x)) * 2.0


@overload(of_numbers_or_arrays)
def _chosen(x):
    if isinstance(x, numba.types.Array):
        return made("def made(x):\n    return rows(x)\n", rows=rows)
    text = "def made(x):\n    a = np.empty(1)\n    a[0] = x\n    return rows(a)[0]\n"
    return made(text, rows=rows)


@numba.njit
def user(x, a):
    return of_numbers_or_arrays(x) * np.sum(of_numbers_or_arrays(a))


def test_overloads() -> None:
    a = np.array([0.1, 0.4])
    value, (x_bar, a_bar) = bs.value_and_grad(user, argnums=(0, 1), jit=False)(0.3, a)
    assert value == pytest.approx(user(0.3, a))
    assert x_bar == pytest.approx(value)
    np.testing.assert_allclose(a_bar, 4.0 * np.exp(0.3 + a))
