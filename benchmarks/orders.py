"""Prints how long a second derivative takes to compile, over the first: `python -m benchmarks.orders [WORD...]`.

The functions are those of the tests' zoo whose name has one of the words. Of a function of a number the second derivative
is the gradient of the gradient, of a function of an array it is the gradient's pullback. Both compile from the start, in
one process, the second in an empty cache; both figures include a run.
"""

from __future__ import annotations

import inspect
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator

import numpy as np

import backsweep as bs
from tests import checking, zoo
from tests.zoo.case import Case


def warm_up(x: float, y: float) -> float:
    """A function to compile first: what Numba loads for its first function belongs to no other."""
    total = 0.0
    for k in range(3):
        total += x * y * k
    return total


def cases(words: list[str]) -> Iterator[Case]:
    """The first case of each chosen function of one number or array that returns a number."""
    seen = set()
    for case in zoo.load():
        wanted = not words or any(word in case.name for word in words)
        if not wanted or case.function in seen or not case.argnums:
            continue
        seen.add(case.function)
        argument = case.args[case.argnums[0]]
        number = isinstance(argument, float) or getattr(argument, "dtype", None) == np.float64
        if number and isinstance(case.function(*case.args), float):
            yield case


def seconds(case: Case) -> tuple[float, float]:
    """What the first call of the gradient takes, and what that of its derivative does."""
    position = case.argnums[0]
    gradient = bs.grad(case.function, argnums=position)
    start = time.perf_counter()
    slope = gradient(*case.args)
    first = time.perf_counter() - start
    os.environ["BACKSWEEP_CACHE_DIR"] = tempfile.mkdtemp()
    anew = bs.grad(case.function, argnums=position)
    start = time.perf_counter()
    if isinstance(slope, float):
        bs.grad(anew, argnums=position)(*case.args)
    else:
        name = list(inspect.signature(case.function).parameters)[position]
        _, pullback = bs.vjp(anew, *case.args, wrt=name)
        pullback(checking.cotangent_like(slope))
    return first, time.perf_counter() - start


def main() -> None:
    """Measure the chosen functions one after the other."""
    warnings.simplefilter("ignore")  # of slow ways to compute, which Numba knows of
    os.environ["BACKSWEEP_CACHE_DIR"] = tempfile.mkdtemp()
    bs.grad(bs.grad(warm_up))(1.0, 2.0)
    ratios = []
    for case in cases(sys.argv[1:]):
        first, second = seconds(case)
        ratios.append(second / first)
        print(f"{case.name:50}{first:8.2f} s{second:8.2f} s{ratios[-1]:7.2f}", flush=True)
    above = sum(ratio > 4.0 for ratio in ratios)
    print(f"{len(ratios)} functions: median {statistics.median(ratios):.2f}, above 4: {above}")


if __name__ == "__main__":
    main()
