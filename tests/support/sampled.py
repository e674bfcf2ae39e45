"""Which of many alike tests run: the core, which is the same wherever the tree is the same, or another share that is asked for.

`pytest` runs the core: turn 0 of each share. `BACKSWEEP_TEST_TURN=3 pytest` runs the share of that turn in its place, and
`BACKSWEEP_TEST_EVERYTHING=1 pytest` every test, which takes hours rather than minutes. `python -m tests.turns` goes through
turns after a change and keeps a ledger. No choice depends on commits, time or machine.

`turning` chooses among the cases of one test. The marker `turns(n)` is for tests that are functions of their own: where the
whole suite runs, every nth of a room's tests with this mark does; a command that names files or tests runs all of them.
`turns(n, of="word")` is for modules that share compiled code among their tests: of the modules with this word every nth runs.
The tests in `slow_tests.txt`, which is written by hand from what `pytest --durations=0` tells, take turns among each other.
"""

from __future__ import annotations

import os
import zlib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import pytest

Item = TypeVar("Item")
EVERYTHING = bool(os.environ.get("BACKSWEEP_TEST_EVERYTHING"))
TURN = "BACKSWEEP_TEST_TURN"
"""The variable with the number of the turn; 0, the core, if it is not set."""
WHOLE = "BACKSWEEP_TEST_WHOLE"
"""The variable that is 1 if the command names no files or tests, else 0; the first process sets it for the others."""
SLOW = frozenset(Path(__file__).with_name("slow_tests.txt").read_text(encoding="utf-8").splitlines()[1:])
"""The functions of slow tests."""
SLOW_TURNS = 36
"""In how many turns all of them run."""


def turn() -> int:
    """The number of the turn."""
    return int(os.environ.get(TURN) or 0)


def every(nth: int, items: Iterable[Item], first: int = 0) -> list[Item]:
    """Every nth of the items, from the one at `first`; all if everything is asked for."""
    return list(items) if EVERYTHING else list(items)[first::nth]


def turning(nth: int, items: Iterable[Item]) -> list[Item]:
    """One nth of the items, others with each turn, so that all have run after `nth` of them; in turn 0 one at least.

    Names decide, by a hash, not places: a case that is added changes at most one other in the share.
    """
    given = list(items)
    if EVERYTHING:
        return given
    now = turn() % nth
    order = sorted(range(len(given)), key=lambda index: zlib.crc32(_name(given[index]).encode()))
    first, last = (-(-turn * len(given) // nth) for turn in (now, now + 1))
    return [given[index] for index in sorted(order[first:last])]


def _name(item: Any) -> str:
    """What an item is called in each process; items without a name share that of their type."""
    if isinstance(item, tuple | list):
        return " ".join(map(_name, item))
    if isinstance(item, str | int | float | complex):
        return str(item)
    for attribute in ("nodeid", "name", "__qualname__", "__name__"):
        if isinstance(name := getattr(item, attribute, None), str):
            return name
    return type(item).__name__


def names_nothing(config: pytest.Config) -> bool:
    """Whether the command that started this process names no files or tests, by paths or by words."""
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.getoption("keyword")


def waiting(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The slow tests and those with the mark `turns` whose turn it is not; none where the command names tests."""
    if os.environ.get(WHOLE) != "1":
        return []
    groups: dict[tuple[int, str], dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if mark := item.get_closest_marker("turns"):
            module = item.location[0]
            # a room's, since of a module with one such test it would run in each turn
            room = module.rpartition("/")[0]
            group, unit = (mark.kwargs["of"], module) if "of" in mark.kwargs else (room, item.nodeid)
            groups[mark.args[0], group][unit].append(item)
        elif item.nodeid.partition("[")[0] in SLOW:
            groups[SLOW_TURNS, "slow"][item.nodeid].append(item)
    found = []
    for (nth, _), units in groups.items():
        now = set(turning(nth, units))
        found += [item for unit, alike in units.items() if unit not in now for item in alike]
    return found
