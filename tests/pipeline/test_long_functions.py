"""Functions of many statements, each of which reads what the last one made, are no deep recursion for any pass."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs

CHAINS = {
    "numbers": ("    x = x * y + 0.25\n", 200),
    "branches": ("    if x > {k}.5:\n        x = x * y + 0.25\n", 100),
    "arrays": ("    x = x + y\n", 200),
}


def _chain(statement: str, length: int) -> Callable[..., Any]:
    text = "def chain(x, y):\n" + "".join(statement.format(k=k) for k in range(length)) + "    return x\n"
    file = f"<chain {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {}
    exec(compile(text, file, "exec"), space)
    made: Callable[..., Any] = space["chain"]
    return made


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", CHAINS)
def test_a_long_chain_of_statements(name: str) -> None:
    f = _chain(*CHAINS[name])
    x, y = (np.array([0.9, 1.1]), np.array([0.5, 0.6])) if name == "arrays" else (0.9, 0.5)
    value, pullback = bs.vjp(f, x, y, jit=False)
    assert np.allclose(value, f(x, y), rtol=1e-13)
    x_bar, y_bar = pullback(np.ones_like(x) if isinstance(x, np.ndarray) else 1.0)
    step = 1e-6
    slope = (f(x, y + step) - f(x, y - step)) / (2.0 * step)
    assert np.isclose(np.sum(y_bar), np.sum(slope), rtol=1e-7)
    _, tangent = bs.jvp(f, (x, y), (0.0 * x, 1.0 + 0.0 * y), jit=False)
    assert np.isclose(np.sum(tangent), np.sum(y_bar), rtol=1e-12)
    assert np.all(np.isfinite(x_bar))
