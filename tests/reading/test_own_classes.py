"""Objects whose classes compute in their own way, though a library or Python has the class that they derive from: refused where they are computed with."""

from __future__ import annotations

import collections
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import backsweep as bs


class Tenfold(np.ndarray[Any, Any]):
    def __mul__(self, other: Any) -> Any:
        return 10.0 * np.asarray(self) * np.asarray(other)


class Degrees(float):
    def __mul__(self, other: Any) -> Any:
        return float(self) * 10.0 * other


class Reversed(list[float]):
    def __getitem__(self, k: Any) -> Any:
        return list.__getitem__(self, -1 - k)


class Pair(NamedTuple):
    x: float
    y: float

    def __add__(self, other: Any) -> Any:
        return Pair(self.x + other[0], self.y + other[1])


class Sevens(dict[str, float]):
    def __getitem__(self, key: str) -> float:
        return 7.0

    def __len__(self) -> int:
        return 7


class Named(dict[str, float]):
    def __getattr__(self, name: str) -> float:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]


class Exact(float):
    pass


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # NumPy advises against the class
    matrix = np.asmatrix([[1.0, 2.0], [3.0, 4.0]])
masked = np.ma.array([1.0, 2.0], mask=[True, False])
tenfold = np.array([1.0, 2.0]).view(Tenfold)
holder = SimpleNamespace(matrix=matrix)
listed = (matrix, 2.0)
degrees, backwards, pair, sevens, named, exact = (
    Degrees(2.0),
    Reversed([1.0, 2.0]),
    Pair(1.0, 2.0),
    Sevens(a=1.0),
    Named(a=2.0),
    Exact(2.0),
)
counted = collections.OrderedDict(a=1.0, b=2.0)
X = np.array([1.0, 2.0])

REFUSED: dict[str, Callable[[Any], Any]] = {
    "matrix": lambda x: np.sum(matrix * np.outer(x, x)),
    "row": lambda x: np.sum(matrix[0] * x),
    "method": lambda x: matrix.sum() * x[0],
    "masked": lambda x: np.sum(masked * x),
    "subclass": lambda x: np.sum(tenfold * x),
    "attribute": lambda x: np.sum(np.outer(x, x) @ holder.matrix),
    "number": lambda x: degrees * x[0],
    "list": lambda x: backwards[0] * x[0],
    "sum of pairs": lambda x: len(pair + pair) * x[0],  # type: ignore[operator]
    "length of a dict": lambda x: len(sevens) * x[0],
    "item": lambda x: np.sum(listed[0] * np.outer(x, x)),
}
PLAIN: dict[str, Callable[[Any], Any]] = {
    "made plain": lambda x: np.sum(np.asarray(matrix) * np.outer(x, x)),
    "fields of a pair": lambda x: pair.x * x[0] + pair[1],
    "names of a dict": lambda x: named.a * x[0] + len(named),
    "dict of the library": lambda x: sum([v * x[0] for v in counted.values()]) + len(counted),
    "number without methods": lambda x: exact * x[0] + 2.0 * exact,
    "extents": lambda x: x[0] * matrix.shape[0] * len(matrix),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_refused(name: str) -> None:
    with pytest.raises(bs.UnsupportedError, match=r"np\.asarray|filled|plain one"):
        bs.grad(REFUSED[name], jit=False)(X)


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_plain(name: str) -> None:
    value, _ = bs.value_and_grad(PLAIN[name], jit=False)(X)
    assert value == pytest.approx(PLAIN[name](X))


@pytest.mark.parametrize("argument", [degrees, backwards, sevens])
def test_refused_arguments(argument: Any) -> None:
    with pytest.raises(bs.ArgumentError, match=r"which derives from \w+"):
        bs.grad(lambda x, w: x * w[0], jit=False)(1.0, argument)


class Attributes(dict[str, float]):
    __getattr__ = dict.__getitem__


attributes = Attributes(a=2.0)


def test_attributes_that_a_class_makes_up_raise_what_they_like() -> None:
    assert bs.value_and_grad(lambda x: attributes.a * x + attributes["a"], jit=False)(2.0) == (6.0, 2.0)


def test_a_function_whose_name_is_no_name() -> None:
    def square(x: float) -> float:
        return x * x

    square.__name__ = "its square"
    assert bs.grad(square, jit=False)(2.0) == 4.0
