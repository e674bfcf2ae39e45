"""One table of what is measured beside JAX and beside adjoints by hand: `python -m benchmarks.scoreboard`, about ten minutes.

It prints the table of docs/performance.md, with the date and the versions. Results are compared before they are timed, functions take turns on one
thread, and the least time counts.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import finance
from benchmarks.__main__ import machine
from benchmarks.arrays.suite import COUNTS, JAX, ONE_THREAD_OF_JAX, Run, measured
from benchmarks.measure import least_times
from benchmarks.problem import agree, check, flat
from benchmarks.problems import PROBLEMS

ARRAYS = ("conv2d", "softmax", "covariance", "trmm")
LOOPS = ("spmv", "nbody", "softmax", "cholesky", "seidel_2d", "asian", "gmm", "lstm", "ba")
HEAD = (
    "| program | size | primal, ms | gradient, ms | / primal | by hand | / by hand | JAX, ms | JAX / ours |"
)


def spmv_in_jax(jax: Any) -> Any:
    """A sparse product as users of JAX write it: the row of each entry is known before."""
    jnp = jax.numpy

    def product(starts: Any, columns: Any, values: Any, x: Any) -> Any:
        rows = jnp.repeat(jnp.arange(starts.size - 1), jnp.diff(starts), total_repeat_length=columns.size)
        y = jax.ops.segment_sum(values * x[columns], rows, starts.size - 1, indices_are_sorted=True)
        return jnp.sum(y * y)

    return product


IN_JAX: dict[str, Callable[[Any], Any]] = {"asian": finance.asian_in_jax, "spmv": spmv_in_jax}


def of_loops(name: str, size: str) -> dict[str, Any]:
    """The row of a program in loops; JAX runs beside it where there is a form for it."""
    problem = PROBLEMS[name]
    args = problem.instance(size)
    derivative = problem.own_derivative or problem.transformed()
    check(problem, derivative, size)
    functions = [problem.primal, derivative, *([problem.hand] if problem.hand else [])]
    if name in IN_JAX:
        import jax

        compiled = jax.jit(jax.value_and_grad(IN_JAX[name](jax), problem.argnums))
        given = tuple(map(jax.numpy.asarray, args))
        agree(flat(derivative(*args)[1]), flat(tuple(map(np.asarray, compiled(*given)[1]))), f"{name}: JAX")
        functions.append(lambda *_: jax.block_until_ready(compiled(*given)))
    primal, gradient, *others = least_times(functions, args)
    hand = others.pop(0) if problem.hand else None
    row = {"name": name, "size": size, "primal": primal, "gradient": gradient, "hand": hand}
    return row | {"jax": others[0] if others else None}


def of_arrays(name: str, size: str) -> dict[str, Any]:
    """The row of a kernel in array style."""
    with tempfile.TemporaryDirectory() as folder:
        found = measured(name, "arrays", Path(folder), Run(size, ("jax",)))
    if "failed" in found:
        raise AssertionError(f"{name}: {found['failed']}")
    kept = {"name": f"{name}, arrays", "size": size, "hand": None, "jax": found["peers"].get("jax")}
    return kept | {part: found[part] for part in ("primal", "gradient")}


def of_gradbench(tiny: bool) -> list[dict[str, Any]]:
    """The rows of GradBench's evals."""
    from benchmarks.gradbench.__main__ import main as gradbench

    rows = []
    primal = None
    with contextlib.redirect_stdout(sys.stderr):
        found = gradbench(["--peer", *(["--tiny"] if tiny else [])])
    for row in found:
        if row["ratio"] is None:
            primal = row["took"]
            continue
        rows.append(
            {
                "name": f"GradBench: {row['eval']}",
                "size": row["function"],
                "primal": primal,
                "gradient": row["took"],
                "hand": None,
                "jax": row["peer"],
            }
        )
    return rows


def line(row: dict[str, Any]) -> str:
    """A row in Markdown."""

    def shown(seconds: float | None) -> str:
        return "" if seconds is None else f"{1e3 * seconds:.3g}"

    def over(one: float | None, other: float | None) -> str:
        return "" if one is None or other is None else f"{one / other:.2f}"

    primal, gradient, hand, jax = (row[part] for part in ("primal", "gradient", "hand", "jax"))
    cells = (
        *(row["name"], row["size"], shown(primal), shown(gradient), over(gradient, primal)),
        *(shown(hand), over(gradient, hand), shown(jax), over(jax, gradient)),
    )
    return f"| {' | '.join(cells)} |"


def main(words: Sequence[str] | None = None) -> None:
    """Print the table. Each row of loops is measured in a process of its own, on one thread."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scoreboard", description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="sizes for trying")
    parser.add_argument("--only", nargs="+", help="programs, or gradbench")
    parser.add_argument("--row", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.row:
        print(json.dumps(of_loops(*options.row)))
        return
    what = machine() | {"jax": importlib.metadata.version("jax")}
    print(f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}; {', '.join(f'{k} {v}' for k, v in what.items())}\n")
    print(HEAD, "| --- " * 9 + "|", sep="\n", flush=True)
    alone = {**os.environ, **JAX, **ONE_THREAD_OF_JAX, **dict.fromkeys(COUNTS, "1")}
    for name in ARRAYS:
        if options.only is None or name in options.only:
            print(line(of_arrays(name, "tiny" if options.tiny else "medium")), flush=True)
    for name in LOOPS:
        if options.only is None or name in options.only:
            command = [
                sys.executable,
                "-m",
                "benchmarks.scoreboard",
                "--row",
                name,
                "tiny" if options.tiny else "M",
            ]
            done = subprocess.run(command, env=alone, stdout=subprocess.PIPE, text=True, check=True)
            print(line(json.loads(done.stdout.splitlines()[-1])), flush=True)
    if options.only is None or "gradbench" in options.only:
        print(*map(line, of_gradbench(options.tiny)), sep="\n", flush=True)


if __name__ == "__main__":
    main()
