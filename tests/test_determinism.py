"""The same bytes from any process, a second process that starts from the disk, damaged files made anew."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = """
import sys, time
sys.path.insert(0, {root!r})
import numba
import numpy as np
import backsweep as bs
from tests.test_golden import NAMES, primal_of
{body}
"""
TEXTS = """
for name in NAMES:
    function, args, argnums = primal_of(name)
    sys.stdout.write(bs.value_and_grad(function, argnums=argnums).source(*args))
"""
FIRST_CALL = """
function, args, argnums = primal_of("smooth")
start = time.perf_counter()
value, gradient = bs.value_and_grad(function, argnums=argnums)(*args)
print(time.perf_counter() - start)
print(value, *gradient)
"""
WARM_START = 1.0
"""Seconds that a first call may take in a second process; about 0.1 on a quiet machine."""


def run(body: str, cache: Path, seed: str = "0") -> str:
    """What the program prints in a process of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": seed, "BACKSWEEP_CACHE_DIR": str(cache)}
    program = PROGRAM.format(root=str(ROOT), body=body)
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_same_text_in_any_process(tmp_path: Path) -> None:
    first = run(TEXTS, tmp_path / "one", seed="1")
    second = run(TEXTS, tmp_path / "two", seed="2")
    assert first == second
    assert first.count("Written by backsweep") >= 24


def test_second_process_starts_warm(tmp_path: Path) -> None:
    cold, *first = run(FIRST_CALL, tmp_path).split("\n", 1)
    warm, *second = run(FIRST_CALL, tmp_path).split("\n", 1)
    assert first == second
    assert float(warm) < WARM_START, f"{float(warm):.2f} s warm, {float(cold):.2f} s cold"


@pytest.mark.parametrize("damage", ["truncated", "garbage", "binary", "empty", "foreign"])
def test_damaged_files_are_made_anew(damage: str, tmp_path: Path) -> None:
    _, expected = run(FIRST_CALL, tmp_path).split("\n", 1)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".py" for path in files) and any(path.suffix == ".txt" for path in files)
    before = {path: path.read_bytes() for path in files if path.suffix in {".py", ".txt"}}
    for path, whole in before.items():
        path.write_bytes(
            {
                "truncated": whole[: len(whole) // 2],
                "garbage": b"raise SystemExit('damaged')\n",
                "binary": bytes(range(256)),
                "empty": b"",
                "foreign": whole.replace(b" * ", b" + "),
            }[damage]
        )
    _, again = run(FIRST_CALL, tmp_path).split("\n", 1)
    assert again == expected
    assert {path: path.read_bytes() for path in before} == before


def test_damaged_machine_code_is_made_anew(tmp_path: Path) -> None:
    _, expected = run(FIRST_CALL, tmp_path).split("\n", 1)
    kept = [path for path in tmp_path.rglob("*") if path.suffix in {".nbi", ".nbc"}]
    assert kept
    for path in kept:
        path.write_bytes(path.read_bytes()[:40])
    _, again = run(FIRST_CALL, tmp_path).split("\n", 1)
    assert again == expected
