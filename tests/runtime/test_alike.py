"""Arrays like others, and full of others: values are NumPy's, and derivatives are right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.test_library_calls import assert_derivatives

V = np.array([0.4, 1.3, -0.7])
FORMS: dict[str, Callable[[Any], Any]] = {
    "zeros, of a list": lambda v: np.zeros_like([1.0, 2.0, 3.0]) + v,
    "ones, of a list": lambda v: np.ones_like([v[0], v[1], 2.0]) * v,
    "ones, shape": lambda v: np.ones_like(v, shape=(2, 3)) * v,
    "ones, shape and dtype": lambda v: np.ones_like(v, dtype=float, shape=(3,)) * v,
    "zeros, length": lambda v: np.zeros_like(v, shape=3) + v,
    "empty, shape": lambda v: np.empty_like(v, shape=(2, 3)).size * v,
    "full, of a list": lambda v: np.full_like([1.0, 2.0], v[0]),
    "full, of whole numbers": lambda v: np.full_like([1, 2], 2.7) * v[0],
    "full, shape": lambda v: np.full_like(v, v[0], shape=(2, 2)),
    "full of an array": lambda v: np.full_like(np.ones((2, 3)), v),
    "full of an array, itself": lambda v: np.full_like(v, v),
    "full of an array, shape": lambda v: np.full((2, 3), v),
    "full of an array, dtype": lambda v: np.full(3, v, dtype=np.float64),
}


@pytest.mark.parametrize("name", FORMS)
def test_derivatives(name: str) -> None:
    assert_derivatives(FORMS[name], (V,), jit=False)
