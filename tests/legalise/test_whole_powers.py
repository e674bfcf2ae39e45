"""Powers of whole numbers: a negative exponent that is computed raises in compiled code, which would compute 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs

MINUS_TWO = -2

RIGHT: dict[str, tuple[Callable[[float, int], Any], int]] = {
    "positive": (lambda x, n: x * 2**n, 3),
    "of minus one": (lambda x, n: x * (-1) ** n, -3),
    "of floats": (lambda x, n: x**n + 2.0**n * x + float(n) ** n * x, -2),
    "guarded": (lambda x, n: x * (2**n if n >= 0 else 0.5**-n), -2),
    "literal": (lambda x, n: x * n**-1, 3),
    "constant": (lambda x, n: x * n**MINUS_TWO, 3),
    "of positions": (lambda x, n: sum([x * 2**k * 3 ** (n - k) for k in range(n)]), 4),
}
RAISES: dict[str, Callable[[float, int], Any]] = {
    "of a literal": lambda x, n: x * 2**n,
    "of an argument": lambda x, n: x * n ** (n + 1),
    "of an array": lambda x, n: x * np.sum(np.array([1, 2]) ** n),
    "by NumPy": lambda x, n: x * np.power(2, n),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str) -> None:
    function, n = RIGHT[name]
    value, _ = bs.value_and_grad(function, jit=False)(2.0, n)
    assert value == pytest.approx(function(2.0, n))


@pytest.mark.parametrize("name", RAISES)
def test_raises(name: str) -> None:
    with pytest.raises(ValueError, match=r"float\(n\) \*\* k|Integers to negative integer powers"):
        bs.grad(RAISES[name])(2.0, -2)
