"""Arrays around a function whose classes compute in their own way: refused where they are computed with."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import backsweep as bs


class Tenfold(np.ndarray[Any, Any]):
    def __mul__(self, other: Any) -> Any:
        return 10.0 * np.asarray(self) * np.asarray(other)


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # NumPy advises against the class
    matrix = np.asmatrix([[1.0, 2.0], [3.0, 4.0]])
masked = np.ma.array([1.0, 2.0], mask=[True, False])
tenfold = np.array([1.0, 2.0]).view(Tenfold)
holder = SimpleNamespace(matrix=matrix)
listed = (matrix, 2.0)
X = np.array([1.0, 2.0])

REFUSED: dict[str, Callable[[Any], Any]] = {
    "matrix": lambda x: np.sum(matrix * np.outer(x, x)),
    "row": lambda x: np.sum(matrix[0] * x),
    "method": lambda x: matrix.sum() * x[0],
    "masked": lambda x: np.sum(masked * x),
    "subclass": lambda x: np.sum(tenfold * x),
    "attribute": lambda x: np.sum(np.outer(x, x) @ holder.matrix),
    "item": lambda x: np.sum(listed[0] * np.outer(x, x)),
}
PLAIN: dict[str, Callable[[Any], Any]] = {
    "made plain": lambda x: np.sum(np.asarray(matrix) * np.outer(x, x)),
    "extents": lambda x: x[0] * matrix.shape[0] * len(matrix),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_refused(name: str) -> None:
    with pytest.raises(bs.UnsupportedError, match=r"np\.asarray|filled"):
        bs.grad(REFUSED[name], jit=False)(X)


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_plain(name: str) -> None:
    value, _ = bs.value_and_grad(PLAIN[name], jit=False)(X)
    assert value == pytest.approx(PLAIN[name](X))
