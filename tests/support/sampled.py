"""Which of many alike tests run: a fixed share, so that the suite stays within its time, or all where that is asked for.

`BACKSWEEP_TEST_EVERYTHING=1 pytest` runs every one, which takes hours rather than minutes. Most shares turn with the commit:
so many commits later all have run. `BACKSWEEP_TEST_TURN=3 pytest` runs the share of that turn again.

`turning` chooses among the cases of one test. The marker `turns(n)` is for tests that are functions of their own: where the
whole suite runs, every nth of a module's tests with this mark does, others with each commit; a command that names files or
tests runs all of them. `turns(n, of="word")` is for modules that share compiled code among their tests: of the modules
with this word every nth runs.
"""

from __future__ import annotations

import os
import subprocess
import zlib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import pytest

Item = TypeVar("Item")
EVERYTHING = bool(os.environ.get("BACKSWEEP_TEST_EVERYTHING"))
TURN = "BACKSWEEP_TEST_TURN"
"""The variable with the number of the turn; the first process sets it for the others."""
WHOLE = "BACKSWEEP_TEST_WHOLE"
"""The variable that is 1 if the command names no files or tests, else 0; the first process sets it for the others."""


def turn() -> int:
    """The number of the turn: of commits, so that commits in a row have turns in a row.

    Where not all of them are there (a shallow copy) it is the commit's own name; without git it is zero.
    """
    if os.environ.get(TURN):
        return int(os.environ[TURN])
    if _git("rev-parse", "--is-shallow-repository") == "false":
        return int(_git("rev-list", "--count", "HEAD") or 0)
    return int(_git("rev-parse", "HEAD")[:8] or "0", 16)


def _git(*command: str) -> str:
    """What git says of this checkout; nothing where there is no git, or no checkout."""
    try:
        done = subprocess.run(
            ["git", "-C", str(Path(__file__).parents[1]), *command],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def every(nth: int, items: Iterable[Item], first: int = 0) -> list[Item]:
    """Every nth of the items, from the one at `first`; all if everything is asked for."""
    return list(items) if EVERYTHING else list(items)[first::nth]


def turning(nth: int, items: Iterable[Item]) -> list[Item]:
    """Every nth of the items, others with each turn, so that all have run after `nth` of them."""
    return every(nth, items, turn() % nth)


def names_nothing(config: pytest.Config) -> bool:
    """Whether the command that started this process names no files or tests, by paths or by words."""
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.getoption("keyword")


def waiting(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The tests with the mark `turns` whose turn it is not; none where the command names tests."""
    if os.environ.get(WHOLE) != "1":
        return []
    groups: dict[tuple[int, str], dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if mark := item.get_closest_marker("turns"):
            module = item.location[0]
            group, unit = (mark.kwargs["of"], module) if "of" in mark.kwargs else (module, item.nodeid)
            groups[mark.args[0], group][unit].append(item)
    found = []
    for (nth, group), units in groups.items():
        first = turn() + zlib.crc32(
            group.encode()
        )  # so that not all groups have their longest test in one turn
        now = set(every(nth, units, first % nth))
        found += [item for unit, alike in units.items() if unit not in now for item in alike]
    return found
