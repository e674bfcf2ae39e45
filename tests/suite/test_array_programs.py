"""The farm's programs of array statements: how their arguments lie in memory, and how they are judged."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backsweep.ir.nodes import Function, Store
from backsweep.ir.walk import with_body
from backsweep.pipeline import table as pipeline
from backsweep.programs import sweeps
from tests.fuzz.arrays.arguments import as_text, realised
from tests.fuzz.arrays.check import check
from tests.fuzz.arrays.extents import settings
from tests.fuzz.arrays.generate import generate
from tests.fuzz.program import Line, Program, load
from tests.fuzz.shrink import smaller
from tests.fuzz.validated import passes_that_break
from tests.suite.test_farm import WRONG
from tests.support.gradients_checked import assert_fits

X, Y = np.array([0.4, 0.7, 1.1]), np.array([-0.3, 0.5, 0.2])
SHORT = (X[:1], Y[:1])


def program(*lines: str, **more: Any) -> Program:
    """A program of two vectors, of three entries and then of one."""
    given: dict[str, Any] = {"settings": (SHORT,), **more}
    return Program(1, given.pop("helpers", ()), ("x", "y"), (X, Y), tuple(map(Line, lines)), **given)


@pytest.mark.parametrize(
    ("lines", "more", "verdict"),
    [
        (["x *= 2.0", "return np.sum(x * y[::-1])"], {}, "right"),
        (["x *= 2.0", "return np.sum(x * y)"], {"forms": ("F", "readonly")}, "right"),
        (["x *= 2.0", "return np.sum(x * y)"], {"forms": ("", "is x")}, "refused"),
        (["return np.sum(x * y)"], {"forms": ("strided", "is x")}, "right"),
        (["return x * y, np.sum(y)"], {"results": "several", "forms": ("reversed", "")}, "right"),
        (["return np.sum(x[1:] / y[:-1]) + twice(x[0])"], {"helpers": WRONG}, "wrong"),
        (["if x.size == 1: raise ValueError", "return np.sum(x)"], {}, "right"),
        (["return np.sum(x + np.ones(3)[:x.size + 1])"], {"settings": ()}, "right"),
        (["return x.tobytes()[0] * y[0]"], {}, "refused"),
        (["return np.sum(x) * 1e9"], {}, "skipped"),
    ],
)
def test_judged(lines: list[str], more: dict[str, Any], verdict: str, tmp_path: Path) -> None:
    found = check(program(*lines, **more), tmp_path, jit=False)
    assert found.verdict == verdict, found.message


def test_a_fault_of_the_second_call_is_told(tmp_path: Path) -> None:
    asked = program("return np.sum(x) + (twice(x[0]) if x.size == 1 else 0.0)", helpers=WRONG)
    found = check(asked, tmp_path, jit=False)
    assert found.verdict == "wrong"
    assert "in call 2" in found.message
    again = [each for each in smaller(asked) if (each.body, each.helpers) == (asked.body, asked.helpers)]
    assert sorted(len(each.settings) for each in again) == [0, 0, 0]


@pytest.mark.parametrize("form", ["", "F", "strided", "reversed", "readonly", "is A"])
def test_arguments_lie_as_they_are_told(form: str) -> None:
    A = np.arange(6.0).reshape(3, 2)
    asked = Program(1, (), ("A", "B"), (A, A), (), forms=("", form))
    first, second = realised(asked, asked.args)
    scope: dict[str, Any] = {"np": np}
    exec(as_text(asked), scope)
    np.testing.assert_array_equal(second, A)
    assert (second is first) == (form == "is A") == (scope["B"] is scope["A"])
    assert scope["B"].strides == second.strides
    assert second.flags.writeable == (form != "readonly")


def test_extents_change_from_call_to_call() -> None:
    drawn = [settings(random.Random(seed)) for seed in range(40)]
    assert sum(1 in call.values() for calls in drawn for call in calls) > 30
    assert any(0 in call.values() for calls in drawn for call in calls)
    assert all(len(calls) == 3 for calls in drawn)


def test_most_programs_run_in_every_setting(tmp_path: Path) -> None:
    raised = 0
    for seed in range(20):
        asked = generate(seed)
        assert asked is not None
        function = load(asked, tmp_path)
        for args in (asked.args, *asked.settings):
            try:
                with np.errstate(all="ignore"):
                    function(*realised(asked, args))
            except (ValueError, IndexError, np.linalg.LinAlgError):
                raised += 1
    assert raised < 8


def test_a_gradient_of_another_shape_or_dtype_is_noticed() -> None:
    assert_fits((X, (Y, 1.0)), (X, (Y, 2.0)), "gradient")
    with pytest.raises(AssertionError, match=r"shape \(3,\) instead of \(1,\)"):
        assert_fits(X, X[:1], "gradient")
    with pytest.raises(AssertionError, match="dtype float64 instead of float32"):
        assert_fits(X, X.astype(np.float32), "gradient")


@pytest.mark.parametrize("seed", range(1000, 1003))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    asked = generate(seed)
    assert asked is not None
    outcome = check(asked, tmp_path, jit=False)
    if outcome.verdict in ("skipped", "refused"):
        pytest.skip(outcome.message)
    assert outcome.verdict == "right", f"{outcome.message}\n{as_text(asked)}\n{asked.text}"


def test_the_pass_that_broke_a_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_stores(function: Function) -> Function:
        nodes = tuple(node for node in function.body.nodes if not isinstance(node, Store))
        return with_body(function, dataclasses.replace(function.body, nodes=nodes))

    broken = tuple(
        dataclasses.replace(each, run=without_stores) if each.name == "equal tapes" else each
        for each in pipeline.DERIVATIVE
    )
    monkeypatch.setattr(sweeps, "DERIVATIVE", broken)
    asked = program("x[0] = np.sin(y[1])", "return x[0] * x[1]", settings=())
    found = check(asked, tmp_path, jit=False)
    assert found.verdict == "wrong"
    assert "passes that break it: `equal tapes`" in found.message
    again = Program(1, (), ("x", "y"), asked.args, asked.body)
    assert passes_that_break(again, tmp_path) == ["equal tapes"]


@pytest.mark.parametrize("name", ["array loops", "sweep fusion"])
def test_a_pass_may_be_left_out_of_random_programs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(pipeline.WITHOUT, name)
    asked = program("v = np.outer(x, y)", "v[0] *= x", "return np.sum(v @ x)")
    assert check(asked, tmp_path, jit=False).verdict == "right"
