"""The table of the suite: every form in a process of its own, with caches of its own."""

from __future__ import annotations

import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.arrays.catalogue import KERNELS

COUNTS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""The variables that say to Numba, to libraries of linear algebra and to PyTorch how many threads there may be."""
JAX = {"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"}
ONE_THREAD_OF_JAX = {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}
HEAD = (
    f"{'kernel':17}{'form':9}{'primal':>10}{'gradient':>10}{'ratio':>7}{'compile':>9}{'/primal':>8}"
    f"{'lines':>7}{'/stmt':>6}{'records':>10}"
)
UNITS = f"{'':26}{'ms':>10}{'ms':>10}{'':>7}{'s':>9}{'':>21}{'MB':>10}"
RAISED = re.compile(r"[A-Za-z_][\w.]*: ?.*|[A-Za-z_][\w.]*(Error|Exception)")


def failure(text: str) -> str:
    """The message of the exception that ended a process: the last unindented line of a traceback that names one."""
    found = [line for line in text.splitlines() if RAISED.fullmatch(line)]
    errors = [line for line in found if re.match(r"[\w.]*(Error|Exception|Refused)\b", line)]
    said = (errors or found or text.strip().splitlines() or ["no message"])[-1]
    return said[:200]


@dataclass(frozen=True)
class Run:
    """How the forms are run: their sizes, who runs beside us, on how many threads, for how many seconds at most.

    If `timed` is False, forms and peers are only compared.
    """

    size: str
    peers: Sequence[str] = ()
    threads: int = 1
    limit: float = 300.0
    timed: bool = True


def in_process(module: str, asked: dict[str, Any], threads: int, limit: float) -> Any:
    """What a module prints, in a process with empty caches. Raises FailedError if it prints nothing of use."""
    environment = {**os.environ, **JAX, **dict.fromkeys(COUNTS, str(threads))}
    environment |= ONE_THREAD_OF_JAX if threads == 1 else {}
    with tempfile.TemporaryDirectory() as home:
        places = {"BACKSWEEP_CACHE_DIR": f"{home}/emitted", "NUMBA_CACHE_DIR": f"{home}/numba"}
        try:
            done = subprocess.run(
                [sys.executable, "-m", module, json.dumps(asked)],
                cwd=Path(__file__).parents[2],
                env=environment | places,
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise FailedError(f"not done after {limit:.0f} s") from None
    if done.returncode:
        raise FailedError(failure(done.stderr) if done.returncode > 0 else f"signal {-done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


class FailedError(Exception):
    """A process of the suite ended without figures; the message says why."""


def measured(name: str, form: str, folder: Path, run: Run) -> dict[str, Any]:
    """The row of one form, or what kept it from having one. Peers run beside the form in array style only."""
    asked = {
        "name": name,
        "form": form,
        "size": run.size,
        "known": str(folder / f"{name}.npy"),
        "peers": list(run.peers) if form == "arrays" else [],
        "threads": run.threads,
        "timed": run.timed,
    }
    try:
        return dict(in_process("benchmarks.arrays.measured", asked, run.threads, run.limit))
    except FailedError as error:
        return {"name": name, "form": form, "failed": str(error)}


def line(row: dict[str, Any]) -> str:
    """A row of the table."""
    start = f"{row['name']:17}{row['form']:9}"
    if "failed" in row:
        what = "WRONG" if row["failed"].startswith("AssertionError") else "FAILED"
        return f"{start}{what}: {row['failed']}"
    if "agrees" in row:
        return f"{start}agrees with {', '.join(row['agrees'])}, and with the forms above"
    peers = "".join(
        f"  {peer} {1e3 * took:.3f} ms, {took / row['gradient']:.2f} of ours"
        for peer, took in row["peers"].items()
    )
    return (
        f"{start}{1e3 * row['primal']:10.3f}{1e3 * row['gradient']:10.3f}{row['ratio']:7.2f}"
        f"{row['gradient_compile']:9.2f}{row['compile_ratio']:8.2f}{row['lines']:7d}"
        f"{row['lines'] / row['statements']:6.1f}{1e-6 * row['records']:10.3f}{peers}"
    )


def spread(what: str, figures: Sequence[float]) -> str:
    """Geometric mean, median and extremes of figures."""
    if not figures:
        return f"{what}: none"
    mean = math.exp(statistics.fmean(math.log(figure) for figure in figures))
    return (
        f"{what}: geometric mean {mean:.2f}, median {statistics.median(figures):.2f}, "
        f"least {min(figures):.2f}, most {max(figures):.2f} ({len(figures)})"
    )


def summary(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The summary of the table. Rows that failed are not in the means, so they are named first."""
    failed = [row for row in rows if "failed" in row]
    good = [row for row in rows if "ratio" in row]
    yield f"failed or wrong: {', '.join(row['name'] + '/' + row['form'] for row in failed) or 'none'}"
    if not good:
        return
    for form in dict.fromkeys(row["form"] for row in good):
        yield spread(f"gradient / primal, {form}", [row["ratio"] for row in good if row["form"] == form])
    worst: dict[str, float] = {}
    for row in good:
        worst[row["name"]] = max(row["ratio"], worst.get(row["name"], 0.0))
    yield spread("gradient / primal, the worst form of each", list(worst.values()))
    yield spread("compile of the gradient / of the primal", [row["compile_ratio"] for row in good])
    yield spread("lines / statements of the primal", [row["lines"] / row["statements"] for row in good])
    for peer in dict.fromkeys(peer for row in good for peer in row["peers"]):
        beside = [row["peers"][peer] / row["gradient"] for row in good if peer in row["peers"]]
        yield spread(f"{peer} / ours, arrays", beside)


def table(names: Sequence[str], forms: Sequence[str], run: Run) -> list[dict[str, Any]]:
    """Print the rows as they come, then the summary."""
    if run.timed:
        print(HEAD, UNITS, sep="\n", flush=True)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for form in KERNELS[name].forms:
                if form in forms:
                    rows.append(measured(name, form, Path(folder), run))
                    print(line(rows[-1]), flush=True)
    print(*summary(rows), sep="\n", flush=True)
    return rows
