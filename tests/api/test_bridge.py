"""What functions in other libraries share: the structure of their arguments, and what they are pickled by."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest

import backsweep as bs
from backsweep.bridge import Bridged, leaves_of, mapped, named, text_of
from tests.api import pickled_functions


class Pair(NamedTuple):
    """Two numbers."""

    a: Any
    b: Any


@dataclasses.dataclass
class Rates:
    """Numbers, and one that the class makes."""

    up: Any
    down: Any
    both: Any = dataclasses.field(init=False, default=None)


class Called(Bridged):
    """The function of a library that has NumPy's arrays."""

    library, items = "NumPy", "numbers and arrays"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, structure = named(args, kwargs)
        return self.code(structure, ["1.0" for _ in leaves], None)(*leaves)


def test_structures() -> None:
    given = ((1.0, (2.0, [3.0]), Pair(4.0, Rates(5.0, 6.0))), {"k": {"a": 7.0, "b": None}})
    leaves, (args, kwargs) = named(*given)
    assert leaves == leaves_of(given) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    classes: dict[str, type] = {}
    assert text_of(args, classes) == "(a0, (a1, (a2, ), ), _C1(a=a3, b=_C0(up=a4, down=a5)), )"
    assert text_of(kwargs, classes) == "{'k': {'a': a6, 'b': None}}"
    assert classes == {"_C0": Rates, "_C1": Pair}
    assert mapped(str, Pair(1, [Rates(2, 3)])) == Pair("1", [Rates("2", "3")])
    with pytest.raises(bs.ArgumentError, match="a part of type set"):
        text_of({1.0}, classes)


def test_classes_of_arguments() -> None:
    def energy(pair, rates):
        return pair.a * rates.up + pair.b * rates.down

    call = Called(energy, None, {"jit": False})
    assert call(Pair(1.0, 2.0), rates=Rates(3.0, 4.0)) == 11.0


def test_it_travels_as_the_function_does() -> None:
    factor = 3.0

    def scaled(x):
        """Three times."""
        return factor * x

    call = Called(scaled, None, {"jit": False})
    for each in (pickle.loads(pickle.dumps(call)), copy.deepcopy(call)):
        assert each(2.0) == 6.0
        assert (each.__name__, each.__doc__, repr(each)) == ("scaled", "Three times.", "<scaled in NumPy>")
        assert str(inspect.signature(each)) == "(x)"
    assert copy.deepcopy(call) is call
    other = pickle.loads(pickle.dumps(Called(pickled_functions.cubes, None, {})))
    assert other.function is pickled_functions.cubes


def squares(x):
    return x * x


def test_a_differentiated_program_calls_the_function_itself():
    within = pytest.importorskip("backsweep.jax")
    inside = within.function(squares)

    def total(w):
        return np.sum(inside(w))

    assert list(bs.grad(total, jit=False)(np.array([1.0, 2.0]))) == [2.0, 4.0]
    assert bs.jacobian(inside, jit=False)(np.array([1.0, 2.0])).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    with pytest.raises(bs.UnsupportedError, match="makes a function of another library"):
        bs.grad(lambda w: np.sum(within.function(squares)(w)), jit=False)(np.ones(2))
