"""Calls in Numba's own tests, and in NumPy's, differentiated: a sample; `python -m tests.replay` replays all."""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from tests.replay import judging, refusals
from tests.replay.differences import slope
from tests.replay.recording import Enough, Group, recording
from tests.replay.running import Entry, _in_process
from tests.replay.texts import noted
from tests.support.sampled import turning

SAMPLE = Path(__file__).parents[1] / "replay" / "sample.txt"


LIBRARY_SAMPLE = SAMPLE.with_name("library_sample.txt")


def sample(file: Path = SAMPLE) -> dict[str, list[str]]:
    """The tests of the sample by module."""
    found: dict[str, list[str]] = {}
    for line in file.read_text().splitlines():
        if line and not line.startswith("#"):
            module, test = line.split(" | ")
            found.setdefault(module, []).append(test)
    return found


@pytest.mark.parametrize("module", turning(18, sample()))
def test_sample_is_right_or_known_to_be_refused(module: str, tmp_path: Path) -> None:
    assert_right_or_known(f"numba.tests.{module}", sample()[module], tmp_path)


@pytest.mark.parametrize("module", turning(12, sample(LIBRARY_SAMPLE)))
def test_sample_of_a_library_is_right_or_known_to_be_refused(module: str, tmp_path: Path) -> None:
    assert_right_or_known(module, sample(LIBRARY_SAMPLE)[module], tmp_path)


def assert_right_or_known(module: str, chosen: list[str], tmp_path: Path) -> None:
    """Replay these tests of a module."""
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"there is no {module}")
    tests = [word for test in chosen for word in ("--test", test)]
    command = [sys.executable, "-m", "tests.replay", "--module", module, *tests]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [*command, "--ledger", str(tmp_path)],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = json.loads((tmp_path / f"{module.removeprefix('numba.tests.')}.json").read_text())["tests"]
    assert all(lines.values()), "a test of the sample shows no call"


def group_of(function: Any, *args: Any) -> Group:
    """The group that one call makes."""
    with recording(1) as recorder:
        njit(function)(*args)
    (group,) = recorder.groups.values()
    return group


def test_a_call_is_recorded_once_for_its_types_with_the_arguments_as_they_were() -> None:
    @njit
    def clear(x: Any) -> Any:
        total = x.sum()
        x[:] = 0.0
        return total

    with recording(10) as recorder:
        clear(np.ones(3))
        clear(np.ones(3, np.float32))
        clear(x=2.0 * np.ones(3))
    assert [group.types for group in recorder.groups.values()] == [
        "array(float64, 1d, C)",
        "array(float32, 1d, C)",
    ]
    points = next(iter(recorder.groups.values())).points
    assert [point[0].tolist() for point in points] == [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    with recording(10, frozenset(recorder.groups)) as later:
        clear(np.ones(4))
    assert not later.groups
    with recording(0), pytest.raises(Enough):
        clear(np.ones(3))
    clear(np.ones((2, 2)))  # not recorded


@pytest.mark.compiles_many("each verdict is that of another function")
def test_verdicts() -> None:
    def product(x: Any, n: Any) -> Any:
        return x * np.sin(x) * n

    def reads_no_numbers(x: Any) -> Any:
        return x + 1

    def of_a_set(x: Any) -> Any:
        total = 0.0
        for v in {x, 1.0}:
            total = total * 0.5 + v
        return total

    def fails(x: Any) -> Any:
        if x > 0.0:
            raise ValueError("positive")
        return x

    assert judging.judge(group_of(product, np.array([0.3, -2.0]), 3)).word == "right"
    assert judging.judge(group_of(product, 0.5 + 0.25j, 3)).word == "right"
    assert judging.judge(group_of(product, np.float32(0.5), 3)).word == "right"
    assert judging.judge(Group("f", "int64", reads_no_numbers, None, [(3,)])).word == "nothing"
    assert judging.judge(group_of(of_a_set, 0.5)).word == "refused"
    raising = Group("fails", "float64", fails, None, [(1.0,)])
    assert judging.judge(raising).word == "raises"

    def known_points(x: Any, n: int) -> Any:
        if x == 2.0:
            return n * x
        raise RuntimeError("another point")

    assert judging.judge(group_of(known_points, 2.0, 3)).word == "undecided"
    large = np.ones(judging.MOST_NUMBERS + 1)
    assert judging.judge(group_of(lambda x: 2.0 * x[0], large)).word == "undecided"


def test_what_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def cube(x: Any) -> Any:
        return x * x * x

    vjp = judging.bs.vjp

    def doubled(f: Any, *args: Any, **options: Any) -> Any:
        y, pullback = vjp(f, *args, **options)
        return y, lambda y_bar: 2.0 * pullback(y_bar)

    def another_value(f: Any, *args: Any, **options: Any) -> Any:
        y, pullback = vjp(f, *args, **options)
        return y + 1e-3, pullback

    def broken(f: Any, *args: Any, **options: Any) -> Any:
        raise KeyError("within")

    group = group_of(cube, np.array([0.3, -2.0]))
    monkeypatch.setattr(judging.bs, "vjp", doubled)
    assert "differences" in judging.judge(group).reason
    monkeypatch.setattr(judging.bs, "vjp", another_value)
    assert judging.judge(group).reason.startswith("the value is")
    monkeypatch.setattr(judging.bs, "vjp", broken)
    assert judging.judge(group).word == "unworded"

    def message(f: Any, *args: Any, **options: Any) -> Any:
        raise judging.bs.InternalError(judging.bs.diagnostics.Problem("BS901", "a fault of ours"))

    monkeypatch.setattr(judging.bs, "vjp", message)
    assert judging.judge(group).word == "unworded"


def test_a_call_that_hangs_or_crashes_ends() -> None:
    def hangs(group: Group) -> None:
        while group:
            pass

    def crashes(group: Group) -> None:
        raise SystemExit(3)

    group = Group("f", "float64", abs, None)
    own = judging.judge
    try:
        judging.judge = hangs  # type: ignore[assignment]
        assert _in_process(group, 0.5).word == "hang"
        judging.judge = crashes  # type: ignore[assignment]
        assert _in_process(group, 30.0) == judging.Verdict("crash", reason="exit code 3")
    finally:
        judging.judge = own


def test_slopes_and_where_there_are_none() -> None:
    assert slope(lambda t: math.exp(2.0 * t)).value == pytest.approx(2.0, rel=1e-9)
    assert slope(lambda t: 3.0).undecided == ""
    for kinked in (abs, lambda t: max(t, 0.0), lambda t: float(t > 0.0), lambda t: float(t == 0.0)):
        assert slope(kinked).undecided == "the slopes of the two sides differ"
    assert slope(lambda t: 5.0 * t + 3e-3 * math.floor((t + 5e-4) / 1e-3)).undecided != ""
    assert slope(lambda t: math.sqrt(t) if t >= 0.0 else math.nan).undecided == "a value nearby is not finite"


def test_a_call_is_noted_as_a_function_of_its_floats() -> None:
    k = np.array([0, 2])
    call = noted("np.take", ([[0.5, 1.5], [2.5, np.float32(3.5)]], k), {"axis": 1, "mode": "clip"}, "test_x")
    assert call is not None
    assert call.text == "[[x0, x1], [x2, x3]], k0, axis=1, mode='clip'"
    assert call.kind == "[[float...], [float, float32]], int64[1], axis=int, mode='clip'"
    np.testing.assert_array_equal(call.function()(*call.floats), [[0.5, 1.5], [2.5, 3.5]])
    group = Group(call.name, call.kind, call.function(), None, [call.floats], jit=False)
    assert judging.judge(group).word == "right"
    of_none = (
        ((3, "x"), {}),
        ((object(), 1.0), {}),
        ((np.ones(5, np.float16),), {}),
        ((np.ones((9, 9)),), {}),
    )
    assert all(noted("np.sum", args, keywords, "t") is None for args, keywords in of_none)
    of_numbers = noted("np.sum", (list(map(float, range(12))),), {"dtype": np.dtype("f4")}, "t")
    assert of_numbers is not None
    assert of_numbers.kind == "float64[1], dtype=np.float32"


def test_complaints_are_what_is_wrong_new_or_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "refusals.txt"
    file.write_text("# head\n")
    monkeypatch.setattr(refusals, "FILE", file)

    def entry(word: str, code: str = "", types: str = "float64") -> Entry:
        return Entry("numba.tests.test_x.A.test_f", "test_x.f", types, word, code, "why", 0.1)

    assert refusals.complaints([entry("right"), entry("undecided"), entry("nothing"), entry("raises")]) == []
    for word in ("wrong", "unworded", "hang", "crash"):
        assert refusals.complaints([entry(word)])[0].startswith(
            f"{word}: test_x.A.test_f | test_x.f | float64"
        )
    assert refusals.complaints([entry("refused", "BS201")])[0].startswith("a new refusal")
    refusals.write([entry("refused", "BS201"), entry("right", types="int64")])
    assert file.read_text() == "# head\ntest_x.A.test_f | test_x.f | float64 | BS201 | why\n"
    assert refusals.complaints([entry("refused", "BS201"), entry("right", types="int64")]) == []
    assert refusals.complaints([entry("refused", "BS202")])[0].startswith(
        "refused with BS202 instead of BS201"
    )
    assert refusals.complaints([entry("right")])[0].startswith("no longer refused")
    refusals.write([entry("right")])
    assert file.read_text() == "# head\n"


def test_figures_tell_what_is_meant_to_be_refused(tmp_path: Path) -> None:
    def entry(word: str, reason: str = "why", module: str = "test_x") -> Entry:
        return Entry(f"numpy.lib.tests.{module}.TestA::test_f", "np.f", "float64", word, "BS301", reason, 0.1)

    file = tmp_path / "figures.txt"
    file.write_text("# head\nnumpy.lib.tests.test_w | 1 | 1 right\nnumpy.lib.tests.test_x | 9 | 9 right\n")
    half = entry("refused", "this value is in half precision (float16)")
    refusals.write_figures(
        [entry("right"), entry("right"), half, entry("refused"), entry("right", module="test_y")], file
    )
    assert file.read_text().splitlines() == [
        "# head",
        "numpy.lib.tests.test_w | 1 | 1 right",
        "numpy.lib.tests.test_x | 4 | 1 refused, 1 refused by design, 2 right",
        "numpy.lib.tests.test_y | 1 | 1 right",
    ]


def test_what_cannot_be_the_librarys_is_not_told_as_wrong(tmp_path: Path) -> None:
    vectors = Entry(
        "scipy.linalg.tests.test_decomp.TestEigh::test_f",
        *(
            "scipy.linalg.eigh",
            "float64[2]",
            "wrong",
            "",
            "the value is array([1.0]) instead of array([-1.0])",
            0.1,
        ),
    )
    assert refusals.complaints([vectors]) == []
    refusals.write_figures([vectors], tmp_path / "figures.txt")
    assert (tmp_path / "figures.txt").read_text().endswith("test_decomp | 1 | 1 otherwise by design\n")


def test_every_reason_of_a_meant_refusal_is_met() -> None:
    lines = refusals.OF_LIBRARIES.read_text().splitlines()
    met = {refusals.design_of(line) for line in lines}
    assert {reason for _, reason in refusals.BY_DESIGN} <= met
