"""`python -m tests.replay [--module numba.tests.test_x] [--libraries] [--hours N] [--workers K]`: replay Numba's own tests, or NumPy's and SciPy's."""

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
from typing import Any

MODULES = Path(__file__).with_name("modules.txt")
"""The modules of Numba's tests with numbers in them, those with most of them first."""
OF_LIBRARIES = Path(__file__).with_name("library_modules.txt")
"""The modules of NumPy's and SciPy's tests that call what is noted."""

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
    parser.add_argument("--libraries", action="store_true", help="the modules of NumPy's and SciPy's tests")
    parser.add_argument(
        "--test",
        action="append",
        help="only these tests of it: Class.test_method; of a library a class or a test",
    )
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
    of_numba = [f"numba.tests.{name}" for name in MODULES.read_text().split()]
    modules = options.module or (OF_LIBRARIES.read_text().split() if options.libraries else of_numba)
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

    file = _ledger_of(options.ledger, module)
    kept = json.loads(file.read_text()) if file.exists() else {"tests": {}}
    if module.partition(".")[0] != "numba":
        _replay_library(module, options, until, file, kept)
        return
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
            _tell(entry)
        kept["tests"][test] = [asdict(entry) for entry in entries]
        file.write_text(json.dumps(kept, indent=1) + "\n")
    print(f"{module}: {len(names)} tests, {len(seen)} calls", flush=True)


def _replay_library(
    module: str, options: argparse.Namespace, until: float, file: Path, kept: dict[str, Any]
) -> None:
    """Replay the calls that a module of a library's tests makes, and keep the ledger up to date."""
    from tests.replay import judging, libraries
    from tests.replay.running import Limits

    limits = Limits(options.test_seconds, options.call_seconds, options.most)
    if options.again:
        kept["tests"].clear()
    entries = [line for lines in kept["tests"].values() for line in lines]
    seen = {(line["function"], line["types"]) for line in entries}
    judging.prepare()
    for entry in libraries.replay(module, limits, seen, options.test or ()):
        kept["tests"].setdefault(entry.test, []).append(asdict(entry))
        _tell(entry)
        file.write_text(json.dumps(kept, indent=1) + "\n")
        if time.time() > until:
            break
    print(f"{module}: {sum(map(len, kept['tests'].values()))} kinds of calls", flush=True)


def _ledger_of(folder: Path, module: str) -> Path:
    """The file that a module's results are in: of a library by its whole name, as several have a `test_basic`."""
    return folder / f"{module.removeprefix('numba.tests.')}.json"


def _tell(entry: Any) -> None:
    """Print a verdict that may not be."""
    if entry.word not in ("right", "nothing", "undecided", "raises", "refused"):
        print(f"{entry.word} {entry.test} {entry.function} ({entry.types})\n    {entry.reason}", flush=True)


def _summary(folder: Path, modules: Iterable[str], *, keep: bool) -> int:
    """Tell the ledger's figures for these modules, and what may not be; returns 1 if there is any."""
    from tests.replay.refusals import FILE, complaints, write, write_figures
    from tests.replay.refusals import OF_LIBRARIES as REFUSED_OF_LIBRARIES
    from tests.replay.running import Entry

    of_libraries = [module for module in modules if module.partition(".")[0] != "numba"]
    entries, message = [], []
    for own, refusals in ((set(modules) - set(of_libraries), FILE), (of_libraries, REFUSED_OF_LIBRARIES)):
        found = []
        for module in sorted(own):
            file = _ledger_of(folder, module)
            if file.exists():
                kept = json.loads(file.read_text())["tests"]
                found += [Entry(**line) for lines in kept.values() for line in lines]
        if keep and found:
            write(found, refusals)
            if refusals != FILE:
                write_figures(found)
        message += complaints(found, refusals)
        entries += found
    print("\n".join(message))
    counts = Counter(entry.word for entry in entries)
    print(f"{len(entries)} calls: " + ", ".join(f"{n} {word}" for word, n in counts.most_common()))
    codes = Counter(entry.code for entry in entries if entry.word == "refused")
    print("refused: " + ", ".join(f"{n} {code}" for code, n in codes.most_common()))
    return 1 if message else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
