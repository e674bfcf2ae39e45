"""The command line: prints the table, and saves it as JSON."""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import plots
from benchmarks.arrays.catalogue import KERNELS
from benchmarks.arrays.growth import SERIES
from benchmarks.arrays.kernel import FORMS
from benchmarks.arrays.kernel import SIZES as ARRAY_SIZES
from benchmarks.arrays.suite import FailedError, Run, in_process, spread, table
from benchmarks.first import suite as first
from benchmarks.measure import measure
from benchmarks.problem import SIZES
from benchmarks.problems import PROBLEMS

PEERS = ("jax", "torch")
HEAD = (
    f"{'problem':18}{'primal':>10}{'gradient':>10}{'ratio':>7}{'hand':>10}{'/hand':>7}"
    f"{'tape':>10}{'cold':>8}{'warm':>8}  checked with"
)
UNITS = f"{'':18}{'ms':>10}{'ms':>10}{'':>7}{'ms':>10}{'':>7}{'MB':>10}{'s':>8}{'s':>8}"


def line(row: dict[str, Any]) -> str:
    """A row of the table."""
    hand = f"{1e3 * row['hand']:10.3f}{row['gradient'] / row['hand']:7.2f}" if row["hand"] else " " * 17
    return (
        f"{row['name']:18}{1e3 * row['primal']:10.3f}{1e3 * row['gradient']:10.3f}{row['ratio']:7.2f}{hand}"
        f"{1e-6 * row['tape']:10.3f}{row['cold']:8.2f}{row['warm']:8.2f}  {row['checked']}"
    )


def loops(names: Sequence[str], size: str) -> list[dict[str, Any]]:
    """Measure the problems one after the other, and print their table."""
    print(HEAD, UNITS, sep="\n", flush=True)
    rows = []
    for name in names:
        rows.append(measure(PROBLEMS[name], size))
        print(line(rows[-1]), flush=True)
    print(spread("gradient / primal", [row["ratio"] for row in rows]))
    print(
        spread("gradient / adjoint by hand", [row["gradient"] / row["hand"] for row in rows if row["hand"]])
    )
    return rows


def draw(rows: Sequence[dict[str, Any]], run: Run, folder: Path, *, arrays: bool) -> None:
    """Save the plots: the rows as bars; for the kernels in array style also cost against size."""
    good = [row for row in rows if "ratio" in row]
    ratios: dict[str, dict[str, float]] = {}
    beside: dict[str, dict[str, float]] = {}
    for row in good:
        ratios.setdefault(row["name"], {})[row.get("form", "gradient")] = row["ratio"]
        for peer, took in row.get("peers", {}).items():
            beside.setdefault(row["name"], {})[peer] = took / row["gradient"]
        if row.get("hand"):
            beside.setdefault(row["name"], {})["adjoint by hand"] = row["hand"] / row["gradient"]
    made = []
    if ratios:
        made.append(
            plots.bars(
                ratios, "Value and gradient", "calls of the primal (less is better)", folder / "ratios.png"
            )
        )
    if beside:
        what = "time of the other over ours (more is better)"
        made.append(plots.bars(beside, "Beside others", what, folder / "beside.png"))
    if arrays:
        series = {}
        for name in SERIES:
            asked = {"name": name, "peers": list(run.peers)}
            try:
                series[name] = in_process("benchmarks.arrays.growth", asked, run.threads, run.limit)
            except FailedError as error:
                print(f"no times of {name} against size: {error}")
        if series:
            made.append(plots.against_size(series, folder / "against_size.png"))
    print(*(f"wrote {path}" for path in made), sep="\n")


def machine() -> dict[str, Any]:
    """What ran: the processor, the number of cores that this process may use, and versions."""
    packages = ("backsweep", "numba", "numpy", "scipy")
    return {
        "processor": processor(),
        "cores": cores(),
        "system": platform.platform(),
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in packages},
    }


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> str:
    """The name of the processor."""
    message = Path("/proc/cpuinfo")
    if message.is_file():
        for line in message.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def threads(text: str) -> int:
    """A number of threads, or that of the cores."""
    if text == "all":
        return cores()
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a positive number nor `all`")
    return int(text)


def main(words: Sequence[str] | None = None) -> None:
    """Measure the chosen problems one after the other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--suite",
        choices=("loops", "arrays", "first"),
        default="loops",
        help="the problems, mostly loops; kernels in array style beside their forms in loops; or how long the first "
        "gradient takes, of programs as people write them",
    )
    parser.add_argument(
        "--size",
        choices=(*SIZES, *ARRAY_SIZES[1:]),
        help="tiny for trying; S or small (default) for a quick look; M or medium for figures",
    )
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help=", ".join(dict.fromkeys([*PROBLEMS, *KERNELS]))
    )
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=FORMS, help="arrays: which forms")
    parser.add_argument(
        "--peers", nargs="+", choices=PEERS, default=(), help="arrays, first: who runs beside us"
    )
    parser.add_argument(
        "--threads", type=threads, default=1, help="arrays: how many threads, or `all` (default: 1)"
    )
    parser.add_argument("--limit", type=float, default=300.0, help="arrays: seconds that each form may take")
    parser.add_argument("--check", action="store_true", help="arrays: only compare the forms, and the peers")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="where to save plots")
    parser.add_argument("--json", type=Path, help="where to save the rows")
    options = parser.parse_args(words)
    arrays, is_first = options.suite == "arrays", options.suite == "first"
    known, sizes = (list(KERNELS), ARRAY_SIZES) if arrays else (list(PROBLEMS), SIZES)
    known = list(first.NAMES) if is_first else known
    size = options.size or sizes[1]
    names = options.only or known
    if size not in sizes:
        parser.error(f"the suite {options.suite} has the sizes {', '.join(sizes)}")
    if unknown := [name for name in names if name not in known]:
        parser.error(f"the suite {options.suite} has no {', '.join(unknown)}")
    if options.suite == "loops" and (options.peers or options.check or options.threads > 1):
        parser.error("the suite loops has no --peers, --check or --threads")
    if absent := [peer for peer in options.peers if importlib.util.find_spec(peer) is None]:
        parser.error(f"{', '.join(absent)} is not installed: pip install .[bench]")
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    run = Run(size, options.peers, options.threads, options.limit, timed=not options.check)
    if is_first:
        rows = first.table(names, options.peers, options.limit)
    else:
        rows = table(names, options.forms, run) if arrays else loops(names, size)
    if options.plots and not is_first:
        draw(rows, run, options.plots, arrays=arrays)
    if options.json:
        beside = {name: importlib.metadata.version(name) for name in options.peers}
        saved = {
            "suite": options.suite,
            "size": size,
            "threads": options.threads,
            **machine(),
            **beside,
            "rows": rows,
        }
        options.json.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
    if any("failed" in row for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
