"""`python -m tests.turns`: the tests that are not in the core, of the rooms that a change touches, with a ledger.

    python -m tests.turns                          the next turn of each room that the working tree changes
    python -m tests.turns --since REV --turns 3    three turns of each room that has changed since REV
    python -m tests.turns --rooms ad,rules         of these rooms; `all` for every one
    python -m tests.turns --seed 7                 a room that the ledger does not have begins with turn 7

A turn is a share of the tests that `tests/support/sampled.py` chooses among, all with its number. The suite runs turn 0,
the core. The ledger is a JSON file: for each room the turns that ran, what pytest said last, and which tests failed. A
turn that it has is not run again. The exit code is 1 if a test failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.sampled import TURN, WHOLE

ROOT = Path(__file__).parents[1]
GRADIENTS = ("ad", "rules")
"""The rooms of tests that run whole programs: a change of the compiler or the runtime touches them, wherever it is."""


def rooms() -> list[str]:
    """The rooms of the tests: folders that have some."""
    return sorted({path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")})


def touched(since: str) -> list[str]:
    """The rooms whose code or tests have changed since a revision, and those that run whole programs."""
    found: set[str] = set()
    for command in (["diff", "--name-only", since], ["ls-files", "--others", "--exclude-standard"]):
        done = subprocess.run(["git", "-C", str(ROOT), *command], capture_output=True, text=True, check=True)
        for package, *inner in (path.split("/") for path in done.stdout.split()):
            if package == "runtime":
                found |= {"runtime", *GRADIENTS}
            elif package == "compiler":
                found |= {inner[0].removesuffix(".py"), *GRADIENTS}
            elif package == "tests" and len(inner) > 1:
                found |= set(GRADIENTS) if inner[0] in ("zoo", "support") else {inner[0]}
    return [room for room in rooms() if room in found]


def run(room: str, turn: int) -> dict[str, Any]:
    """What one turn of a room came to: pytest's last line, and the tests that failed."""
    environment = {**os.environ, TURN: str(turn), WHOLE: "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", f"tests/{room}"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines() or [done.stderr.strip() or "no output"]
    failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return {"said": lines[-1], "failed": failed, "code": done.returncode}


def main(words: list[str]) -> int:
    """The command line; returns 1 if a test failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.turns", description=__doc__)
    parser.add_argument("--since", default="HEAD", help="what has changed since this revision counts")
    parser.add_argument("--rooms", default="", help=f"these, by commas, or all: {', '.join(rooms())}")
    parser.add_argument("--turns", type=int, default=1, help="how many turns of each room")
    parser.add_argument("--seed", type=int, default=1, help="the first turn of a room; 0 is the core")
    parser.add_argument("--ledger", type=Path, default=Path("turns.json"), help="the file to go on with")
    options = parser.parse_args(words)
    named = [room for room in options.rooms.split(",") if room]
    if unknown := sorted(set(named) - {*rooms(), "all"}):
        parser.error(f"no room {unknown[0]!r}")
    chosen = rooms() if named == ["all"] else named or touched(options.since)
    kept: dict[str, dict[str, Any]] = {}
    if options.ledger.exists():
        kept = json.loads(options.ledger.read_text(encoding="utf-8"))
    failures = 0
    for room in chosen:
        ran = kept.setdefault(room, {})
        first = max((int(turn) + 1 for turn in ran), default=options.seed)
        for turn in range(first, first + options.turns):
            ran[str(turn)] = outcome = run(room, turn)
            failures += outcome["code"] not in (0, 5)  # 5: the room has no test in this turn
            print(f"{room}, turn {turn}: {outcome['said']}", *outcome["failed"], sep="\n    ", flush=True)
            options.ledger.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    print(f"{len(chosen)} rooms; {failures} turns with failures in {options.ledger}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
