"""Derivatives in workers of joblib, of concurrent.futures, of Dask, started by a script and by `python -c`."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.children import printed
from tests.support.sampled import turning

PROGRAM = Path(__file__).with_name("program.py")
NEEDED = {
    "loky": "joblib",
    "threading": "joblib",
    "threads": "dask",
    "processes": "dask",
    "cluster": "distributed",
    "ray": "ray",
}
"""The package that has the workers of a kind."""
KINDS = ["loky", "spawn", "threads", "cluster", "fork", "threading", "processes", "forkserver", "ray"]
EXPECTED = """Gradient(x=-13.622444915542708, u=5.45578456095409)
Gradient(x=17.80844843922087, u=-4.540814971847569)
60.0
48.0
Plate(width=2.0, height=3.0)
12.0
    49 |     return x.nothing()
"""


def run(*command: str) -> str:
    """What the script prints, run in a way; a warning is an error, in the workers too."""
    done = subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "PYTHONWARNINGS": "error", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def skip_without(kind: str) -> None:
    """Skip the test where workers of this kind cannot be had."""
    package = NEEDED.get(kind)
    if package is not None and importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    if package is None and kind not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system starts no processes by {kind}")


@pytest.mark.parametrize("kind", turning(5, KINDS))
def test_a_script(kind: str) -> None:
    skip_without(kind)
    assert run(str(PROGRAM), kind) == EXPECTED


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", ["processes", "loky"])
def test_a_command(kind: str) -> None:
    """Its text is in no file."""
    skip_without(kind)
    assert run("-c", PROGRAM.read_text(encoding="utf-8"), kind) == EXPECTED


ONCE = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from numba.core import event

import backsweep as bs


def cubes(x):
    total = 0.0
    for each in x:
        total += each**3
    return total


def together(barrier):
    global start
    bs.grad(cubes)
    start = barrier


def compiled(slope):
    start.wait()
    with event.install_recorder("numba:compile") as recorder:
        slope((1.0, 2.0))
    return [each.data["dispatcher"].py_func.__name__[:10] for _, each in recorder.buffer if each.is_start]


if __name__ == "__main__":
    context = multiprocessing.get_context()
    with ProcessPoolExecutor(2, context, together, (context.Barrier(2),)) as pool:
        for _ in range(2):
            found = [pool.submit(compiled, bs.grad(cubes)) for _ in range(2)]
            print(sum((each.result() for each in found), []))
"""


def test_one_worker_compiles_and_the_others_wait(tmp_path: Path) -> None:
    environment = {"BACKSWEEP_CACHE_DIR": str(tmp_path / "cache")}
    assert printed(ONCE, environment, tmp_path) == "['cubes_grad']\n[]\n"
