"""Prints how long the first call of a problem's gradient takes: `python -m benchmarks.first_call NAME`.

A process of its own, so that nothing is compiled yet. Numba itself is started before the clock is.
"""

from __future__ import annotations

import sys
import time

import numba

from benchmarks.problems import PROBLEMS


@numba.njit
def started(x: float) -> float:
    """Something to compile, so that Numba has loaded what it always needs."""
    return x + 1.0


def main(name: str) -> None:
    """Time the first call, on the smallest instance: what remains is compilation."""
    problem = PROBLEMS[name]
    transformed = problem.transformed()
    args = problem.gradient_args(problem.instance("tiny"))
    started(1.0)
    began = time.perf_counter()
    transformed(*args)
    print(time.perf_counter() - began)


if __name__ == "__main__":
    main(sys.argv[1])
