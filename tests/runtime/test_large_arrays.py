"""Large arrays that emitted code makes have large pages; smaller ones have usual ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.runtime.machine_code import kept, large_arrays

PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
needs_pages = pytest.mark.skipif(
    not large_arrays.is_wanted() or not PAGES.exists(), reason="the system has no large pages"
)


def outer(x: Any, y: Any) -> Any:
    out = np.empty((x.shape[0], y.shape[0]))
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            out[i, j] = x[i] * y[j]
    return out


def squares(a: Any) -> Any:
    return np.sum(a * a)


def has_large_pages(array: np.ndarray) -> bool:
    """Whether the system may give large pages to the middle of the array (`hg` among the flags of its memory)."""
    place, found = array.ctypes.data + array.nbytes // 2, False
    for line in Path("/proc/self/smaps").read_text(encoding="ascii").splitlines():
        head, _, rest = line.partition(" ")
        if head == "VmFlags:" and found:
            return "hg" in rest.split()
        if not head.endswith(":"):
            low, high = (int(end, 16) for end in head.split("-"))
            found = low <= place < high
    return False


def outer_in_parallel(x: Any, y: Any) -> Any:
    out = np.empty((x.shape[0], y.shape[0]))
    for i in numba.prange(x.shape[0]):
        row = y.copy()
        for j in range(y.shape[0]):
            out[i, j] = x[i] * row[j]
    return out


@needs_pages
@pytest.mark.parametrize("function", [outer, outer_in_parallel])
def test_large_arrays_have_large_pages(function: Any) -> None:
    compiled = bs.njit(function, parallel=function is outer_in_parallel)
    large, small = np.linspace(0.5, 1.5, 3000), np.linspace(0.5, 1.5, 40)
    found = compiled(large, large)
    assert has_large_pages(found)
    np.testing.assert_array_equal(found, np.outer(large, large))
    np.testing.assert_array_equal(compiled(small, small), np.outer(small, small))
    assert compiled(large[:0], large).shape == (0, 3000)


@needs_pages
@pytest.mark.parametrize("vectors", [True, False])
def test_gradients_have_them(*, vectors: bool) -> None:
    a = np.linspace(0.0, 1.0, 2**21).reshape(2**10, 2**11)
    found = bs.grad(squares, vector_math=vectors)(a)
    assert has_large_pages(found)
    np.testing.assert_array_equal(found, 2.0 * a)


PROGRAM = """
import numpy as np
import backsweep as bs
from backsweep.runtime.machine_code import large_arrays
from tests.runtime.test_large_arrays import outer
compiled = bs.njit(outer)
x = np.ones(4)
assert compiled(x, x).sum() == 16.0
told = compiled.inspect_llvm(compiled.signatures[0])
print("madvise" in told, large_arrays.is_wanted())
"""


@pytest.mark.turns(3)
def test_numpys_variable_switches_them_off() -> None:
    for value in ("0", "1"):
        settings = {**os.environ, large_arrays.VARIABLE: value}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=settings,
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
        )
        asks, wanted = done.stdout.split()
        assert asks == wanted
        assert value == "1" or asks == "False"


def test_kept_machine_code_depends_on_them(monkeypatch: pytest.MonkeyPatch) -> None:
    before, wanted = kept.settings_mark(), large_arrays.is_wanted()
    monkeypatch.setattr(large_arrays, "is_wanted", lambda: not wanted)
    assert kept.settings_mark() != before
