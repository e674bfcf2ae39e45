"""The tool for GradBench answers its protocol."""

import subprocess
import sys

import pytest

from benchmarks.gradbench.__main__ import OURS, ROOT, Tool, differs, main
from benchmarks.gradbench.inputs import EVALS


def test_small_evals_through_the_protocol(capsys: pytest.CaptureFixture[str]) -> None:
    rows = main(["--tiny", "--seconds", "0", "--only", "hello", "llsq", "det"])
    assert [(row["eval"], row["function"]) for row in rows] == [
        ("hello", "square"),
        ("hello", "double"),
        ("llsq", "primal"),
        ("llsq", "gradient"),
        ("det", "primal"),
        ("det", "gradient"),
    ]
    square, double, *_ = rows
    assert double["output"] == pytest.approx(2.0 * square["output"] ** 0.5)
    assert [timing["name"] for timing in rows[3]["timings"]] == ["prepare"] + 3 * ["evaluate"]
    assert capsys.readouterr().out.count("as LAPACK") == 2


def test_what_fails_is_told_and_the_next_message_is_answered() -> None:
    with Tool(OURS) as tool:
        assert tool.ask("start", eval="hello") == {"id": 0, "tool": "backsweep"}
        unknown = tool.ask("define", module="unknown")
        assert not unknown["success"]
        assert "No module named 'unknown'" in unknown["error"]
        assert not tool.ask("evaluate", module="lse", function="primal", input={"x": []})["success"]
        endless = tool.ask("evaluate", module="hello", function="square", input=1e300)
        assert not endless["success"]
        assert "JSON" in endless["error"]
        assert tool.ask("analysis", of=2, valid=False) == {"id": 4}
        assert tool.ask("define", module="saddle")["success"]


def test_the_list_of_evals() -> None:
    lines = (ROOT / "benchmarks/gradbench/tool/evals.txt").read_text(encoding="utf-8")
    assert lines.split() == sorted(EVALS)


def test_its_form_is_that_of_gradbench() -> None:
    """What GradBench's `pyproject.toml` asks of Ruff, which is what makes a folder of tools pass its checks."""
    folder, ruff = ROOT / "benchmarks/gradbench/tool", [sys.executable, "-m", "ruff"]
    rules = ["--select", "E4,E7,E9,F,I,RUF", "--ignore", "E741"]  # Ruff 0.9 has the first four by itself
    for command in (["check", *rules], ["format", "--check"]):
        done = subprocess.run(
            [*ruff, *command, "--isolated", str(folder)],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )
        assert done.returncode == 0, done.stdout
    dockerfile = (folder / "Dockerfile").read_text(encoding="utf-8").splitlines()
    assert dockerfile[-1] == "LABEL org.opencontainers.image.source=https://github.com/gradbench/gradbench"


def test_outputs_are_compared() -> None:
    assert differs({"a": [1.0, 2.0]}, {"a": [1.0, 2.0]}, 1e-8) is None
    assert differs({"a": [1.0, 2.0]}, {"a": [1.0, 2.1]}, 1e-8) == "output.a: off by 2.4e-02"
    assert differs([1.0], [1.0, 2.0], 1e-8) == "output: shape (1,), not (2,)"
