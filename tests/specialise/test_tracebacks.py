"""Tracebacks end at the user's line: no frames of ours, and all of the user's own."""

import re
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import backsweep as bs
from backsweep import tracebacks
from backsweep.specialise.transformed import Transformed
from tests.support import gradients_checked


@pytest.fixture(autouse=True)
def _as_users_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(tracebacks.CHOSEN)
    monkeypatch.setattr(Transformed, "__call__", gradients_checked._call)


def opened(x: float) -> float:
    return np.sum(open(x))  # noqa: PTH123


def doubled(x: np.ndarray) -> np.ndarray:
    return 2.0 * x


def positive(x: float) -> float:
    if x < 0.0:
        raise ValueError("negative")
    return np.sqrt(x)


def product(x: float, y: float) -> float:
    return x * y


def functions_of(call: Callable[[], object]) -> list[str]:
    """The names of the functions in the traceback of the error that a call raises, but for this one."""
    with pytest.raises(Exception) as caught:
        call()
    frames = traceback.extract_tb(caught.value.__traceback__)[1:]
    return [re.sub(r"_[0-9a-f]{16}$", "", frame.name) for frame in frames]


REFUSED = {
    "grad": lambda: bs.grad(opened)(1.0),
    "of a plain function": lambda: bs.grad(doubled, jit=False)(np.ones(2)),
    "unknown option": lambda: bs.grad(product, speed=3),
    "a wrong name": lambda: bs.hessian(product, wrt="z"),
    "vjp": lambda: bs.vjp(opened, 1.0),
    "a wrong cotangent": lambda: bs.vjp(doubled, np.ones(2))[1](np.ones(3)),
    "jvp": lambda: bs.jvp(product, (1.0, 2.0), (1.0, 2.0, 3.0)),
    "hvp": lambda: bs.hvp(product)((1.0, 2.0), 1.0),
    "source": lambda: bs.grad(product).source(),
    "explain": lambda: bs.explain(product),
    "stages": lambda: bs.grad(opened).stages(1.0),
    "add_hook": lambda: bs.grad(product).add_hook("z", lambda _: None),
    "collect": lambda: bs.grad(opened, hooks={"x": None}, collect={})(1.0),
    "trace": lambda: bs.trace(opened)(1.0),
    "sparsity": lambda: bs.sparsity(opened)(np.ones(2)),
    "check_grads": lambda: bs.check_grads(product, (1.0, 2.0), order=3),
    "a call that does not fit": lambda: bs.grad(product)(1.0, 2.0, 3.0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_of_a_refusal_only_the_users_frames_are_shown(name: str) -> None:
    assert functions_of(REFUSED[name]) == ["<lambda>"]


def test_the_functions_own_error_is_at_the_emitted_line() -> None:
    gradient = bs.grad(positive, jit=False)
    assert functions_of(lambda: gradient(-1.0)) == ["<lambda>", "positive_grad"]


def test_the_functions_own_error_from_machine_code() -> None:
    gradient = bs.grad(positive)
    assert functions_of(lambda: gradient(-1.0))[0] == "<lambda>"


def test_frames_of_what_the_user_has_us_call_stay() -> None:
    def failing(x: float) -> float:
        raise KeyError(x)

    called = bs.pure_python(failing, result=1.0)

    def f(x: float, y: float) -> float:
        return x * called(y)

    assert functions_of(lambda: bs.grad(f)(1.0, 2.0)) == ["<lambda>", "failing"]


def test_what_the_user_was_handling_is_still_shown() -> None:
    def handling() -> None:
        try:
            {}["missing"]
        except KeyError:
            bs.grad(product)(1.0, 2.0, 3.0)

    with pytest.raises(TypeError) as caught:
        handling()
    message = "".join(traceback.format_exception(caught.value))
    assert "KeyError: 'missing'" in message
    assert message.count("During handling") == 1


def test_all_frames_are_shown_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tracebacks.CHOSEN, "full")
    with pytest.raises(bs.UnsupportedError) as caught:
        bs.grad(opened)(1.0)
    assert len(traceback.extract_tb(caught.value.__traceback__)) > 5


def test_a_fault_of_ours_keeps_all_frames() -> None:
    error = bs.InternalError(bs.diagnostics.Problem("BS155", "fault"))
    try:
        tracebacks.hiding(_raising)(error)
    except bs.InternalError:
        assert [frame.name for frame in traceback.extract_tb(error.__traceback__)][-1] == "_raising"


def _raising(error: Exception) -> None:
    raise error


def test_python_prints_few_lines(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import backsweep as bs\n\n\ndef f(x):\n    return open(x)\n\n\nbs.grad(f)(1.0)\n", encoding="utf-8"
    )
    message = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=300, check=False
    ).stderr
    assert message.count("File ") == 1
    assert message.splitlines()[1].endswith('program.py", line 8, in <module>')
    assert message.endswith("  more: backsweep help BS115\n")


def test_ipython_shows_the_cell_and_the_message(tmp_path: Path) -> None:
    program = tmp_path / "session.py"
    program.write_text(
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell(colors='nocolor', history_manager=None)\n"
        "shell.run_cell('import backsweep as bs\\ndef f(x):\\n    return x.real()')\n"
        "shell.run_cell('bs.grad(f)(1.0)')\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=300, check=True, cwd=tmp_path
    )
    assert "  more: backsweep help BS" in done.stdout
    assert "bs.grad(f)(1.0)" in done.stdout
    assert "transformed.py" not in done.stdout
    assert "build.py" not in done.stdout
