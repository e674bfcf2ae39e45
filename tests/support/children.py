"""Programs that tests run in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]


def printed(
    program: str,
    environment: Mapping[str, str | None],
    folder: Path,
    before: Callable[[], None] | None = None,
    error: str = "",
    seconds: float = 600.0,
) -> str:
    """What a program prints that is run from a file in this folder; it has to end well, and say `error` beside it.

    Variables of the environment that are None are not set. `before` runs in the new process.
    """
    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    merged = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    done = subprocess.run(
        [sys.executable, str(path)],
        env={name: value for name, value in merged.items() if value is not None},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=before,
        timeout=seconds,
    )
    assert (done.returncode, error in done.stderr) == (0, True), done.stderr
    assert error or not done.stderr, done.stderr
    return done.stdout
