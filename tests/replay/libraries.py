"""The second source of calls: the tests that ship with NumPy and SciPy, whose calls are judged as plain functions."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from tests.replay.recording import Group
from tests.replay.running import Entry, Limits, _in_process
from tests.replay.texts import Noted

ROOT = Path(__file__).parents[2]


def calls_of(module: str, seconds: float, tests: Collection[str] = ()) -> list[Noted]:
    """What a module's tests call, or those of its classes and functions that are named."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "calls"
        options = ["-q", "-n0", "--maxfail=100000", "-p", "tests.replay.noting", "-p", "no:cacheprovider"]
        chosen = ["-k", " or ".join(tests)] if tests else []
        command = [sys.executable, "-m", "pytest", *options, "--assert=plain", "-c", os.devnull, *chosen]
        try:
            subprocess.run(
                [*command, f"--rootdir={folder}", "--pyargs", module],
                cwd=ROOT,
                env=os.environ | {"REPLAY_CALLS": str(file), "REPLAY_SECONDS": str(seconds)},
                capture_output=True,
                timeout=seconds + 120.0,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return []
        return pickle.loads(file.read_bytes()) if file.exists() else []


def replay(
    module: str, limits: Limits, seen: Collection[tuple[str, str]], tests: Collection[str] = ()
) -> Iterator[Entry]:
    """Judge each kind of call that a module's tests make, each in a process of its own."""
    for call in calls_of(module, limits.test, tests):
        if (call.name, call.kind) in seen:
            continue
        began = time.monotonic()
        group = Group(call.name, call.kind, call.function(), None, [call.floats], jit=False)
        verdict = _in_process(group, limits.call)
        yield Entry(
            f"{module}.{call.test}",
            *group.key,
            verdict.word,
            verdict.code,
            verdict.reason,
            time.monotonic() - began,
        )
