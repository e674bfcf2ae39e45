"""The shares of tests that run turn with the commit, and no test can hang."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import sampled

ROOT = Path(__file__).parents[2]
HANGING = """
import numba
from tests.support.limits import limited

@numba.njit
def endless(x):
    while x >= 0.0:
        x += 1.0
    return x

with limited(30.0):
    endless.compile((numba.float64,))
with limited(2.0):
    endless(1.0)
print("it ended")
"""


@pytest.mark.skipif(sampled.EVERYTHING, reason="everything runs in each turn")
@pytest.mark.parametrize("first", [0, 7, 2**31 + 5])
def test_all_have_run_after_so_many_turns(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    items = range(965)
    found: list[int] = []
    for turn in range(first, first + 10):
        monkeypatch.setenv(sampled.TURN, str(turn))
        share = sampled.turning(10, items)
        assert share == sampled.turning(10, items)  # as every worker finds it
        assert 96 <= len(share) <= 97
        found += share
    assert sorted(found) == list(items)


def test_the_turn_of_this_run_is_told_to_all_workers() -> None:
    assert sampled.turn() >= 0
    assert sampled.turn() == sampled.turn()


def test_without_git_it_is_always_the_first_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> Any:
        raise FileNotFoundError("git")

    monkeypatch.delenv(sampled.TURN, raising=False)
    monkeypatch.setattr(sampled.subprocess, "run", missing)
    assert sampled.turn() == 0


def test_a_shallow_copy_goes_by_the_name_of_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"--is-shallow-repository": "true", "HEAD": "0000001f2a"}
    monkeypatch.delenv(sampled.TURN, raising=False)
    monkeypatch.setattr(sampled, "_git", lambda *command: answers[command[-1]])
    assert sampled.turn() == 0x1F


def test_machine_code_that_hangs_is_ended() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HANGING], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode != 0
    assert "Timeout" in done.stderr and "it ended" not in done.stdout


class Marked:
    """What `waiting` asks of a test."""

    def __init__(self, module: str, name: str, mark: pytest.MarkDecorator | None) -> None:
        self.location, self.nodeid, self.mark = (module, 1, name), f"{module}::{name}", mark

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.mark.mark if self.mark is not None and self.mark.name == name else None


@pytest.mark.skipif(sampled.EVERYTHING, reason="everything runs in each turn")
def test_marked_tests_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = [Marked("a.py", f"test_{k}", pytest.mark.turns(3)) for k in range(7)]
    together = [
        Marked(f"{name}.py", f"test_{k}", pytest.mark.turns(2, of="b")) for name in "bc" for k in (1, 2)
    ]
    always = Marked("a.py", "test_always", None)
    found: list[Any] = []
    modules: list[set[str]] = []
    for turn in range(3):
        monkeypatch.setenv(sampled.TURN, str(turn))
        monkeypatch.setenv(sampled.WHOLE, "1")
        items: list[Any] = [*alone, always, *together]
        left_out: Any = sampled.waiting(items)
        assert always not in left_out
        modules.append({item.location[0] for item in together if item not in left_out})
        found += [item for item in alone if item not in left_out]
        monkeypatch.setenv(sampled.WHOLE, "0")
        assert not sampled.waiting(items)
    assert modules in ([{"b.py"}, {"c.py"}, {"b.py"}], [{"c.py"}, {"b.py"}, {"c.py"}])
    assert sorted(item.nodeid for item in found) == [item.nodeid for item in alone]
