"""Functions that change under one's hands: cells run again, modules edited or reloaded, globals assigned anew.

Whatever happens, a gradient is that of the function object it was taken of, or it is refused.
"""

from __future__ import annotations

import importlib
import linecache
import math
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs


def run_cell(name: str, text: str, names: dict[str, Any]) -> Callable[..., Any]:
    """Run a notebook's cell, whose text linecache knows; the function `f` that it defines."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), names)
    function: Callable[..., Any] = names["f"]
    return function


def test_a_cell_run_again_with_other_text() -> None:
    names: dict[str, Any] = {}
    old = run_cell("<ipython-input-1-a>", "def f(x):\n    return x * x\n", names)
    old_gradient = bs.grad(old)
    new = run_cell("<ipython-input-2-b>", "def f(x):\n    return x + x\n", names)
    assert (bs.grad(new)(3.0), old_gradient(3.0), bs.grad(old)(3.0)) == (2.0, 6.0, 6.0)


def test_other_text_under_the_same_file_name() -> None:
    names: dict[str, Any] = {}
    old = run_cell("<cell of one name>", "def f(x):\n    return x * x\n", names)
    called = bs.grad(old)
    assert called(3.0) == 6.0
    new = run_cell("<cell of one name>", "def f(x):\n    return x + x\n", names)
    assert (bs.grad(new)(3.0), called(3.0)) == (2.0, 6.0)
    with pytest.raises(bs.SourceError, match="is not what it was compiled from"):
        bs.grad(old)(3.0)


@pytest.mark.parametrize(
    ("was", "now"),
    [("2.0", "3.0"), ("0.0", "-0.0"), ("1", "1.0"), ("x", "K"), ("abs(x)", "min(x)"), ("x + x", "x * x")],
)
def test_any_difference_of_meaning_is_seen(was: str, now: str) -> None:
    names: dict[str, Any] = {"K": 1.0}
    old = run_cell("<edited cell>", f"def f(x):\n    return x * ({was})\n", names)
    run_cell("<edited cell>", f"def f(x):\n    return x * ({now})\n", names)
    with pytest.raises(bs.SourceError, match="BS002"):
        bs.grad(old)(3.0)


def test_a_prompt_that_keeps_no_text() -> None:
    names: dict[str, Any] = {}
    exec("def f(x):\n    return x * x\n", names)
    with pytest.raises(bs.SourceError, match="there is no text"):
        bs.grad(names["f"])(3.0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of modules that can be imported, whose byte code is never kept (edits come within a second)."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if name.startswith("edited_"):
            del sys.modules[name]


def write(path: Path, text: str) -> None:
    """Write a module, of another size than before, so that its change is seen within a second too."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(text + "#" * (1 + len(before)) + "\n", encoding="utf-8")


def imported(name: str) -> ModuleType:
    importlib.invalidate_caches()
    return importlib.import_module(name)


MODEL = "from edited_helper import g\n\n\ndef f(x):\n    return 2.0 {} g(x)\n"
HELPER = "def g(x):\n    return x {} x\n"


def test_a_module_edited_and_reloaded(folder: Path) -> None:
    write(folder / "edited_helper.py", HELPER.format("*"))
    write(folder / "edited_model.py", MODEL.format("*"))
    model = imported("edited_model")
    first = bs.grad(model.f)
    assert first(3.0) == 12.0
    write(folder / "edited_model.py", MODEL.format("+"))
    assert bs.grad(model.f)(3.0) == 12.0  # the edit is not what runs
    old, model = model.f, importlib.reload(model)
    assert bs.grad(model.f)(3.0) == 6.0
    assert first(3.0) == 12.0
    with pytest.raises(bs.SourceError, match="BS002"):
        bs.grad(old)(3.0)


def test_a_module_edited_before_its_text_was_read(folder: Path) -> None:
    write(folder / "edited_model.py", "def f(x):\n    return x * x\n")
    model = imported("edited_model")
    write(folder / "edited_model.py", "def f(x):\n    return x + x\n")
    with pytest.raises(bs.SourceError, match="the file may have changed"):
        bs.grad(model.f)(3.0)


def test_an_edit_elsewhere_in_the_file_does_not_matter(folder: Path) -> None:
    write(folder / "edited_model.py", "def f(x):\n    return x * x\n\n\nK = 1.0\n")
    model = imported("edited_model")
    write(folder / "edited_model.py", "def f(x):\n    return x * x\n\n\nK = 2.0\n")
    assert bs.grad(model.f)(3.0) == 6.0


def test_a_helper_edited_and_reloaded(folder: Path) -> None:
    write(folder / "edited_helper.py", HELPER.format("*"))
    write(folder / "edited_model.py", MODEL.format("*"))
    model = imported("edited_model")
    assert bs.grad(model.f)(3.0) == 12.0
    write(folder / "edited_helper.py", HELPER.format("+"))
    importlib.reload(sys.modules["edited_helper"])
    assert bs.grad(model.f)(3.0) == 12.0  # `f` holds the old helper still, as Python has it
    importlib.reload(model)
    assert bs.grad(model.f)(3.0) == 4.0


@pytest.mark.turns(5)
def test_modules_edited_between_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(folder / "cache"))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    program = "import backsweep as bs, edited_model; print(bs.grad(edited_model.f)(3.0))"
    for model, helper, expected in (("*", "*", 12.0), ("*", "+", 4.0), ("+", "*", 6.0), ("*", "*", 12.0)):
        write(folder / "edited_helper.py", HELPER.format(helper))
        write(folder / "edited_model.py", MODEL.format(model))
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False
        )
        assert (done.stdout.strip(), done.stderr) == (str(expected), "")


FACTOR = 2.0
TABLE = np.array([1.0, 2.0])


def scaled(x):
    return FACTOR * x * TABLE[1]


@pytest.mark.compiles_many("each value of the global has code of its own")
def test_globals_have_the_value_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, gradient = numba.njit(scaled), bs.grad(scaled)
    of_compiled = bs.grad(compiled)
    assert (compiled(1.0), gradient(1.0), of_compiled(1.0), bs.vjp(scaled, 1.0)[0]) == (4.0, 4.0, 4.0, 4.0)
    monkeypatch.setitem(scaled.__globals__, "FACTOR", 3.0)
    monkeypatch.setitem(scaled.__globals__, "TABLE", np.array([1.0, 5.0]))
    assert (gradient(1.0), bs.vjp(scaled, 1.0)[0]) == (15.0, 15.0)
    assert (compiled(1.0), of_compiled(1.0)) == (4.0, 4.0)  # as Numba has it
    assert numba.njit(scaled)(1.0) == 15.0


@pytest.mark.compiles_many("threads compile at once")
def test_threads_that_call_first_at_once() -> None:
    def make(factor: float, *, jit: bool) -> list[Any]:
        def curve(x, w):
            return math.exp(-x * w) * x * factor

        # Two objects of one text share a file; each is called, and looked at, by several threads.
        return [bs.grad(curve, jit=jit) for _ in range(2)]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for trial in range(1, 7):
            gradients = make(float(trial), jit=trial % 3 == 0) * 3
            found = at_once(gradients, (0.3, 0.7))
            assert found == [pytest.approx(trial * math.exp(-0.21) * 0.79, rel=1e-14)] * 6
    finally:
        sys.setswitchinterval(interval)


def at_once(functions: list[Any], args: tuple[Any, ...]) -> list[Any]:
    """What the functions return, each called by a thread of its own, all at once."""
    start, found = threading.Barrier(len(functions)), list[Any]()

    def call(function: Any) -> None:
        start.wait()
        function.source(*args)
        found.append(function(*args))

    threads = [threading.Thread(target=call, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_threads_that_differentiate_and_compile_at_once() -> None:
    def wave(x):
        return math.sin(x) * x

    gradient = bs.grad(wave)

    @numba.njit
    def twice(x):
        return gradient(x) + gradient(x)

    other = bs.grad(wave)
    expected = math.cos(0.3) * 0.3 + math.sin(0.3)

    class Compiled:
        source = staticmethod(lambda *_: "")
        __call__ = staticmethod(twice)

    found = at_once([Compiled(), other, Compiled(), gradient], (0.3,))
    assert sorted(found) == [pytest.approx(expected)] * 2 + [pytest.approx(2.0 * expected)] * 2
