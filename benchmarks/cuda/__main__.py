"""Check gradients on a GPU against those on the CPU, and time them beside JAX's: `python -m benchmarks.cuda --size large`.

Each is checked at the size "small" (or "tiny"), and timed with arrays that lie on the GPU. `NUMBA_ENABLE_CUDASIM=1` and `--size tiny` run it without one.
It takes less than four minutes.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy as np

import backsweep as bs
from benchmarks.cuda.problems import PROBLEMS, SIZES, Problem

LONGEST = 6.0
"""The seconds for which one function is called again and again; the least time counts."""


def least(function: Callable[[], Any], seconds: float) -> float:
    """The least time of a call, in milliseconds."""
    function()
    best, began = math.inf, time.perf_counter()
    while time.perf_counter() - began < seconds:
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return 1e3 * best


def leaves(value: Any) -> list[Any]:
    """The numbers and arrays of a result, in NumPy's memory."""
    if isinstance(value, tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return [value.copy_to_host() if hasattr(value, "copy_to_host") else np.asarray(value)]


def error(found: Any, wanted: Any) -> float:
    """The largest error of a result, as a part of the largest number in each of its arrays."""
    pairs = zip(leaves(found), leaves(wanted), strict=True)
    return max(
        float(np.max(np.abs(one - other)) / max(np.max(np.abs(other)), 1e-300)) for one, other in pairs
    )


def of_jax(problem: Problem, args: tuple[Any, ...], seconds: float) -> tuple[float, Any] | None:
    """The time of JAX's gradient and what it finds; None where JAX has no GPU, or is missing."""
    try:
        import jax
    except ImportError:
        return None
    if jax.default_backend() != "gpu":
        return None
    jax.config.update("jax_enable_x64", True)
    positions = tuple(problem.function.__code__.co_varnames.index(name) for name in problem.wrt)
    gradient = jax.jit(jax.value_and_grad(problem.for_jax(jax.numpy), positions))
    given = [jax.numpy.asarray(each) for each in args]
    taken = least(lambda: jax.block_until_ready(gradient(*given)), seconds)
    return taken, gradient(*given)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each problem."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cuda", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="large")
    parser.add_argument("--only", nargs="*", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--seconds", type=float, default=LONGEST)
    chosen = parser.parse_args(arguments)
    from numba import cuda

    print(
        f"{'':12} {'first call s':>12} {'GPU ms':>10} {'JAX ms':>10} {'of JAX':>8} {'from NumPy ms':>14} {'error':>9}"
    )
    for name in chosen.only:
        problem, rng = PROBLEMS[name], np.random.default_rng(0)
        on_gpu = bs.cuda(bs.value_and_grad(problem.function, wrt=problem.wrt))
        checked = problem.arguments("tiny" if chosen.size == "tiny" else "small", rng)
        began = time.perf_counter()
        found = on_gpu(*checked)
        first = time.perf_counter() - began
        wrong = error(found, bs.value_and_grad(problem.function, wrt=problem.wrt)(*checked))
        if not wrong < 1e-9:
            raise SystemExit(f"{name}: the GPU and the CPU differ by {wrong:.1e}")
        args = problem.arguments(chosen.size, rng)
        there = [cuda.to_device(each) if isinstance(each, np.ndarray) else each for each in args]

        def run() -> None:
            on_gpu(*there)  # noqa: B023  called in this round
            cuda.synchronize()

        taken, copied = least(run, chosen.seconds), least(lambda: on_gpu(*args), chosen.seconds)  # noqa: B023
        jax = of_jax(problem, args, chosen.seconds)
        if jax is not None:
            wrong = max(wrong, error(on_gpu(*args), tuple(jax[1])))
        shown = ("-", "-") if jax is None else (f"{jax[0]:.3f}", f"{taken / jax[0]:.2f}")
        print(
            f"{name:12} {first:12.2f} {taken:10.3f} {shown[0]:>10} {shown[1]:>8} {copied:14.3f} {wrong:9.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
