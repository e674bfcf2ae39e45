"""How much work a call and a compilation are, counted: frames, statements, questions, functions compiled. Times are benchmarks' business."""

from __future__ import annotations

import ast
import math
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import event
from numba.core.registry import cpu_target

import backsweep as bs
from backsweep.typing import infer as types
from tests.emit.test_golden import load

PACKAGE = str(Path(bs.__file__).parent)
STATEMENTS = 5.0
"""The most statements that a gradient may have for one of its function, here where each has several operations; it has 4.7."""
QUESTIONS = 2
"""The most times that Numba is asked for the types of a whole program, for a function of numbers; it is once."""


def neuron(x, w, b):
    return math.tanh(x * w + b)


def total(x):
    return np.sum(x * x)


def frames_of_ours(call: Any) -> list[str]:
    """The functions of the compiler that a call runs through."""
    found: list[str] = []

    def note(frame: FrameType, what: str, _: object) -> None:
        if what == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            found.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize(
    ("gradient", "args"),
    [(bs.grad(neuron, argnums=(0, 1, 2)), (0.3, 0.7, 0.1)), (bs.grad(total), (np.ones(3),))],
    ids=["numbers", "an array"],
)
def test_a_call_goes_straight_to_numba(gradient: Any, args: tuple[Any, ...]) -> None:
    gradient(*args)
    assert frames_of_ours(lambda: gradient(*args)) == ["__call__", "has_own_arrays"]


def test_a_pullback_does_not_look_at_the_program() -> None:
    _, pull = bs.vjp(total, np.ones(3))
    pull(1.0)
    assert len(frames_of_ours(lambda: pull(1.0))) < 25


def long_function(lines: int) -> str:
    """A function of this many statements, scalars and loops mixed."""
    text = ["import math", "", "", "def long_one(x, y):", "    s = x * y"]
    for k in range((lines - 2) // 3):
        if k % 4 == 3:
            text += [
                "    for i in range(3):",
                "        t = math.sin(s) * x + 0.1 * i",
                "        s = s * y + t",
            ]
        else:
            text += [
                f"    a{k} = math.cos(s * x) + y",
                f"    b{k} = a{k} * s - x",
                f"    s = b{k} / (1.0 + a{k} * a{k})",
            ]
    return "\n".join([*text, "    return s", ""])


def statements(text: str) -> int:
    """How many statements a text has."""
    return sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(text)))


def compiled_of_ours(recorder: Any) -> list[str]:
    """The functions that Numba compiled, but for its own."""
    functions = [each.data["dispatcher"].py_func for _, each in recorder.buffer if each.is_start]
    return [each.__name__ for each in functions if not each.__module__.startswith("numba.")]


@pytest.mark.parametrize("lines", [30, 60])
def test_compilation(lines: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is emitted grows as the function does, is one compiled function, and Numba is asked a fixed number of times."""
    monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(tmp_path / "cache"))
    text = long_function(lines)
    (tmp_path / f"long_{lines}.py").write_text(text, encoding="utf-8")
    # What Numba says of single calls is kept for the process: it is asked here, and not counted.
    bs.grad(load(tmp_path / f"long_{lines}.py").long_one, argnums=(0, 1), cache=False).source(0.3, 0.7)
    function = load(tmp_path / f"long_{lines}.py").long_one
    asked: Counter[str] = Counter()
    infer = types.typed_passes.type_inference_stage

    def counted(*args: Any, **keywords: Any) -> Any:
        asked["types"] += 1
        return infer(*args, **keywords)

    monkeypatch.setattr(types.typed_passes, "type_inference_stage", counted)
    gradient = bs.grad(function, argnums=(0, 1), cache=False)
    emitted = gradient.source(0.3, 0.7)
    questions = asked["types"]
    with event.install_recorder("numba:compile") as compiled:
        gradient(0.3, 0.7)
    names = compiled_of_ours(compiled)
    print(
        f"\n{lines} lines: {statements(emitted)} of {statements(text)} statements, {questions} questions, {names}"
    )
    assert statements(emitted) < STATEMENTS * statements(text)
    assert questions <= QUESTIONS
    assert len(names) == 1, names
    with event.install_recorder("numba:compile") as again:
        numba.njit(function)(0.3, 0.7)
        gradient(0.4, 0.8)
    assert compiled_of_ours(again) == ["long_one"]


def of_the_library(a, x):
    rows = np.hstack((a, np.outer(x, x)))
    return np.sum(np.where(rows > 0.5, rows, 0.0) @ np.concatenate((x, x))) + np.linalg.norm(x)


def test_nothing_is_compiled_for_its_type() -> None:
    gradient = bs.grad(of_the_library, cache=False)
    with event.install_recorder("numba:compile") as compiled:
        text = gradient.source(np.ones((3, 3)), np.ones(3))
    assert "of_the_library_grad" in text
    assert [each.data["dispatcher"].py_func.__name__ for _, each in compiled.buffer] == []


def least_first(x):
    return x[np.argsort(x)[0]] * np.sum(x * np.linspace(0.5, 1.5, x.size))


def test_questions_compile_none_of_numbas_functions() -> None:
    """For the text of a gradient Numba's own functions are typed; where compiled code calls them they are compiled."""
    x = np.array([0.5, -0.25, 2.0])
    gradient = bs.grad(least_first, cache=False)
    with event.install_recorder("numba:compile") as compiled:
        gradient.source(x)
    modules = [each.data["dispatcher"].py_func.__module__ for _, each in compiled.buffer if each.is_start]
    assert not [module for module in modules if not module.startswith("backsweep.runtime.")]

    @numba.njit
    def both(x: Any) -> Any:
        """Numba types `np.argsort` here before it asks for the gradient, and lowers it after that."""
        return x[np.argsort(x)[0]] + np.sum(gradient(x)) + np.linspace(0.5, 1.5, x.size)[1]

    expected = -0.25 + np.sum(bs.grad(least_first, jit=False)(x)) + 1.0
    assert both(x) == pytest.approx(expected)


def test_a_call_with_numbers_is_typed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later questions, of other programs, have the signature."""

    def first(x, n):
        return math.sin(x[0]) * n + x[1] if n > 3 else x @ x

    def second(y, k):
        return math.sin(y[1]) * k if k > 3 else y @ y

    asked: list[Any] = []
    resolve = cpu_target.typing_context.resolve_function_type

    def counted(function: Any, args: Any, kws: Any) -> Any:
        asked.append((function, args))
        return resolve(function, args, kws)

    bs.grad(first, cache=False, jit=False).source(np.ones(2), 4)
    monkeypatch.setattr(cpu_target.typing_context, "resolve_function_type", counted)
    bs.grad(second, cache=False, jit=False).source(np.ones(2), 4)
    assert asked == []
