"""The tests that compile nothing: kernels run as Python there, and what compiles all the same fails."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numba import njit

import backsweep as bs
from backsweep.runtime.special import digamma
from tests.support import quick


def squared(x: Any) -> Any:
    return x * x


def volume(A: Any) -> Any:
    return np.linalg.det(A)


def test_a_test_that_compiles_fails() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"the test compiled .*squared_grad"):  # noqa: SIM117
        with quick.nothing_compiled():
            assert bs.grad(squared)(3.0) == 6.0
    with pytest.raises(pytest.fail.Exception, match=r"the test compiled tests.suite.test_quick.squared:"):  # noqa: SIM117
        with quick.nothing_compiled():
            njit("float64(float64)")(squared)


def test_plain_runs_compile_no_kernels() -> None:
    kernel, twice = njit(squared), njit(lambda x: 2.0 * x)
    before = len(digamma.signatures)
    with quick.nothing_compiled():
        assert bs.grad(lambda x: kernel(twice(x)), jit=False)(3.0) == 24.0
        found = digamma(np.float32(1.0))
        np.testing.assert_allclose(bs.grad(volume, jit=False)(np.eye(3)), np.eye(3))
    assert found == pytest.approx(-0.5772156649015329)
    assert not kernel.signatures
    assert not twice.signatures
    assert len(digamma.signatures) == before


def test_the_modules_are_there() -> None:
    modules = {path.stem for path in Path(__file__).parents[1].rglob("test_*.py")}
    assert set(quick.SHARES) <= modules


def test_each_test_of_the_modules_is_in_the_run_with_some_of_its_cases() -> None:
    class Item(SimpleNamespace):
        def get_closest_marker(self, name: str) -> object:
            return True if name in self.markers else None

        def add_marker(self, mark: Any) -> None:
            self.markers.append(mark.name)

    module, nth = next((module, nth) for module, nth in quick.SHARES.items() if nth > 1)
    location = (f"tests/{module}.py", 1, "")
    cases = [Item(location=location, originalname="test_a", markers=[]) for _ in range(2 * nth)]
    single = Item(location=location, originalname="test_b", markers=[])
    compiled = Item(location=location, originalname="test_c", markers=["compiles"])
    other = Item(location=("tests/suite/test_quick.py", 1, ""), originalname="test_a", markers=[])
    quick.choose([*cases, single, compiled, other])
    assert sum("quick" in item.markers for item in cases) == 2
    assert [item.markers for item in (single, compiled, other)] == [["quick"], ["compiles"], []]
