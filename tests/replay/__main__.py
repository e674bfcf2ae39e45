"""`python -m tests.replay [--module numba.tests.test_x] [--hours N] [--workers K]`: replay Numba's own tests."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from subprocess import run

MODULES = Path(__file__).with_name("modules.txt")
"""The modules of Numba's tests with numbers in them, those with most of them first."""

ENVIRONMENT = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "SUBPROC_TEST"), "1"
)
"""Threads of linear algebra are not there after a fork; the last tells Numba's tests that they have a process each."""


def main(words: list[str]) -> int:
    """The command line; returns 1 if a call is wrong, or refused and not known to be."""
    parser = argparse.ArgumentParser(prog="python -m tests.replay", description=__doc__)
    parser.add_argument(
        "--module", action="append", help="a module of Numba's tests; all with numbers unless given"
    )
    parser.add_argument("--test", action="append", help="only these tests of it: Class.test_method")
    parser.add_argument("--hours", type=float, default=100.0, help="how long to go on")
    parser.add_argument("--workers", type=int, default=1, help="how many modules at a time")
    parser.add_argument(
        "--ledger", type=Path, default=Path("replay-ledger"), help="the folder of the results"
    )
    parser.add_argument("--again", action="store_true", help="tests that the ledger has are run again")
    parser.add_argument("--keep", action="store_true", help="write the refusals to refusals.txt")
    parser.add_argument(
        "--shuffle", type=int, help="a seed for the tests' order, so that a part is a fair sample"
    )
    parser.add_argument(
        "--most", type=int, default=12, help="how many calls of a test, by function and types"
    )
    parser.add_argument("--test-seconds", type=float, default=60.0, help="how long a test may run")
    parser.add_argument("--call-seconds", type=float, default=120.0, help="how long a call may take")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    until = time.time() + 3600.0 * options.hours
    modules = options.module or [f"numba.tests.{name}" for name in MODULES.read_text().split()]
    options.ledger.mkdir(parents=True, exist_ok=True)
    if options.here:
        _replay_module(options.module[-1], options, until)
        return 0

    def one(module: str) -> None:
        left = (until - time.time()) / 3600.0
        if left > 0.0:
            tests = [word for test in options.test or () for word in ("--test", test)]
            again = ["--again"] if options.again else []
            given = [
                "--module",
                module,
                "--hours",
                str(left),
                "--ledger",
                str(options.ledger),
                "--most",
                str(options.most),
                "--test-seconds",
                str(options.test_seconds),
                "--call-seconds",
                str(options.call_seconds),
                *([] if options.shuffle is None else ["--shuffle", str(options.shuffle)]),
                *tests,
                *again,
            ]
            run(
                [sys.executable, "-m", "tests.replay", "--here", *given],
                check=False,
                env=os.environ | ENVIRONMENT,
            )

    with ThreadPoolExecutor(options.workers) as pool:
        list(pool.map(one, modules))
    return _summary(options.ledger, modules, keep=options.keep)


def _replay_module(module: str, options: argparse.Namespace, until: float) -> None:
    """Replay the tests of a module in processes of their own, and keep the ledger up to date."""
    from tests.replay import judging
    from tests.replay.running import Entry, Limits, replay_test, tests_of

    file = options.ledger / f"{module.rpartition('.')[2]}.json"
    kept = json.loads(file.read_text()) if file.exists() else {"tests": {}}
    try:
        names = tests_of(module)
    except ImportError:
        return
    if options.test:
        unknown = set(options.test) - set(names)
        names = [name for name in names if name in options.test]
        if unknown:
            print(f"{module} has no tests {', '.join(sorted(unknown))}", flush=True)
    if options.shuffle is not None:
        random.Random(options.shuffle).shuffle(names)
    judging.prepare()
    limits = Limits(options.test_seconds, options.call_seconds, options.most)
    seen = {(line["function"], line["types"]) for lines in kept["tests"].values() for line in lines}
    for test in names:
        if time.time() > until:
            break
        if test in kept["tests"]:
            if not options.again:
                continue
            seen -= {(line["function"], line["types"]) for line in kept["tests"][test]}
        entries: list[Entry] = []
        for entry in replay_test(module, test, limits, frozenset(seen)):
            entries.append(entry)
            seen.add((entry.function, entry.types))
            if entry.word not in ("right", "nothing", "undecided", "raises", "refused"):
                print(
                    f"{entry.word} {entry.test} {entry.function} ({entry.types})\n    {entry.reason}",
                    flush=True,
                )
        kept["tests"][test] = [asdict(entry) for entry in entries]
        file.write_text(json.dumps(kept, indent=1) + "\n")
    print(f"{module}: {len(names)} tests, {len(seen)} calls", flush=True)


def _summary(folder: Path, modules: Iterable[str], *, keep: bool) -> int:
    """Tell the ledger's figures for these modules, and what may not be; returns 1 if there is any."""
    from tests.replay.refusals import complaints, write
    from tests.replay.running import Entry

    entries = []
    for module in modules:
        file = folder / f"{module.rpartition('.')[2]}.json"
        if file.exists():
            kept = json.loads(file.read_text())["tests"]
            entries += [Entry(**line) for lines in kept.values() for line in lines]
    if keep:
        write(entries)
    message = complaints(entries)
    print("\n".join(message))
    counts = Counter(entry.word for entry in entries)
    print(f"{len(entries)} calls: " + ", ".join(f"{n} {word}" for word, n in counts.most_common()))
    codes = Counter(entry.code for entry in entries if entry.word == "refused")
    print("refused: " + ", ".join(f"{n} {code}" for code, n in codes.most_common()))
    return 1 if message else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
