"""Prints how long a second derivative takes to compile, over the first: `python -m benchmarks.orders [--of KIND] [--alone] [WORD...]`.

The functions are those of the tests' zoo whose name has one of the words. Of a function of a number the second derivative
is the gradient of the gradient. Of a function of an array it is one of four kinds, all of a vector with the Hessian:
`sum`, the gradient of the sum of the gradient (unless said otherwise); `along`, of the sum of a direction times the
gradient, which has to be ready for a direction of another shape; `pullback`, that of the gradient, which is two functions,
the forward sweep and the reverse sweep over what that saved; `hvp`.

Both compile from the start, in one process, the second in an empty cache; both figures are seconds of the processor and
include a run. The first function of a process also pays for what Numba compiles once for all, such as `np.zeros_like`;
with `--alone` each function is the first of its process, as it is for users.
"""

from __future__ import annotations

import argparse
import inspect
import multiprocessing
import os
import pathlib
import runpy
import statistics
import tempfile
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import backsweep as bs
from tests import zoo
from tests.support import checking
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


def pullback_of(gradient: Any, position: int, args: tuple[Any, ...], direction: Any) -> None:
    """Run the gradient's forward sweep and its pullback."""
    _, pullback = bs.vjp(gradient, *args, wrt=list(inspect.signature(gradient).parameters)[position])
    pullback(direction)


def of_sum(gradient: Any, position: int, args: tuple[Any, ...], direction: Any) -> None:  # noqa: ARG001  all have it
    """Run the gradient of the sum of the gradient; the direction plays no part."""
    names = ", ".join(inspect.signature(gradient).parameters)
    bs.grad(written(f"def total({names}): return np.sum(gradient({names}))", gradient), argnums=position)(
        *args
    )


def along(gradient: Any, position: int, args: tuple[Any, ...], direction: Any) -> None:
    """Run the gradient of the slope in a direction."""
    names = ", ".join(inspect.signature(gradient).parameters)
    slope = written(f"def slope(direction, {names}): return np.sum(direction * gradient({names}))", gradient)
    bs.grad(slope, argnums=position + 1)(direction, *args)


def written(text: str, gradient: Any) -> Any:
    """The function of the text, which calls the gradient."""
    file = pathlib.Path(tempfile.mkdtemp()) / "second.py"
    file.write_text(f"import numpy as np\n{text}\n")
    *_, function = runpy.run_path(str(file), {"gradient": gradient}).values()
    return function


def product(gradient: Any, position: int, args: tuple[Any, ...], direction: Any) -> None:
    """Run the product of the Hessian with a direction."""
    bs.hvp(gradient.python, position)(args, (direction,))


KINDS = {"pullback": pullback_of, "sum": of_sum, "along": along, "hvp": product}


def seconds(case: Case, kind: str) -> tuple[float, float]:
    """What the first call of the gradient takes, and what that of its derivative does."""
    position = case.argnums[0]
    os.environ["BACKSWEEP_CACHE_DIR"] = tempfile.mkdtemp()
    gradient = bs.grad(case.function, argnums=position)
    start = time.process_time()
    slope = gradient(*case.args)
    first = time.process_time() - start
    os.environ["BACKSWEEP_CACHE_DIR"] = tempfile.mkdtemp()
    anew = bs.grad(case.function, argnums=position)
    start = time.process_time()
    if isinstance(slope, float):
        bs.grad(anew, argnums=position)(*case.args)
    else:
        KINDS[kind](anew, position, case.args, checking.cotangent_like(slope))
    return first, time.process_time() - start


def measured(case: Case, kind: str) -> tuple[float, float] | str:
    """The two figures, or why there are none."""
    try:
        return seconds(case, kind)
    except bs.BacksweepError as error:
        return str(error).splitlines()[0]


def in_own_process(case: Case, kind: str) -> tuple[float, float] | str:
    """The same, in a process that has compiled nothing but the function to warm up."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(measured(case, kind)))
    process.start()
    sender.close()
    found: tuple[float, float] | str = receiver.recv()
    process.join()
    return found


def main() -> None:
    """Measure the chosen functions one after the other."""
    parser = argparse.ArgumentParser(description="How long second derivatives take to compile.")
    parser.add_argument("--of", choices=KINDS, default="sum", help="of a function of an array")
    parser.add_argument("--alone", action="store_true", help="each function in a process of its own")
    parser.add_argument("words", nargs="*", help="parts of the names of functions; all if none")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of slow ways to compute, which Numba knows of
    os.environ["BACKSWEEP_CACHE_DIR"] = tempfile.mkdtemp()
    bs.grad(bs.grad(warm_up))(1.0, 2.0)
    measure = in_own_process if options.alone else measured
    ratios = []
    for case in cases(options.words):
        found = measure(case, options.of)
        if isinstance(found, str):
            print(f"{case.name:50}{found}", flush=True)
            continue
        first, second = found
        ratios.append(second / first)
        print(f"{case.name:50}{first:8.2f} s{second:8.2f} s{ratios[-1]:7.2f}", flush=True)
    above = sum(ratio > 4.0 for ratio in ratios)
    print(f"{len(ratios)} functions: median {statistics.median(ratios):.2f}, above 4: {above}")


if __name__ == "__main__":
    main()
