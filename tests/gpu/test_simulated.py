"""What kernels compute is what the CPU computes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gpu.programs import CASES

CHECKS = [
    "arrays_on_the_gpu",
    "arguments_that_overlap",
    "products",
    "saved_module",
    "error_of_a_thread",
    "of_second_order",
    "explained",
    "functions_of_numbers",
]

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    """What differs, by the names of the programs."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu.simulated"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    differing: dict[str, str] = json.loads(done.stdout)
    return differing


@pytest.mark.parametrize("name", [*(case.function.__name__ for case in CASES), *CHECKS])
def test_as_on_the_cpu(name: str, found: dict[str, str]) -> None:
    assert found[name] == ""
