"""Measures the programs, each in processes of its own, in three states of what is kept on the disk."""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.first.programs import PROGRAMS

ROOT = Path(__file__).parents[2]
JAX = (
    "kalman",
    "gaussian_process",
    "least_squares",
    "spectrum",
    "hidden_markov",
    "cox",
    "garch",
    "logistic",
    "network",
    "trimmed",
    "heat",
)
"""The programs that `jax_forms.py` has, too."""
LIBRARY = ("backsweep.runtime.", "numba.", "scipy.", "type_")
"""How the names of kept files begin that any function may use; the others belong to one function."""
HEAD = f"{'program':22}{'nothing':>9}{'new':>8}{'text':>8}{'LLVM':>8}{'known':>8}{'njit':>8}{'jax':>8}{'new/jax':>9}"


class FailedError(Exception):
    """A process that measures ended with an error."""


def asked(name: str, who: str, folder: Path, limit: float) -> dict[str, Any]:
    """What one process measures."""
    environment = {**os.environ, "BACKSWEEP_CACHE_DIR": str(folder), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.first.child", name, who]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        raise FailedError(f"not done after {limit:.0f} s") from None
    if done.returncode != 0:
        raise FailedError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def forget_function(folder: Path) -> None:
    """Remove what is kept of one function; what any may use stays."""
    for path in folder.iterdir():
        if not path.name.startswith(LIBRARY):
            path.unlink()


def measure(name: str, peers: Sequence[str], limit: float) -> dict[str, Any]:
    """A row: seconds until the first value and gradient in each state, beside Numba's primal and JAX."""
    with tempfile.TemporaryDirectory(prefix="backsweep-first-") as made:
        folder = Path(made)
        folder.chmod(0o700)
        nothing = asked(name, "ours", folder, limit)
        forget_function(folder)
        text = asked(name, "text", folder, limit)
        forget_function(folder)
        new = asked(name, "ours", folder, limit)
        known = asked(name, "ours", folder, limit)
        row: dict[str, Any] = {
            "name": name,
            "nothing": nothing["seconds"],
            "new": new["seconds"],
            "text": text["seconds"],
            "llvm": new["llvm"],
            "known": known["seconds"],
        }
        if not nothing["result"] == new["result"] == known["result"]:
            raise FailedError("the three states give different results")
        with contextlib.suppress(FailedError):  # dicts, SciPy and the like are not Numba's
            row["njit"] = asked(name, "primal", folder, limit)["seconds"]
        if "jax" in peers and name in JAX:
            theirs = asked(name, "jax", folder, limit)
            largest = max(map(abs, theirs["result"]))
            if any(
                abs(one - other) > 1e-6 * largest
                for one, other in zip(new["result"], theirs["result"], strict=True)
            ):
                raise FailedError("JAX gives another result")
            row["jax"] = theirs["seconds"]
    return row


def line(row: dict[str, Any]) -> str:
    """A row of the table."""
    if "failed" in row:
        return f"{row['name']:22}  {row['failed']}"
    numbers = "".join(
        f"{row[key]:{width}.2f}" if key in row else f"{'':{width}}"
        for key, width in (
            ("nothing", 9),
            ("new", 8),
            ("text", 8),
            ("llvm", 8),
            ("known", 8),
            ("njit", 8),
            ("jax", 8),
        )
    )
    ratio = f"{row['new'] / row['jax']:9.2f}" if "jax" in row else ""
    return f"{row['name']:22}{numbers}{ratio}"


def table(names: Sequence[str], peers: Sequence[str], limit: float) -> list[dict[str, Any]]:
    """Measure the programs one after the other, and print their table and its medians."""
    print(HEAD, flush=True)
    rows = []
    for name in names:
        try:
            rows.append(measure(name, peers, limit))
        except FailedError as error:
            rows.append({"name": name, "failed": str(error)})
        print(line(rows[-1]), flush=True)
    good = [row for row in rows if "failed" not in row]
    for key in ("nothing", "new", "text", "known"):
        if good:
            print(f"median of {key}: {statistics.median(row[key] for row in good):.2f} s")
    beside = [row["new"] / row["jax"] for row in good if "jax" in row]
    if beside:
        print(f"median of new / jax: {statistics.median(beside):.2f}")
    return rows


NAMES = tuple(PROGRAMS)
