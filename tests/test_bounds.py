"""Subscripts out of bounds: gradients of plain functions raise IndexError where the functions do, and only there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import backsweep as bs
from tests.bounds_programs import FINE, OUTSIDE, Program, raises


@pytest.mark.parametrize("program", OUTSIDE, ids=str)
def test_out_of_bounds_raises(program: Program) -> None:
    assert raises(lambda: program.function(*program.args))
    for run in program.transformations(jit=False):
        assert raises(run)


@pytest.mark.parametrize("program", FINE, ids=str)
def test_within_bounds_runs(program: Program) -> None:
    value = program.function(*program.args)
    found, _ = bs.value_and_grad(program.function, jit=False)(*program.args)
    assert found == pytest.approx(value)


def test_compiled() -> None:
    """In a process of its own, which an access out of bounds may end."""
    done = subprocess.run(
        [sys.executable, "-c", "from tests.bounds_programs import run_compiled; run_compiled()"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
