"""Loose bounds on what a user waits for: a call, a compilation. Figures are printed (`pytest -s -n0`)."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest

import backsweep as bs
from tests.test_golden import load

CALL = 5e-6
"""Seconds for one call of a compiled gradient of three floats; 1.5e-6 is the aim."""
COMPILATION = 5.0
"""Time to compile a gradient over the time Numba takes for the primal; 4 is the aim, and 3.6 on a quiet machine."""


def neuron(x, w, b):
    return math.tanh(x * w + b)


def seconds(call: Callable[[], Any], number: int = 1, repeats: int = 1) -> float:
    """The best time of one call."""
    best = math.inf
    gc.disable()
    try:
        for _ in range(repeats):
            start = time.perf_counter()
            for _ in range(number):
                call()
            best = min(best, (time.perf_counter() - start) / number)
    finally:
        gc.enable()
    return best


def test_a_call_costs_little() -> None:
    gradient, primal = bs.grad(neuron, argnums=(0, 1, 2)), numba.njit(neuron)
    gradient(0.3, 0.7, 0.1), primal(0.3, 0.7, 0.1)
    ours = seconds(lambda: gradient(0.3, 0.7, 0.1), 2000, 7)
    plain = seconds(lambda: primal(0.3, 0.7, 0.1), 2000, 7)
    print(f"\ncall of a gradient: {ours * 1e6:.2f} us; of the compiled primal: {plain * 1e6:.2f} us")
    assert ours < CALL


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


def test_compilation_takes_a_few_times_that_of_the_primal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "long_one.py").write_text(long_function(60), encoding="utf-8")
    function = load(tmp_path / "long_one.py").long_one
    bs.grad(neuron, argnums=(0, 1, 2))(0.3, 0.7, 0.1)
    primal = seconds(lambda: numba.njit(function)(0.3, 0.7), repeats=3)
    caches = (monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(tmp_path / f"cache{k}")) for k in range(3))
    ours = seconds(
        lambda: (next(caches), bs.grad(function, argnums=(0, 1), cache=False)(0.3, 0.7)), repeats=3
    )
    print(
        f"\ncompilation of 60 lines: primal {primal:.2f} s, gradient {ours:.2f} s, {ours / primal:.1f} times"
    )
    assert ours < COMPILATION * primal
