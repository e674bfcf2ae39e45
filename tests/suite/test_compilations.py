"""A test that has more than three functions compiled fails, unless it says why."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.runtime.special import digamma
from tests.support import compilations


def item(*marks: Any) -> Any:
    """A test with these marks."""
    found = {mark.name: mark for mark in marks}
    return SimpleNamespace(get_closest_marker=found.get)


def squares(count: int) -> None:
    """Have so many functions compiled, each of which calls another one."""

    @numba.njit
    def inner(x: float) -> float:
        return x * x

    for _ in range(count):
        outer = numba.njit(lambda x: inner(x) + np.sum(np.ones(2)))
        assert outer(1.0) == 3.0
        assert outer(2.0) == 6.0  # compiled for these types already


def test_three_are_few() -> None:
    with compilations.few_compiled(item()):
        squares(3)
        digamma(1.5)  # of the runtime


@pytest.mark.compiles_many("shows what four compiled functions lead to, and a gradient's")
def test_four_need_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(compilations.ASKED, "1")
    with pytest.raises(pytest.fail.Exception, match=r"had 4 functions compiled, .*squares"):  # noqa: SIM117
        with compilations.few_compiled(item()):
            squares(4)
    with compilations.few_compiled(item(pytest.mark.compiles_many("each of the four is another option"))):
        squares(4)
    before = len(compilations.COMPILED)
    assert bs.grad(lambda x: x * x)(3.0) == 6.0
    assert [name.split(".")[-1].split("_")[0] for name in compilations.COMPILED[before:]] == ["function"]


def test_a_reason_is_a_text() -> None:
    with pytest.raises(AssertionError, match="needs a reason"):  # noqa: SIM117
        with compilations.few_compiled(item(pytest.mark.compiles_many())):
            pass
