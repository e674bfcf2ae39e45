"""The farm of random programs: how its programs are judged, made small, and kept in a ledger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.farm.child import Child
from tests.farm.ledger import Ledger, reason
from tests.farm.sources import OFF, WEIGHTS, program_of
from tests.farm.work import kind_of, rounds, shape_of, signature
from tests.fuzz import differences
from tests.fuzz.outcome import Outcome, of_error
from tests.fuzz.program import Line, Program
from tests.fuzz.zoo_mutants import cases

X = np.array([0.4, 0.7, 1.1])
WRONG = (
    "@bs.custom_vjp\ndef twice(u):\n    return 2.0 * u\n",
    "def twice_forward(u):\n    return 2.0 * u, None\n",
    "def twice_backward(residuals, bar):\n    return (3.0 * bar,)\n",
    "twice.defvjp(twice_forward, twice_backward)\n",
)


def program(*lines: str, **more: object) -> Program:
    """A program of a vector and a number."""
    return replace(Program(1, (), ("x", "s"), (X, 0.5), tuple(map(Line, lines))), **more)


@pytest.mark.parametrize(
    ("lines", "more", "verdict"),
    [
        (["return np.sum(x * x) * s"], {}, "right"),
        (["return twice(s) + x[0]"], {"helpers": WRONG}, "wrong"),
        (["return abs(s - 0.5)"], {"chosen": (1,)}, "skipped"),  # at the kink itself
        (["return np.sum(x[x > 0.3]) * int(s * 3.0)"], {}, "right"),
        (["return np.sum(np.empty(3) * x)"], {}, "skipped"),
        (["return s * x[7]"], {}, "skipped"),
        (["return s * x.tobytes()[0]"], {}, "refused"),
        (["return x * s, s, 3"], {"results": "several"}, "right"),
        (["return s * x[1], (x * 1.0, True)"], {"results": "aux"}, "right"),
        (["return np.sum(x.astype(np.float32)) * s"], {}, "right"),
    ],
)
def test_judged(lines: list[str], more: dict[str, object], verdict: str, tmp_path: Path) -> None:
    found = differences.check(program(*lines, **more), tmp_path, jit=False)
    assert found.verdict == verdict, found.message


def test_results_that_share_memory_are_told() -> None:
    a = np.zeros(4)
    assert differences.sharing((a, a[1:], a + 0.0), (X,)) == {(1, 0)}
    assert differences.sharing((a, X[::-1]), (X,)) == {(1, -1)}


def test_dtypes_and_kinds_of_results_are_compared() -> None:
    words = differences.unlike(np.zeros(2, np.int64), np.zeros(2), single=False)
    assert "int64" in words
    assert "float64" in words
    assert differences.unlike(True, 1.0, single=False)
    assert not differences.unlike(np.int64(3), 3, single=False)


def programs(family: str) -> list[Program | None]:
    """Some programs of a family."""
    return [program_of(family, seed) for seed in range(5)]


@pytest.mark.parametrize("family", sorted(WEIGHTS))
def test_same_seed_same_program(family: str) -> None:
    texts, again = ([found and found.text for found in programs(family)] for _ in range(2))
    assert texts == again
    assert len({text for text in texts if text}) > 2


def test_most_of_the_zoo_has_mutants() -> None:
    assert len(cases()) > 700


def test_rounds_hold_each_family_as_often_as_it_weighs() -> None:
    order = rounds(tuple(sorted(set(WEIGHTS) - OFF)))
    assert order.count("mutants") == WEIGHTS["mutants"]
    assert order.count("loops") == 1


def test_a_child_that_hangs_or_dies_is_started_again() -> None:
    child = Child()
    header = "import os\nimport backsweep as bs\n"
    try:
        dies = program("os._exit(3)", "return s", header=header)
        assert child.ask("primal", "dtypes", dies, jit=False, seconds=60.0) == Outcome(
            "unworded", "ProcessDied: exit code 3"
        )
        hangs = program("while True: pass", "return s", header=header)
        assert child.ask("primal", "dtypes", hangs, jit=False, seconds=0.5) is None
        found = child.ask("primal", "dtypes", program("return s"), jit=False, seconds=60.0)
        assert found == Outcome("right")
    finally:
        child.stop()


def test_a_ledger_goes_on(tmp_path: Path) -> None:
    ledger = Ledger.read(tmp_path / "farm.json")
    assert [ledger.take_seed("loops", 7), ledger.take_seed("loops", 7)] == [7, 8]
    ledger.count("loops", "right", "", 0.5, jit=False)
    ledger.count("loops", "refused", "no 12 of 3.5", 0.5, jit=True)
    ledger.write()
    again = Ledger.read(tmp_path / "farm.json")
    assert again.take_seed("loops", 7) == 9
    assert again.outcomes == {"loops, plain": {"right": 1}, "loops, compiled": {"refused": 1}}
    assert again.reasons == {"refused: no 0 of 0": 1}


def test_faults_are_one_by_exception_and_place_or_by_the_small_program() -> None:
    unworded = of_error(KeyError("a"), "forward: ")
    assert unworded.verdict == "unworded"
    assert kind_of(unworded) == "KeyError"
    wrong = Outcome("wrong", "gradient\n  x: got 1.0\n not 2.0")
    one, other = program("t = s * 2.0", "return t"), program("u = s * 3.0", "return u")
    assert signature(wrong, one) == signature(wrong, other)
    assert shape_of(one.text, "program") == "    v0 = v1 * 0 ;     return v0"
    assert reason("at 3.5e-7 of 2") == "at 0 of 0"
