"""`python -m tests.fuzz.values --programs N [--seed S]`: programs of containers and objects, their values against Python's.

No derivative is written and nothing is compiled: the program that derivatives are written from is interpreted. So ten times as
many programs are tried in the same time as by the farm's family of the same name.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from numba import typeof

import backsweep as bs
from tests.fuzz.objects.generate import generate
from tests.fuzz.outcome import Outcome, UnfitError, of_error
from tests.fuzz.program import Program, load
from tests.support.checking import clone
from tests.support.interpreter import interpret

TOLERANCE = 1e-9
TOLD = 1000
"""After so many programs a line tells how many came out how."""


def checked(program: Program, folder: Path) -> Outcome:
    """What comes of the program's value."""
    try:
        function = load(program, folder)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            expected = float(function(*clone(program.args)))
    except UnfitError as error:
        return Outcome("skipped", str(error))
    except Exception as error:  # the program's own
        return Outcome("skipped", f"{type(error).__name__}: {error}")
    if not math.isfinite(expected):
        return Outcome("skipped", "not finite")
    build = bs.value_and_grad(function, argnums=program.argnums, jit=False).build
    try:
        found = interpret(build.primal_for(tuple(map(typeof, program.args))), *clone(program.args))
    except Exception as error:  # whatever it is, it is a finding about the compiler
        return of_error(error)
    if abs(found - expected) <= TOLERANCE * (1.0 + abs(expected)):
        return Outcome("right")
    return Outcome("wrong", f"{found!r} in place of {expected!r}")


def main(words: list[str]) -> int:
    """The command line; returns 1 if a program came out wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.values", description=__doc__)
    parser.add_argument("--programs", type=int, default=TOLD, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first program's seed")
    given = parser.parse_args(words)
    counts, started = Counter[str](), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1, given.programs + 1):
            program = generate(given.seed + number - 1)
            outcome = checked(program, Path(folder))
            counts[outcome.verdict] += 1
            if outcome.verdict in ("wrong", "unworded"):
                print(
                    f"seed {program.seed}, {outcome.verdict}: {outcome.message}\n{program.text}", flush=True
                )
            if number % TOLD == 0 or number == given.programs:
                print(f"{dict(counts)} in {time.monotonic() - started:.0f} s", flush=True)
    return int(counts["wrong"] + counts["unworded"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
