"""`python -m tests.fuzz --minutes N [--seed S] [--family F] [--compiled] [--second]`: random programs until time is over."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.check import check, shrunk_report
from tests.fuzz.families import ALL, FAMILIES, Family
from tests.fuzz.generate import generate


def run(
    first: int,
    until: float,
    most: int,
    folder: Path,
    family: Family = ALL,
    *,
    jit: bool,
    second: bool = False,
    refused: bool = False,
) -> Counter[str]:
    """Check programs from seed `first` on until the clock or the count ends; print each failure, shrunk."""
    counts: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    skips: Counter[str] = Counter()
    for seed in range(first, first + most):
        if time.monotonic() > until:
            break
        program = generate(seed, family)
        outcome = check(program, folder, jit=jit, second=second, names=family.names)
        counts[outcome.verdict] += 1
        if outcome.verdict == "refused":
            refusals[outcome.message.splitlines()[0]] += 1
        if outcome.verdict == "skipped":
            skips[outcome.message.split(":")[0]] += 1
        if outcome.verdict in ("wrong", "unworded") or (refused and outcome.verdict == "refused"):
            report = shrunk_report(program, outcome, folder, jit=jit, second=second, names=family.names)
            print(report, flush=True)
    for message, times in refusals.most_common(10):
        print(f"refused {times} times: {message}")
    for message, times in skips.most_common(5):
        print(f"skipped {times} times: {message}")
    return counts


def main(words: list[str]) -> int:
    """The command line; returns 1 if a program came out wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long to go on")
    parser.add_argument("--programs", type=int, default=10**9, help="how many programs at most")
    parser.add_argument("--seed", type=int, default=0, help="the first program's seed")
    parser.add_argument("--compiled", action="store_true", help="with jit=True: seconds for each program")
    parser.add_argument(
        "--family", choices=sorted(FAMILIES), default="all", help="the constructs to have most of"
    )
    parser.add_argument("--second", action="store_true", help="the gradient of each gradient as well")
    parser.add_argument("--refused", action="store_true", help="shrink and show refused programs as well")
    parser.add_argument("--show", action="store_true", help="print the first program and stop")
    options = parser.parse_args(words)
    family = FAMILIES[options.family]
    if options.show:
        print(generate(options.seed, family).text)
        return 0
    until = time.monotonic() + 60.0 * options.minutes
    with tempfile.TemporaryDirectory(prefix="backsweep-fuzz-") as folder:
        counts = run(
            options.seed,
            until,
            options.programs,
            Path(folder),
            family,
            jit=options.compiled,
            second=options.second,
            refused=options.refused,
        )
    print(
        f"{sum(counts.values())} programs: "
        + ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items()))
    )
    return 1 if counts["wrong"] or counts["unworded"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
