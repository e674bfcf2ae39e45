"""Freed memory is kept for the next arrays, in the bound that the environment tells."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
import backsweep
from backsweep.runtime.support import freed_memory

def many():
    for _ in range(8):
        arrays = [np.zeros(250_000) for _ in range(6)]
        for each in arrays:
            each[:] = 1.0

many()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
many()
print(freed_memory.KEPT, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the rules are those of glibc")


def outcome(**environment: str) -> tuple[bool, int, str]:
    """Whether memory is kept, and the page faults of 48 arrays of two megabytes; what the process warned of."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC", "GLIBC"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=own | environment, capture_output=True, text=True, check=True
    )
    kept, faults = done.stdout.split()
    return kept == "True", int(faults), done.stderr


@glibc
def test_the_next_arrays_get_it() -> None:
    kept, faults, _ = outcome()
    assert kept
    assert faults < 5_000


@glibc
@pytest.mark.turns(3)
@pytest.mark.parametrize(
    "environment", [{"BACKSWEEP_KEEP_MEMORY": "0"}, {"MALLOC_TRIM_THRESHOLD_": "131072"}], ids=str
)
def test_not_if_the_user_says_so(environment: dict[str, str]) -> None:
    kept, faults, _ = outcome(**environment)
    assert not kept
    assert faults > 10_000


@glibc
@pytest.mark.turns(11)
@pytest.mark.parametrize("given", ["much", "-1", "nan", "1e9"])
def test_a_bound_that_is_none_is_told(given: str) -> None:
    kept, _, warned = outcome(BACKSWEEP_KEEP_MEMORY=given)
    assert kept
    assert f"BACKSWEEP_KEEP_MEMORY={given!r} is not a number of megabytes" in warned
