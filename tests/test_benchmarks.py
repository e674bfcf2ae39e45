"""The benchmarks run, and check what they time."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import main
from benchmarks.measure import tape_bytes
from benchmarks.problem import check
from benchmarks.problems import PROBLEMS


def test_a_table_of_one_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--size", "tiny", "--only", "spmv", "--json", str(tmp_path / "figures.json")])
    assert "the adjoint by hand" in capsys.readouterr().out.splitlines()[-1]
    saved = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    (row,) = saved["rows"]
    assert row["name"] == "spmv"
    assert row["ratio"] == pytest.approx(row["gradient"] / row["primal"])
    assert row["tape"] == 0
    assert row["cold"] > row["warm"] > 0.0


@pytest.mark.parametrize("name", ["jacobi_2d", "seidel_2d", "cholesky"])
def test_gradients_agree_with_adjoints_by_hand(name: str) -> None:
    problem = PROBLEMS[name]
    assert check(problem, problem.transformed(), "tiny") == "the adjoint by hand"


@pytest.mark.parametrize(
    ("name", "against"),
    [("hvp", "differences"), ("hessian", "its products"), ("lstm_named", "the gradient alone")],
)
def test_derivatives_of_their_own(name: str, against: str) -> None:
    problem = PROBLEMS[name]
    assert check(problem, problem.own_derivative, "tiny") == against


def test_a_wrong_gradient_is_not_timed() -> None:
    problem = PROBLEMS["spmv"]

    def wrong(*args):
        value, (values_bar, x_bar) = problem.hand(*args)
        return value, (values_bar, 1.001 * x_bar)

    with pytest.raises(AssertionError, match="the adjoint by hand"):
        check(problem, wrong, "tiny")
    by_differences = dataclasses.replace(problem, hand=None)
    with pytest.raises(AssertionError, match="differences"):
        check(by_differences, wrong, "tiny")
    assert check(by_differences, problem.hand, "tiny") == "differences"


def test_the_tape_is_weighed() -> None:
    source = """
import numpy as np


def function(n):
    x_tape = np.empty(n)
    y_tape_1 = np.empty((n, 2), np.int8)
    x_tape[0] = 1.0
    return 1.0, x_tape[0]
"""
    assert tape_bytes(source, (10,)) == 8 * 10 + 2 * 10
    assert tape_bytes("def function(x):\n    return x\n", (np.ones(3),)) == 0
