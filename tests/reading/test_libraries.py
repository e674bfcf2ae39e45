"""Functions of installed libraries: one is read without the rest of its file, and garbage is not looked for among their objects."""

from __future__ import annotations

import ast
import gc
from collections.abc import Callable
from typing import Any

import numba
import pytest
import scipy.signal._filter_design
from numba.np import arraymath

from backsweep.reading import functions
from backsweep.reading.functions import read_source
from backsweep.runtime.machine_code.compiling import only_new_garbage

VECTOR = numba.float64[::1]


@pytest.mark.parametrize(
    "function",
    [
        arraymath.np_vander,
        arraymath.np_vander(VECTOR),  # a function within a function
        arraymath._np_vander,  # with a decorator above it
        scipy.signal._filter_design.lp2lp_zpk,
    ],
    ids=lambda function: function.__name__,
)
def test_lines_and_columns_are_those_of_the_file(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = read_source(function)
    monkeypatch.setattr(functions, "is_trusted", lambda _: False)
    whole = read_source(function)
    assert ast.dump(alone.node, include_attributes=True) == ast.dump(whole.node, include_attributes=True)
    assert alone.lines == whole.lines


def test_what_begins_no_definition_is_left_to_the_whole_file() -> None:
    lines = ("table = {", "    'one': lambda x: x,", "    'two': lambda x: 2 * x,", "}")
    assert functions._alone("table.py", lines, 2) is None


def test_full_collections_wait_and_come_back() -> None:
    before = gc.get_threshold()
    with only_new_garbage():
        assert gc.get_threshold()[:2] == before[:2]
        assert gc.get_threshold()[2] > 1_000_000
        with only_new_garbage():
            pass
        assert gc.get_threshold()[2] > 1_000_000
    assert gc.get_threshold() == before
