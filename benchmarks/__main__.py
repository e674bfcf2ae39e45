"""The command line: prints the table, and saves it as JSON."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np

from benchmarks.arrays.catalogue import KERNELS
from benchmarks.arrays.kernel import FORMS
from benchmarks.arrays.kernel import SIZES as ARRAY_SIZES
from benchmarks.arrays.suite import table
from benchmarks.measure import measure
from benchmarks.problem import SIZES
from benchmarks.problems import PROBLEMS

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
    return rows


def main(words: Sequence[str] | None = None) -> None:
    """Measure the chosen problems one after the other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--suite",
        choices=("loops", "arrays"),
        default="loops",
        help="the problems, mostly loops; or kernels in array style beside their forms in loops",
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
    parser.add_argument("--peers", nargs="+", choices=("jax",), default=(), help="arrays: who runs beside us")
    parser.add_argument("--limit", type=float, default=300.0, help="arrays: seconds that each form may take")
    parser.add_argument("--json", type=Path, help="where to save the rows")
    options = parser.parse_args(words)
    arrays = options.suite == "arrays"
    known, sizes = (list(KERNELS), ARRAY_SIZES) if arrays else (list(PROBLEMS), SIZES)
    size = options.size or sizes[1]
    names = options.only or known
    if size not in sizes:
        parser.error(f"the suite {options.suite} has the sizes {', '.join(sizes)}")
    if unknown := [name for name in names if name not in known]:
        parser.error(f"the suite {options.suite} has no {', '.join(unknown)}")
    rows = table(names, options.forms, size, options.peers, options.limit) if arrays else loops(names, size)
    if options.json:
        versions = {"python": platform.python_version(), "numba": numba.__version__, "numpy": np.__version__}
        saved = {
            "suite": options.suite,
            "size": size,
            "backsweep": importlib.metadata.version("backsweep"),
            **versions,
            "rows": rows,
        }
        options.json.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
