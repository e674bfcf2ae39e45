"""ADBench's problems from its smallest sizes to the largest that fit: `python -m benchmarks.adbench_sizes`, five minutes on one thread.

It prints the table of docs/performance.md. The suite's files are read where they lie beside the checkout (`../shared/data/adbench`); sizes without a
file are generated. Each derivative is checked before it is timed, and the least time counts.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks.__main__ import machine
from benchmarks.adbench import PROBLEMS, PUBLISHED, SUITE
from benchmarks.measure import least_times
from benchmarks.problem import check
from examples.adbench import ba, gmm, hand, lstm

READERS: dict[str, Callable[..., Any]] = {
    "gmm": gmm.read_instance,
    "lstm": lstm.read_instance,
    "ba": ba.read_instance,
    "hand_simple": hand.read_instance,
    "hand_complicated": hand.read_instance,
}
FOLDERS = {"hand_simple": "hand/simple_small", "hand_complicated": "hand/complicated_small"}
GENERATED: dict[str, tuple[Callable[..., Any], tuple[tuple[Any, ...], ...]]] = {
    "gmm": (
        gmm.generate_instance,
        ((20, 50, 1000), (64, 200, 1000), (128, 200, 1000), (64, 100, 10_000), (10, 25, 100_000)),
    ),
    "lstm": (lstm.generate_instance, ((4, 16_384), (8, 16_384))),
    "ba": (ba.generate_instance, ((1197, 126_327, 563_734),)),
    "hand_simple": (hand.generate_instance, ((10_000, False), (100_000, False))),
    "hand_complicated": (hand.generate_instance, ((10_000, True), (100_000, True))),
}
"""What makes an instance, and with which arguments."""
TINY: dict[str, tuple[Any, ...]] = {
    "gmm": (2, 3, 10),
    "lstm": (2, 9),
    "ba": (2, 3, 7),
    "hand_simple": (3, False),
    "hand_complicated": (3, True),
}


def instances(name: str, *, tiny: bool) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The sizes of a problem, each with its name: those of the suite's files, then generated ones."""
    make, sizes = GENERATED[name]
    if tiny:
        yield "tiny", make(*TINY[name])
        return
    files = sorted(
        (SUITE / FOLDERS.get(name, name)).rglob(f"{name.partition('_')[0]}*.txt"),
        key=lambda each: each.stat().st_size,
    )
    for file in files:
        yield str(file.relative_to(SUITE / FOLDERS.get(name, name)).with_suffix("")), READERS[name](file)
    for size in sizes:
        yield (
            f"generated {', '.join(str(each) for each in size if each is not True and each is not False)}",
            make(*size),
        )


def rows(name: str, *, tiny: bool) -> Iterator[str]:
    """A row in Markdown for each size of a problem."""
    problem = next(each for each in PROBLEMS if each.name == name)
    for size, args in instances(name, tiny=tiny):
        known = PUBLISHED.get(f"{name}/{size}.txt")
        sized = dataclasses.replace(
            problem, instance=lambda _, given=args: given, reference=lambda _, found=known: found
        )
        derivative = sized.own_derivative or sized.transformed()
        check(sized, derivative, size)
        primal, gradient = least_times([problem.primal, derivative], args)
        yield f"| {name} | {size} | {1e3 * primal:.3g} | {1e3 * gradient:.3g} | {gradient / primal:.2f} |"


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adbench_sizes", description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="sizes for trying")
    parser.add_argument("--only", nargs="+", choices=GENERATED, help="problems")
    options = parser.parse_args(words)
    print(f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}; {', '.join(f'{k} {v}' for k, v in machine().items())}\n")
    print(
        "| problem | size | primal, ms | derivative, ms | / primal |",
        "| --- " * 5 + "|",
        sep="\n",
        flush=True,
    )
    for name in options.only or GENERATED:
        for row in rows(name, tiny=options.tiny):
            print(row, flush=True)


if __name__ == "__main__":
    main()
