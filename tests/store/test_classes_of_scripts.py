"""Machine code for arguments whose classes no other process finds: a script's dataclasses and namedtuples, dicts, enumerations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.children import printed

SCRIPT = """
import dataclasses
import enum
from collections import namedtuple
from numba.core import event
import numpy as np
import backsweep as bs

@dataclasses.dataclass
class Option:
    strike: float
    rate: float

Pair = namedtuple("Pair", "{fields}")

class Way(enum.Enum):
    UP = 1
    DOWN = 2

def local():
    @dataclasses.dataclass
    class Option:
        strike: float
        rate: float
    return Option(5.0, 7.0)

def of_object(x, option):
    return option.strike * x**2 + option.rate * x

def of_both(x, one, other):
    return one.strike * x**2 + other.rate * x

def of_pair(x, pair):
    return pair.first * x**2 + pair.second * x

def of_dict(x, table):
    return table["a"] * x**2 + table["b c"] * x

def given_back(x, pair):
    return x * pair.first, pair

pair = Pair(first=5.0, second=7.0)
with event.install_recorder("numba:compile") as compiled:
    print(bs.grad(of_object)(2.0, Option(5.0, 7.0)))
    print(bs.grad(of_object, argnums=1)(2.0, Option(5.0, 7.0)))
    print(bs.grad(of_object)(2.0, local()))
    print(bs.grad(of_both)(2.0, Option(5.0, 0.0), local()))
    print(bs.grad(of_pair)(2.0, pair))
    print(bs.grad(of_dict)(2.0, {{"a": 5.0, "b c": 7.0}}))
compiled = len(compiled.buffer)
same = type(bs.value_and_grad(given_back, has_aux=True)(2.0, pair)[0][1]) is Pair
print(same, type(bs.grad(of_pair, argnums=1)(2.0, pair)) is Pair)
print("compiled", compiled > 0)
"""


def told(fields: str, folder: Path) -> str:
    """What the script prints, its pairs with these fields."""
    return printed(SCRIPT.format(fields=fields), {"BACKSWEEP_CACHE_DIR": str(folder / "cache")}, folder)


@pytest.mark.turns(3)
def test_the_second_process_compiles_nothing(tmp_path: Path) -> None:
    first = told("first second", tmp_path)
    assert first.endswith("True True\ncompiled True\n")
    assert told("first second", tmp_path) == first.replace("compiled True", "compiled False")


@pytest.mark.turns(3)
def test_fields_in_another_order_are_another_class(tmp_path: Path) -> None:
    assert told("first second", tmp_path) == told("second first", tmp_path)
