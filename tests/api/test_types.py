"""What editors are told: a derivative takes what its function takes, and options have names."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest
from mypy import api

import backsweep as bs
from backsweep.requests import Options

PROGRAM = """
import numpy as np
import backsweep as bs


def f(x: float, w: float, *, n: int = 3) -> float:
    return x * w


reveal_type(bs.grad(f))
reveal_type(bs.grad(f)(1.0, 2.0, n=3))
reveal_type(bs.value_and_grad(f)(1.0, 2.0))
reveal_type(bs.value_and_grad(f, return_intermediates="u")(1.0, 2.0))
reveal_type(bs.grad(bs.grad(f)))
reveal_type(bs.hessian(f, jit=False))
reveal_type(bs.jacobian(f).source())
reveal_type(bs.vjp(f))
reveal_type(bs.jvp(f))
reveal_type(bs.hvp(f, (0, 1)))
reveal_type(bs.hvp(f, (1.0, 2.0), (1.0,)))
bs.vjp(f)("one", 2.0)
bs.jvp(f, (1.0, 2.0))
bs.jacobian(f).show("one", 2.0)
bs.grad(f)("one", 2.0)
bs.grad(f, speed=3)
bs.grad(f, jit="yes")


@bs.grad(wrt="w")
def slope(x: float, w: float) -> float:
    return x * w


reveal_type(slope)
slope(1.0)
"""
SIGNATURE = "Derivative[[x: float, w: float, *, n: int ="
EXPECTED = {
    "reveal_type(bs.grad(f))": SIGNATURE,
    "reveal_type(bs.grad(f)(1.0, 2.0, n=3))": '"Any"',
    "reveal_type(bs.value_and_grad(f)(1.0, 2.0))": "[float, Any]",
    'reveal_type(bs.value_and_grad(f, return_intermediates="u")(1.0, 2.0))': "[float, Any, Any]",
    "reveal_type(bs.grad(bs.grad(f)))": SIGNATURE,
    "reveal_type(bs.hessian(f, jit=False))": SIGNATURE,
    "reveal_type(bs.jacobian(f).source())": 'str"',
    "reveal_type(bs.vjp(f))": "(x: float, w: float, *, n: int =",
    "reveal_type(bs.jvp(f))": "(tuple[Any, ...], tuple[Any, ...]) -> Any",
    "reveal_type(bs.hvp(f, (0, 1)))": "Product",
    "reveal_type(bs.hvp(f, (1.0, 2.0), (1.0,)))": '"Any"',
    'bs.vjp(f)("one", 2.0)': 'incompatible type "str"; expected "float"',
    "bs.jvp(f, (1.0, 2.0))": 'No overload variant of "jvp" matches',
    'bs.jacobian(f).show("one", 2.0)': 'incompatible type "str"; expected "float"',
    'bs.grad(f)("one", 2.0)': 'incompatible type "str"; expected "float"',
    "bs.grad(f, speed=3)": "error: ",
    'bs.grad(f, jit="yes")': "error: ",
    "reveal_type(slope)": "Derivative[[x: float, w: float], Any]",
    "slope(1.0)": 'Missing positional argument "w"',
}
"""Parts of what mypy says of each line; it says nothing of the others."""
WHOLE = '"Derivative[(x: float, w: float, *, n: int = 3), Any]"'
BY_PYRIGHT = {
    **EXPECTED,
    "reveal_type(bs.grad(f))": WHOLE,
    "reveal_type(bs.value_and_grad(f)(1.0, 2.0))": '"tuple[float, Any]"',
    'reveal_type(bs.value_and_grad(f, return_intermediates="u")(1.0, 2.0))': '"tuple[float, Any, Any]"',
    "reveal_type(bs.grad(bs.grad(f)))": WHOLE,
    "reveal_type(bs.hessian(f, jit=False))": WHOLE,
    'bs.vjp(f)("one", 2.0)': '"Literal[\'one\']" is not assignable to "float"',
    "bs.jvp(f, (1.0, 2.0))": 'is not assignable to "None"',
    'bs.jacobian(f).show("one", 2.0)': '"Literal[\'one\']" is not assignable to "float"',
    'bs.grad(f)("one", 2.0)': '"Literal[\'one\']" is not assignable to "float"',
    "bs.grad(f, speed=3)": 'No overloads for "grad" match',
    'bs.grad(f, jit="yes")': '"Literal[\'yes\']" is not assignable to "bool"',
    "reveal_type(slope)": '"Derivative[(x: float, w: float), Any]"',
    "slope(1.0)": 'Argument missing for parameter "w"',
}
"""Parts of what Pyright says, on which Pylance and other editors rest."""


def assert_told(told: list[tuple[int, str]], expected: dict[str, str]) -> None:
    """Each line of the program is told what is expected of it, and the others nothing."""
    said: dict[str, str] = {}
    for number, message in told:
        text = PROGRAM.splitlines()[number - 1]
        said[text] = f"{said.get(text, '')}\n{message}"
    assert said.keys() == expected.keys(), told
    assert [text for text, part in expected.items() if part not in said[text]] == [], told


@pytest.mark.turns(6)
def test_mypy_knows_signatures() -> None:
    cache = Path(__file__).parents[2] / ".mypy_cache"
    told, _, _ = api.run(
        ["-c", PROGRAM, "--no-error-summary", f"--cache-dir={cache}", "--hide-error-context"]
    )
    lines = [line.removeprefix("<string>:").partition(": ") for line in told.splitlines()]
    assert_told([(int(number), message.replace("builtins.", "")) for number, _, message in lines], EXPECTED)


def test_pyright_knows_signatures(tmp_path: Path) -> None:
    pytest.importorskip("pyright", reason='Pyright is not installed: pip install ".[types]"')
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "program.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    # Before the report stands at times a line about a newer version.
    report = json.loads(run.stdout[run.stdout.index("{") :])
    told = [(each["range"]["start"]["line"] + 1, each["message"]) for each in report["generalDiagnostics"]]
    assert_told(told, BY_PYRIGHT)


@pytest.mark.parametrize(
    "name",
    ["grad", "value_and_grad", "vjp", "jvp", "hvp", "jacfwd", "jacrev", "jacobian", "hessian"],
)
def test_signatures_show_the_options(name: str) -> None:
    parameters = inspect.signature(getattr(bs, name)).parameters
    assert {each: parameters[each].default for each in Options.__dataclass_fields__} == {
        each.name: each.default for each in Options.__dataclass_fields__.values()
    }
    assert "options" not in parameters


def test_a_derivative_shows_what_users_call() -> None:
    def f(x: float, w: float = 2.0) -> float:
        return x * w

    df = bs.grad(f)
    assert [name for name in dir(df) if not name.startswith("_")] == [
        "add_hook",
        "explain",
        "save",
        "show",
        "source",
        "stages",
    ]
    assert list(inspect.signature(df).parameters) == ["x", "w"]
    assert df.__name__ == "f"
