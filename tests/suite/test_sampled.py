"""What runs is the same for the same tree; shares that are asked for cover all; and no test can hang."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import turns
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


def test_each_slow_test_is_there() -> None:
    for name in sampled.SLOW:
        module, function = name.split("::")
        assert f"def {function}(" in (ROOT / module).read_text(encoding="utf-8"), name


def test_what_runs_does_not_depend_on_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sampled.TURN, raising=False)
    monkeypatch.setenv("PATH", "")  # no git
    assert sampled.turn() == 0


@pytest.mark.skipif(sampled.EVERYTHING, reason="everything runs in each turn")
def test_a_case_that_is_added_changes_one_other_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sampled.TURN, raising=False)
    names = [f"case {k}" for k in range(200)]
    before = set(sampled.turning(10, names))
    for place in range(0, 200, 7):
        after = set(sampled.turning(10, [*names[:place], "a new case", *names[place:]]))
        assert len(before - after) <= 1
        assert len(after - before) <= 1


@pytest.mark.skipif(sampled.EVERYTHING, reason="everything runs in each turn")
def test_the_core_has_one_case_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sampled.TURN, raising=False)
    assert len(sampled.turning(5, ["a", "b"])) == 1
    assert sampled.turning(5, [(test_a_case_that_is_added_changes_one_other_at_most, 1)])


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
    alone = [Marked(f"room/{'ab'[k % 2]}.py", f"test_{k}", pytest.mark.turns(3)) for k in range(7)]
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
        now = [item for item in alone if item not in left_out]
        assert len(now) in (2, 3)  # of a room, not of each module
        found += now
        monkeypatch.setenv(sampled.WHOLE, "0")
        assert not sampled.waiting(items)
    assert modules in ([{"b.py"}, {"c.py"}, {"b.py"}], [{"c.py"}, {"b.py"}, {"c.py"}])
    assert sorted(item.nodeid for item in found) == sorted(item.nodeid for item in alone)


def test_turns_go_to_the_rooms_of_a_change(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[tuple[str, int]] = []

    def run(room: str, turn: int) -> dict[str, Any]:
        ran.append((room, turn))
        return {"said": "1 passed", "failed": [], "code": int(turn == 6)}

    monkeypatch.setattr(turns, "run", run)
    ledger = str(tmp_path / "turns.json")
    assert turns.main(["--rooms", "emit", "--turns", "2", "--seed", "4", "--ledger", ledger]) == 0
    assert turns.main(["--rooms", "emit,ir", "--seed", "9", "--ledger", ledger]) == 1
    assert ran == [("emit", 4), ("emit", 5), ("emit", 6), ("ir", 9)]
    with pytest.raises(SystemExit):
        turns.main(["--rooms", "nowhere", "--ledger", ledger])


def test_what_changed_names_its_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(*paths: str) -> list[str]:
        answers = iter(["\n".join(paths), ""])
        done = subprocess.CompletedProcess[str]
        monkeypatch.setattr(turns.subprocess, "run", lambda *_, **__: done([], 0, next(answers), ""))
        return turns.touched("HEAD")

    assert changed("README.md") == []
    assert changed("compiler/emit/text.py") == ["ad", "emit", "rules"]
    assert changed("tests/zoo/loops.py", "tests/api/test_grad.py") == ["ad", "api", "rules"]
    assert changed("runtime/lists/growth.py") == ["ad", "rules", "runtime"]
