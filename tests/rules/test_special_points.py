"""At points where rules take special values, a derivative is right or nan, never a wrong number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.support import special_points


@pytest.mark.parametrize(
    ("function", "point", "expected"),
    special_points.SQUARES_OF_ROOTS,
    ids=[function.__name__ for function, *_ in special_points.SQUARES_OF_ROOTS],
)
def test_squares_of_roots(function: Callable[..., Any], point: Any, expected: Any) -> None:
    hessian = bs.hessian(function, jit=False)(point)
    np.testing.assert_allclose(hessian, expected, atol=1e-14)


def test_a_negative_number_has_no_root_to_square() -> None:
    def squared(x):
        return np.sum(np.sqrt(x) ** 2)

    value, gradient = bs.value_and_grad(squared, jit=False)(np.array([-1.0, 2.0]))
    assert np.isnan(value)
    assert gradient[1] == 1.0
