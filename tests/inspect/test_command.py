"""The command `backsweep` as people meet it: its version, help, pages, colours and completion."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.display import highlight
from backsweep.inspect.cli import terminal, warming
from backsweep.inspect.cli.command_line import build_parser, main
from backsweep.inspect.cli.completion import commands_of
from backsweep.inspect.cli.costs import kept
from backsweep.inspect.cli.pages import pages
from backsweep.inspect.cli.usual import USUAL
from backsweep.runtime.machine_code.folder import own_folder
from tests.support.quick import functions_as_python
from tests.support.sampled import turning

ROOT = Path(__file__).parents[2]
PROGRAM = """
import numba
import numpy as np

print("loaded")

def energy(x, scale):
    return scale * np.sum(x * x)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "user_program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return str(path)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"backsweep {bs.__version__}\n"


def test_every_command_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for command in commands_of(build_parser()):
        if command.name == "demo":  # it needs no words to explain it
            continue
        with pytest.raises(SystemExit):
            main([command.name, "--help"])
        assert f"  backsweep {command.name} " in capsys.readouterr().out.replace('eval "$(', "  ")


def test_the_package_ships_the_page_of_every_error() -> None:
    documented = re.findall(r"^### (BS\d{3})$", (ROOT / "docs/errors.md").read_text("utf-8"), re.MULTILINE)
    assert list(pages()) == documented
    assert [code for code, page in pages().items() if not page.title] == []


def test_help_of_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "bs104", "BS001"]) == 0
    message = capsys.readouterr().out
    assert message.startswith("BS104\n\nA function chosen at run time.")
    assert "\nBS001\n\nNo Python source." in message
    assert "declare a rule" in message
    assert "](" not in message
    assert "```" not in message


def test_help_without_a_topic_lists_the_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    message = capsys.readouterr().out
    assert "  BS001  No Python source\n" in message
    assert "print a function and its adjoint" in message


def test_help_of_a_command_and_of_nothing_known(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["help", "emit"])
    assert "smooth_adjoint.py" in capsys.readouterr().out
    assert main(["help", "BS999"]) == 2
    assert "there is no error code or command 'BS999'" in capsys.readouterr().err


def test_show_says_what_it_took(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", f"{program}:energy", "--args", "np.ones(3), 2.0"]) == 0
    assert "# with respect to x, scale: every argument made of floats." in capsys.readouterr().out
    assert main(["show", f"{program}:energy", "--args", "np.ones(3), 2.0", "--wrt", "x"]) == 0
    assert "every argument" not in capsys.readouterr().out


def test_emit_writes_code_only(program: str, tmp_path: Path) -> None:
    """Even if the program prints while it is imported, and whatever colours the environment asks for on terminals."""
    command = [sys.executable, "-m", "backsweep", "emit", f"{program}:energy", "--args", "np.ones(3), 2.0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert done.stderr == "loaded\n"
    names: dict[str, object] = {}
    exec(compile(done.stdout, "emitted.py", "exec"), names)
    gradient = names["energy_value_and_grad"]
    assert callable(gradient)
    value, (x_bar, scale_bar) = gradient.py_func(np.ones(3), 2.0)
    assert (value, x_bar.tolist(), scale_bar) == (6.0, [4.0, 4.0, 4.0], 3.0)
    saved = tmp_path / "emitted.py"
    assert main([*command[3:], "-o", str(saved)]) == 0
    assert saved.read_text(encoding="utf-8") == done.stdout


def test_colours_where_they_are_wanted(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["show", f"{program}:energy", "--args", "np.ones(3), 2.0"]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    main(words)
    coloured = capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    main(words)
    plain = capsys.readouterr().out
    assert "\x1b[" not in plain
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    monkeypatch.setattr(highlight, "PythonLexer", None)  # as if Pygments were not installed
    monkeypatch.delenv("NO_COLOR")
    main(words)
    assert capsys.readouterr().out == plain


def test_the_message_of_an_error_in_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = "SourceError: no text  [BS001]\n     6 |   raise\n       |   ^^^^^\n  help: write it"
    shown = terminal.error(text, sys.stderr)
    assert "\x1b[1;31mSourceError\x1b[0m: no text" in shown
    assert "       |   \x1b[1;31m^^^^^\x1b[0m\n" in shown
    assert "  \x1b[1mhelp:\x1b[0m write it" in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_all_commands(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for command in commands_of(build_parser()):
        assert command.name in script
        for option, _ in command.options:
            assert option.lstrip("-") in script


def test_bash_completes(capsys: pytest.CaptureFixture[str]) -> None:
    main(["completion", "bash"])
    script = capsys.readouterr().out
    for words, expected in {"sh": "show", "show --w": "--wrt", "completion f": "fish"}.items():
        line = ["backsweep", *words.split()]
        asked = f"{script}\nCOMP_WORDS=({' '.join(line)}); COMP_CWORD={len(line) - 1}; _backsweep; echo ${{COMPREPLY[*]}}"
        found = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, timeout=60, check=True)
        assert found.stdout.strip() == expected


def waves(x: np.ndarray, w: float) -> float:
    y = np.exp(w * x)
    z = np.sin(y) * x
    return np.sum(z * z * y)


def march(x: np.ndarray, w: float) -> float:
    y = np.zeros(x.size)
    z = np.zeros(x.size)
    for i in range(1, x.size):
        y[i] = np.tanh(w * y[i - 1] + x[i])
        z[i] = np.sin(z[i - 1] * y[i])
    return np.sum(z)


def square(x: np.ndarray, w: float) -> float:
    return w * np.sum(x * x)


def repeated(x: np.ndarray, w: float) -> float:
    y = w * x
    for _ in range(10):
        y = np.sin(y) * y
    return np.sum(y)


def collected(x: np.ndarray, w: float) -> float:
    rows = []
    for i in range(5):
        rows.append(np.sin(w * x * i))
    total = 0.0
    for row in rows:
        total += np.sum(row * row)
    return total


@pytest.mark.parametrize(
    ("function", "arrays"),
    # `collected` keeps its five rows, and five shadows of them.
    [(waves, 4), (march, 2), (square, 0), (repeated, 21), (collected, 10)],
)
def test_all_arrays_that_stay_count(function: object, arrays: int) -> None:
    gradient = bs.value_and_grad(function, argnums=(0, 1), jit=False)
    assert kept(gradient, (np.linspace(0.0, 1.0, 100), 0.5)) == 800 * arrays


@pytest.mark.turns(3)
def test_warm_compiles_what_the_next_process_finds(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    environment = {**os.environ, "BACKSWEEP_CACHE_DIR": str(folder), "NUMBA_OPT": "0"}
    command = [sys.executable, "-m", "backsweep", "warm", "9"]
    first, second = (
        subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for _ in range(2)
    )
    assert re.fullmatch(r" 1 of 1  layers of networks +\d+\.\d s +[1-9]\d* compiled", first[0])
    assert re.fullmatch(r"[1-9]\d* functions compiled, \d+ found, in \d+\.\d s", first[1])
    assert re.fullmatch(r"0 functions compiled, [1-9]\d* found, in \d+\.\d s", second[1])
    assert first[2].startswith(f"{folder} holds ")


def test_warm_refuses_where_nothing_would_be_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["warm", "99"]) == 2
    assert "the numbers are 1 to" in capsys.readouterr().err
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert main(["warm"]) == 2
    assert "NUMBA_DISABLE_JIT" in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.setattr(warming, "folder", own_folder)
    assert main(["warm"]) == 1
    assert "set BACKSWEEP_CACHE_DIR" in capsys.readouterr().out


@pytest.mark.parametrize("function", turning(9, USUAL), ids=lambda function: function.__name__)
def test_what_is_warmed_has_right_gradients(function: Callable[..., Any]) -> None:
    _, args = USUAL[function]
    floats = [k for k, each in enumerate(args) if each.dtype.kind == "f"]
    directions = {k: np.cos(np.arange(args[k].size)).reshape(args[k].shape) for k in floats}

    def at(step: float) -> Any:
        return function(
            *(each + step * directions[k] if k in floats else each for k, each in enumerate(args))
        )

    with functions_as_python():
        found = bs.vjp(function, *args, jit=False)[1](1.0)
    parts = found if isinstance(found, tuple) else (found,)
    slope = sum(np.sum(part * directions[k]) for k, part in zip(floats, parts, strict=True))
    assert slope == pytest.approx((at(1e-6) - at(-1e-6)) / 2e-6, rel=1e-4)
