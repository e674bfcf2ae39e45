"""`python -m tests.farm --hours N [--workers K] [--seed S]`: random programs of all families, and mutants, on all cores.

Each program is checked as plain Python, every tenth compiled as well, and every tenth once more without one of the passes
that only save work, in child processes with time limits. What fails is
made small. The ledger is a JSON file: outcomes by family, seeds, faults with their programs; a farm that is started again
with it goes on.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from tests.farm.ledger import Ledger
from tests.farm.sources import OFF, WEIGHTS
from tests.farm.work import FAULTS, Plan, work

SAVED = 20.0
"""Seconds between two writings of the ledger."""


def main(words: list[str]) -> int:
    """The command line; returns 1 if the ledger has a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.farm", description=__doc__)
    parser.add_argument("--hours", type=float, default=1.0, help="how long to go on")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes at once")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of each family, in a new ledger")
    parser.add_argument("--ledger", type=Path, default=Path("farm.json"), help="the file to go on with")
    parser.add_argument("--families", default="", help=f"only these, by commas: {', '.join(sorted(WEIGHTS))}")
    parser.add_argument("--compiled", type=int, default=10, help="compile every so many programs; 0: none")
    parser.add_argument(
        "--without", type=int, default=10, help="leave a pass out of every so many programs; 0: of none"
    )
    parser.add_argument(
        "--programs", type=int, default=10**9, help="how many programs each worker checks at most"
    )
    options = parser.parse_args(words)
    families = tuple(options.families.split(",")) if options.families else tuple(sorted(set(WEIGHTS) - OFF))
    unknown = sorted(set(families) - set(WEIGHTS))
    if unknown:
        parser.error(f"no family {unknown[0]!r}")
    ledger, started = Ledger.read(options.ledger), time.monotonic()
    before = ledger.hours
    until = started + 3600.0 * options.hours
    plan = Plan(families, options.seed, options.compiled, until, options.programs, options.without)
    workers = [
        threading.Thread(target=work, args=(plan, ledger, number, tell), daemon=True)
        for number in range(options.workers)
    ]
    for worker in workers:
        worker.start()
    try:
        while any(worker.is_alive() for worker in workers):
            for worker in workers:
                worker.join(SAVED / len(workers))
            with ledger.lock:
                ledger.hours = before + (time.monotonic() - started) / 3600.0
                ledger.write()
    except KeyboardInterrupt:
        print("stopped; the ledger is kept")
    with ledger.lock:
        ledger.write()
    totals: Counter[str] = sum(ledger.outcomes.values(), Counter())
    message = ", ".join(f"{n} {verdict}" for verdict, n in totals.most_common())
    print(
        f"{sum(totals.values())} programs: {message}; {len(ledger.faults)} kinds of fault in {options.ledger}"
    )
    return 1 if any(totals[verdict] for verdict in FAULTS) else 0


def tell(text: str) -> None:
    """Print a fault."""
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
