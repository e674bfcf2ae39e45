"""The benchmarks run, and check what they time."""

import copy
import dataclasses
import json
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from benchmarks.__main__ import draw, main, threads
from benchmarks.arrays import growth
from benchmarks.arrays.catalogue import KERNELS
from benchmarks.arrays.kernel import FORMS
from benchmarks.arrays.suite import FailedError, Run, line, measured, summary
from benchmarks.measure import tape_bytes
from benchmarks.problem import check
from benchmarks.problems import PROBLEMS
from tests.support.sampled import turning


@pytest.mark.turns(6)
def test_a_table_of_one_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--size", "tiny", "--only", "spmv", "--json", str(tmp_path / "figures.json")])
    *_, found, ratio, by_hand = capsys.readouterr().out.splitlines()
    assert found.startswith("spmv")
    assert found.endswith("the adjoint by hand")
    assert ratio.startswith("gradient / primal: geometric mean")
    assert by_hand.startswith("gradient / adjoint by hand: geometric mean")
    saved = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    (row,) = saved["rows"]
    assert row["name"] == "spmv"
    assert row["ratio"] == pytest.approx(row["gradient"] / row["primal"])
    assert row["tape"] == 0
    assert row["cold"] > row["warm"] > 0.0


@pytest.mark.parametrize("name", turning(8, ["jacobi_1d", "jacobi_2d", "seidel_2d", "hdiff", "cholesky"]))
def test_gradients_agree_with_adjoints_by_hand(name: str) -> None:
    problem = PROBLEMS[name]
    assert check(problem, problem.transformed(), "tiny") == "the adjoint by hand"


@pytest.mark.parametrize(
    ("name", "against"),
    turning(5, [("hvp", "differences"), ("hessian", "its products"), ("lstm_named", "the gradient alone")]),
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


def interpreted(function: Any) -> Any:
    """The function as Python runs it, its compiled helpers too."""
    names = dict(function.__globals__)
    for name, value in function.__globals__.items():
        if hasattr(value, "py_func"):
            names[name] = types.FunctionType(value.py_func.__code__, names)
    return types.FunctionType(function.__code__, names)


@pytest.mark.parametrize("name", list(KERNELS))
def test_forms_agree_by_value_and_leave_their_arguments(name: str) -> None:
    kernel = KERNELS[name]
    args = kernel.arguments("tiny")
    kept = copy.deepcopy(args)
    with np.errstate(divide="ignore"):  # of the zeros that a mask discards
        values = [interpreted(form)(*args) for form in kernel.forms.values()]
    np.testing.assert_allclose(values, values[0], rtol=1e-10)
    for arg, before in zip(args, kept, strict=True):
        np.testing.assert_array_equal(arg, before)


@pytest.mark.turns(6)
def test_forms_agree_by_gradient_and_a_wrong_one_is_told(tmp_path: Path) -> None:
    arrays = measured("go_fast", "arrays", tmp_path, Run("tiny", limit=120.0))
    assert "failed" not in arrays
    assert arrays["ratio"] == pytest.approx(arrays["gradient"] / arrays["primal"])
    known = tmp_path / "go_fast.npy"
    args = KERNELS["go_fast"].arguments("tiny")
    gradient = bs.grad(KERNELS["go_fast"].forms["scalars"])(*args)
    np.testing.assert_allclose(np.load(known), np.ravel(gradient), rtol=1e-12)
    np.save(known, np.zeros(args[0].size))
    wrong = measured("go_fast", "scalars", tmp_path, Run("tiny", limit=120.0, timed=False))
    assert "WRONG: AssertionError: the gradient of the other forms" in line(wrong)


@pytest.mark.turns(6)
def test_a_check_of_the_forms(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--suite", "arrays", "--size", "tiny", "--only", "go_fast", "--forms", "arrays", "scalars"]
    main([*words, "--check"])
    *_, arrays, scalars, failed = capsys.readouterr().out.splitlines()
    assert arrays.split()[:2] == ["go_fast", "arrays"]
    assert scalars.endswith("agrees with differences, and with the forms above")
    assert failed == "failed or wrong: none"


def test_failures_end_the_command_with_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(
            ["--suite", "arrays", "--size", "tiny", "--only", "atax", "--forms", "arrays", "--limit", "0.01"]
        )
    assert ended.value.code == 1
    assert "failed or wrong: atax/arrays" in capsys.readouterr().out


def test_at_least_sixteen_kernels_have_three_forms() -> None:
    complete = [name for name, kernel in KERNELS.items() if tuple(kernel.forms) == FORMS]
    assert len(complete) >= 16
    assert "mixture" in complete


def test_plots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    points = [{"entries": n, "primal": 1e-6 * n, "gradient": 2e-6 * n} for n in (10, 100)]

    def series(_: str, asked: dict[str, Any], *__: Any) -> Any:
        if asked["name"] == "atax":
            raise FailedError("not done")
        return points

    monkeypatch.setattr("benchmarks.__main__.in_process", series)
    rows = [
        {"name": "atax", "form": "arrays", "ratio": 0.5, "gradient": 1.0, "peers": {"jax": 2.0}},
        {"name": "atax", "form": "scalars", "ratio": 2.0, "gradient": 1.0, "peers": {}},
        {"name": "lu", "form": "arrays", "failed": "x"},
    ]
    draw(rows, Run("tiny"), tmp_path / "plots", arrays=True)
    made = {path.name for path in (tmp_path / "plots").iterdir()}
    assert made == {"ratios.png", "beside.png", "against_size.png"}
    assert "no times of atax against size: not done" in capsys.readouterr().out


@pytest.mark.turns(6)
def test_times_at_growing_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.measure.LEAST_TIME", 0.01)
    monkeypatch.setitem(growth.SERIES, "atax", ((4, 4), (8, 8)))
    points = list(growth.times("atax", ()))
    assert [point["entries"] for point in points] == [4 * 4 + 4, 8 * 8 + 8]
    assert set(points[0]) == {"entries", "primal", "gradient"}
    assert set(growth.SERIES) <= set(KERNELS)


def test_a_form_that_takes_too_long_is_told(tmp_path: Path) -> None:
    found = measured("go_fast", "arrays", tmp_path, Run("tiny", limit=0.01))
    assert found["failed"] == "not done after 0 s"


def test_the_summary_names_failures_first_and_counts_the_worst_form() -> None:
    def made(name: str, form: str, ratio: float) -> dict[str, Any]:
        figures = {
            "gradient": ratio,
            "compile_ratio": 1.0,
            "lines": 6,
            "statements": 2,
            "records": 8,
            "peers": {"jax": 2.0},
        }
        return {"name": name, "form": form, "ratio": ratio, **figures}

    failed = {"name": "lu", "form": "arrays", "failed": "x"}
    said = list(summary([made("atax", "arrays", 1.0), made("atax", "scalars", 4.0), failed]))
    assert said[0] == "failed or wrong: lu/arrays"
    assert "the worst form of each: geometric mean 4.00" in said[3]


@pytest.mark.parametrize(
    "words",
    [
        ["--suite", "arrays", "--size", "S"],
        ["--only", "mlp"],
        ["--suite", "arrays", "--only", "spmv"],
        ["--check"],
        ["--threads", "2"],
    ],
)
def test_what_a_suite_lacks_is_an_error(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(words)
    assert "the suite" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (["--threads", "none"], "'none' is neither a positive number nor `all`"),
        (["--suite", "arrays", "--peers", "jax"], "jax is not installed: pip install .[bench]"),
    ],
)
def test_what_cannot_run_is_told(
    words: list[str], cause: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert cause in capsys.readouterr().err


def test_all_threads_are_those_of_the_cores() -> None:
    assert threads("3") == 3
    assert threads("all") >= 1
