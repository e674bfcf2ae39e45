"""One process makes a piece of code, the others wait; whatever ends a process, the next has its turn."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from backsweep.runtime.machine_code import turns
from backsweep.runtime.machine_code.turns import CODE, FACTS, TEXT, Turn

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")


def ignore() -> None:
    """Nothing is looked after while a turn is waited for."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(tmp_path))
    return tmp_path


def has_its_turn(name: str, told: Connection) -> None:
    """What another process does: it takes a turn, and waits to be ended."""
    told.send(Turn().take(CODE, name, ignore))
    signal.pause()


@pytest.fixture
def other() -> Iterator[Any]:
    """A process that has the turn for `thing`."""
    context = multiprocessing.get_context("fork")
    mine, theirs = context.Pipe()
    process = context.Process(target=has_its_turn, args=("thing", theirs))
    process.start()
    assert mine.recv()
    yield process
    process.kill()
    process.join()


class StillWaitingError(Exception):
    """What `check` raises, as a signal's handler may."""


def give_up() -> None:
    raise StillWaitingError


def test_the_end_of_a_process_ends_its_turn(other: Any) -> None:
    turn, waited = Turn(), []
    with pytest.raises(StillWaitingError):
        turn.take(CODE, "thing", give_up)
    assert turn.name == ""
    assert turn.take(CODE, "another thing", give_up)

    def end_it() -> None:
        waited.append(len(waited))
        os.kill(other.pid, signal.SIGKILL)

    turn.give_back()
    assert turn.take(CODE, "thing", end_it)
    assert waited
    turn.give_back()


def test_nobody_waits_for_ever(other: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LONGEST", 0.05)
    assert not Turn().take(CODE, "thing", ignore)


def test_a_later_stage_takes_the_place_of_an_earlier_one(folder: Path) -> None:
    turn = Turn()
    assert [turn.take(*each, ignore) for each in ((FACTS, "a"), (TEXT, "b"), (TEXT, "c"), (FACTS, "d"))] == [
        True,
        True,
        False,
        False,
    ]
    assert turn.name == "b"
    assert turn.take(CODE, "e", ignore) and not turn.take(CODE, "of what it calls", ignore)
    turn.give_back()
    turn.give_back()
    assert turn.take(FACTS, "f", ignore)
    turn.give_back()
    assert [path.name for path in folder.iterdir()] == ["turns.lock"]


@pytest.mark.parametrize("what", ["open", "lock"])
def test_where_files_have_no_locks(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> int:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(turns.os if what == "open" else turns, "open" if what == "open" else "_lock", refused)
    turn = Turn()
    assert not turn.take(CODE, "thing", ignore)
    turn.give_back()
