"""The demo and the commands, run as a user runs them."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from backsweep.inspect.cli import demo
from backsweep.inspect.cli.command_line import main
from backsweep.inspect.cli.costs import Calls
from backsweep.inspect.cli.lotka_volterra import misfit
from backsweep.pipeline import table as pipeline

PROGRAM = """
import numpy as np

def energy(x, scale):
    return scale * np.sum(x * x)

def doubled(x):
    return 2.0 * x
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "user_program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return str(path)


def test_the_records() -> None:
    pelts = demo.read_pelts()
    assert pelts.year.tolist() == list(range(1900, 1921))
    assert (pelts.hare[3], pelts.lynx[4]) == (77.4, 59.4)


def test_the_demo_fits_both_ways(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "fit.png"
    assert main(["demo", "--output", str(picture)]) == 0
    printed = capsys.readouterr().out
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert str(picture) in printed
    adjoint = tmp_path / "backsweep_demo_adjoint.py"
    assert str(adjoint) in printed
    shown = printed[printed.index("# reverse sweep") : printed.index("    ...\n")]
    assert len(shown.splitlines()) == demo.LINES
    assert shown in adjoint.read_text(encoding="utf-8")
    assert "misfit_value_and_grad" in runpy.run_path(str(adjoint))  # it needs nothing of ours
    for word in ("iteration", "alpha", "evaluations", "milliseconds", "ratio", "# reverse sweep", "u_bar"):
        assert word in printed
    found = {words[0]: words[1:] for line in printed.splitlines() if len(words := line.split()) == 3}
    for name, value in {"alpha": 0.540159, "beta": 0.027165, "gamma": 0.796386, "delta": 0.023695}.items():
        assert [float(word) for word in found[name]] == pytest.approx([value, value], abs=2e-5)


def test_the_demo_says_how_to_get_what_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if it were not installed
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    assert main(["demo", "--output", str(tmp_path / "fit.png")]) == 0
    printed = capsys.readouterr().out
    assert 'pip install "backsweep[plot]"' in printed
    assert "what to try next" in printed


def test_the_optimum_is_one() -> None:
    # The value at the optimum, from an independent fit with differences; every neighbour is worse.
    pelts = demo.read_pelts()
    best = np.log(np.array([0.540159, 0.027165, 0.796386, 0.023695, 34.602424, 5.844506]))
    least = misfit(best, pelts.hare, pelts.lynx, demo.STEPS_PER_YEAR)
    assert least == pytest.approx(2.0186611562, abs=1e-7)
    for step in 1e-3 * np.vstack([np.eye(6), -np.eye(6)]):
        assert misfit(best + step, pelts.hare, pelts.lynx, demo.STEPS_PER_YEAR) > least


def test_show(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", f"{program}:energy", "--args", "np.ones(3), 2.0"]) == 0
    printed = capsys.readouterr().out
    assert "def energy(x, scale):" in printed
    assert "with respect to x, scale" in printed
    assert "# reverse sweep" in printed
    assert "return result, (x_bar, " in printed


def test_show_with_respect_to_a_name(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", f"{program}:energy", "--args", "np.ones(3), 2.0", "--wrt", "scale"]) == 0
    printed = capsys.readouterr().out
    assert "with respect to scale" in printed
    assert "x_bar" not in printed


def test_emit(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["emit", f"{program}:energy", "--args", "np.ones(3), 2.0"]) == 0
    assert "# reverse sweep" in capsys.readouterr().out
    saved = tmp_path / "energy_adjoint.py"
    assert main(["emit", f"{program}:energy", "--args", "np.ones(3), 2.0", "-o", str(saved)]) == 0
    text = saved.read_text(encoding="utf-8")
    compile(text, str(saved), "exec")
    assert "backsweep" not in "".join(
        line for line in text.splitlines() if line.startswith(("import", "from"))
    )


def test_stages(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stages", f"{program}:energy", "--args", "np.ones(3), 2.0"]) == 0
    shown = capsys.readouterr().out
    passes = (
        *pipeline.TYPED,
        *pipeline.CORE,
        *pipeline.PRIMAL,
        *pipeline.WRITTEN,
        *pipeline.LOOPS,
        *pipeline.LAST,
    )
    assert [each.name for each in passes if f"# {each.name}: {each.reason}" not in shown] == []


def test_what_is_for_reading_is_not_saved(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "energy_adjoint.py"
    words = ["emit", f"{program}:energy", "--args", "np.ones(3), 2.0", "--readable", "-o", str(saved)]
    assert main(words) == 2
    assert "give one of them" in capsys.readouterr().err
    assert not saved.exists()


def test_check(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{program}:energy", "--args", "np.ones(3), 2.0"]) == 0
    assert "agrees with finite differences" in capsys.readouterr().out


def figures(printed: str) -> dict[str, list[str]]:
    """The words of each line of a table, by its first word."""
    return {words[0]: words[1:] for line in printed.splitlines() if (words := line.split())}


@pytest.mark.compiles_many("the table has a line for each function and its gradient")
def test_bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n\n"
        "def smooth(x, w):\n"
        "    loss = 0.0\n"
        "    for i in range(1, x.size):\n"
        "        d = x[i] - w * x[i - 1]\n"
        "        loss += d * d\n"
        "        x[i] = np.tanh(d)\n"
        "    return loss\n",
        encoding="utf-8",
    )
    json_file = tmp_path / "figures.json"
    words = ["bench", f"{program}:smooth", "--args", "np.linspace(0.0, 1.0, 1001), 0.5", "--wrt", "w"]
    assert main([*words, "--seconds", "0.01", "--json", str(json_file)]) == 0
    found = figures(capsys.readouterr().out)
    assert found["records"] == ["8,000", "bytes"]
    assert found["kept"] == ["16,008", "bytes"]  # the records, and the function's own copy of x
    for row in ("primal", "value", "ratio", "emitted"):
        assert row in found
    saved = json.loads(json_file.read_text(encoding="utf-8"))
    assert saved["ratio"] == pytest.approx(saved["gradient"] / saved["primal"])
    # Which of the two takes longer depends on what else the machine does; that both are measured does not.
    assert saved["primal_compile"] > 0.0
    assert saved["gradient_compile"] > 0.0
    assert (saved["records"], saved["numba"]) == (8000, numba.__version__)


def test_bench_gives_arrays_their_values_back() -> None:
    def grown(x: np.ndarray, rows: list[np.ndarray]) -> None:
        assert np.all(rows[0] == 1.0)
        x *= 2.0

    whole = np.ones((3, 2))
    column = whole[:, 0]
    calls = Calls((column, [whole]))
    calls.least_times((grown, grown), 0.01)
    assert np.all(whole == 1.0)


@pytest.mark.compiles_many("the table has a line for each function and its gradient")
def test_bench_of_what_numba_does_not_compile(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "with_helper.py"
    path.write_text("def helper(x):\n    return x * x\n\ndef f(x):\n    return helper(x)\n", encoding="utf-8")
    assert main(["bench", f"{path}:f", "--args", "3.0", "--seconds", "0.01"]) == 0
    printed = capsys.readouterr().out
    assert figures(printed)["primal"][-2:] == ["as", "Python"]
    assert "Numba does not compile the primal, so it was timed as Python runs it: Untyped global" in printed
    assert main(["bench", f"{program}:doubled", "--args", "np.ones(3)", "--seconds", "0.01"]) == 1
    assert capsys.readouterr().err.startswith("NotScalarError: ")


@pytest.mark.parametrize("given", ["0", "-1", "inf", "soon"])
def test_bench_for_no_time(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bench", "somewhere:f", "--seconds", given])
    assert ended.value.code == 2
    assert f"'{given}' is not a positive number of seconds" in capsys.readouterr().err


def test_a_refusal_is_told_in_full(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", f"{program}:doubled", "--args", "np.ones(3)"]) == 1
    message = capsys.readouterr().err
    assert message.startswith("NotScalarError: ")
    assert "help:" in message


@pytest.mark.parametrize(
    ("target", "args", "cause"),
    [
        ("energy", "", "is not of the form"),
        ("nowhere_to_be_found:energy", "", "there is no module"),
        ("no_such_file.py:energy", "", "there is no file"),
        ("{program}:energies", "", "has no 'energies'"),
        ("{program}:np.pi", "", "is not a function"),
        ("{program}:energy", "1.0, )(", "--args"),
        ("{program}:energy", "1, 2", "no argument in --args is made of floats"),
    ],
)
def test_a_wrong_command(
    program: str, target: str, args: str, cause: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", target.format(program=program), "--args", args]) == 2
    assert cause in capsys.readouterr().err


def test_reader_that_goes_ends_it_quietly(tmp_path: Path) -> None:
    """`python -m backsweep stages ... | head -1` prints no traceback."""
    program = tmp_path / "long_one.py"
    program.write_text("def f(x):\n    return x * x\n", encoding="utf-8")
    command = [sys.executable, "-m", "backsweep", "stages", f"{program}:f", "--args", "1.0"]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=300, check=False
        )
    finally:
        os.close(writer)
    assert done.stderr == ""
