"""`explain`: the table for reviewed functions, the fields of its rows, and bytes that are those of the emitted tapes."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.explanation.explanation import Explanation
from backsweep.inspect.cli.command_line import main
from tests.ad.test_zoo import COMPILED
from tests.emit.test_golden import FOLDER, primal_of
from tests.support.expected import compare, orphans
from tests.support.pages import printed, said

TABLES = ["smooth", "relax", "newton_root", "skip", "early_return", "ping_pong", "triangular", "rotate"]
TAPES = [
    "smooth",
    "relax",
    "polynomial",
    "logistic",
    "product",
    "skip",
    "rotate",
    "newton_root",
    "early_return",
]


def explained(name: str, *, jit: bool = False) -> Explanation:
    function, args, argnums = primal_of(name)
    found: Explanation = bs.grad(function, argnums=argnums, jit=jit).explain(*args)
    return found


@pytest.mark.parametrize("name", TABLES)
def test_table(name: str, request: pytest.FixtureRequest) -> None:
    update = request.config.getoption("--update-golden")
    compare(f"{explained(name)}\n", FOLDER / f"{name}.explain.txt", update=update)


def test_no_orphans() -> None:
    assert orphans(FOLDER, ".explain.txt", set(TABLES)) == []


def locals_at_return(function: Callable[..., Any], args: tuple[Any, ...], prefix: str) -> dict[str, Any]:
    """The variables of the emitted function when it returned."""
    found: dict[str, Any] = {}

    def watch(frame: Any, event: str, _: Any) -> None:
        if event == "return" and frame.f_code.co_name.startswith(prefix):
            found.update(frame.f_locals)

    sys.setprofile(watch)
    try:
        function(*args)
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize("name", TAPES)
def test_bytes_are_those_of_the_tapes(name: str) -> None:
    function, args, argnums = primal_of(name)
    gradient = bs.grad(function, argnums=argnums, jit=False)
    tapes = {
        key: value
        for key, value in locals_at_return(gradient, args, f"{name}_grad").items()
        if "_tape" in key
    }
    explanation = gradient.explain(*args)
    stored = [row for row in explanation.rows if row.state == "stored"]
    assert sorted(row.bytes for row in stored) == sorted(tape.nbytes for tape in tapes.values())
    assert explanation.bytes == sum(tape.nbytes for tape in tapes.values()) > 0


def test_compiled_and_plain_agree() -> None:
    assert str(explained("ping_pong", jit=True)) == str(explained("ping_pong"))


def mixed(x, n, flag):
    y = x.copy()
    scale = math.floor(x[0])
    side = x[0] * 2.0  # noqa: F841  that nothing reads it is the point
    total = 0.0
    k = 0
    while k < n:
        t = math.exp(y[k] + total)
        if flag and t > 1.0:
            u = t * t
            total += u * math.sin(u)
        else:
            total -= scale * t
        y[k + 1] = total
        k += 1
    return total


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    found: Explanation = bs.grad(mixed, jit=False).explain(np.linspace(0.2, 1.0, 8), 7, True)
    return found


def test_rows_tell_what_is_active(explanation: Explanation) -> None:
    (x,), (n,), (scale,), (side,) = (explanation[name] for name in ("x", "n", "scale", "side"))
    assert (x.active, x.varied, x.useful, x.activity, x.type) == (True, True, True, "by x", "float64[:]")
    assert (n.active, n.activity, n.role) == (False, "int64 has no derivative", "argument")
    assert not scale.varied and not scale.active
    assert (side.active, side.activity, side.state) == (False, "nothing reads it under this name", "not read")


def test_rows_tell_what_is_stored(explanation: Explanation) -> None:
    first = mixed.__code__.co_firstlineno
    (t,), (u,) = explanation["t"], explanation["u"]
    assert (t.state, t.reason, t.entry_bytes, t.count) == (
        "stored",
        "math.exp costs more than a record",
        8,
        "",
    )
    assert t.bytes == 16 * 8
    assert t.place.line - first == 7 and t.place.statement == "t = math.exp(y[k] + total)"
    assert [place.line - first for place in t.read_by] == [7, 8, 9]
    assert (u.state, u.bytes) == ("recomputed", None)
    carried = [row for row in explanation["k"] if row.role == "carried"]
    assert [(row.state, row.bytes) for row in carried] == [("undone", None)]
    (y,) = explanation["y"]
    assert [place.line - first for place in y.overwritten_by] == [13]
    assert explanation.bytes == sum(row.bytes for row in explanation.rows if row.bytes is not None)


def test_rows_tell_what_the_function_stores_itself() -> None:
    def history(x: Any) -> Any:
        path = np.empty((3, x.size))
        first = np.empty(3)
        y = x * 0.5
        for t in range(3):
            path[t] = y
            v = y[0] * y[1]
            first[t] = math.exp(v)
            y = y * y
        return np.sum(path * path) + np.sum(first * first)

    found = bs.grad(history, jit=False).explain(np.linspace(0.2, 0.8, 4))
    (carried,) = (row for row in found["y"] if row.role == "carried")
    assert (carried.state, carried.reason) == ("kept", "a part of path holds it and is not overwritten")
    assert found.bytes == 0


def test_a_running_maximum_records_nothing_per_iteration() -> None:
    def softest(x: Any) -> Any:
        top, low = x[0], x[0]
        for j in range(1, x.size):
            top = max(top, x[j])
            if x[j] < low:
                low = math.sin(x[j])
        return top * low

    found = bs.grad(softest, jit=False).explain(np.linspace(0.2, 0.8, 4))
    assert [row.state for row in found["top"] if row.role == "carried"] == ["kept"]
    assert found.bytes == 0


def test_types_alone_give_expressions() -> None:
    function, _, argnums = primal_of("relax")
    explanation = bs.grad(function, argnums=argnums).explain(numba.float64[::1], numba.float64)
    (stored,) = (row for row in explanation.rows if row.state == "stored")
    assert (stored.name, stored.named, stored.entry_bytes, stored.bytes) == ("y[i]", False, 8, None)
    assert stored.count == "3 * max(y.size - 1, 0)"
    assert "8 * 3 * max(y.size - 1, 0)" in str(explanation)
    assert [place.statement for place in stored.overwritten_by] == ["y[i] = y[i] * y[i] * w + y[i - 1]"]


def test_of_the_latest_call() -> None:
    def cube(x):
        return x * x * x

    gradient = bs.grad(cube, jit=False)
    with pytest.raises(bs.ArgumentError, match="BS501"):
        gradient.explain()
    gradient(2.0)
    assert gradient.explain().rows == gradient.explain(numba.float64).rows


def test_defaults_aux_and_wrappers() -> None:
    def power(x, n=3):
        y = x
        for _ in range(n):
            y = y * x
        return y, n

    explanation = bs.explain(bs.grad(power, has_aux=True, jit=False), 2.0)
    assert explanation.bytes == 3 * 8
    with pytest.raises(bs.ArgumentError, match="BS503"):
        bs.explain(power, 2.0)
    with pytest.raises(KeyError):
        explanation["z"]


@pytest.mark.parametrize("case", COMPILED[::9], ids=lambda case: case.name)
def test_every_kind_of_function(case: Any) -> None:
    explanation = bs.grad(case.function, argnums=case.argnums, jit=False).explain(*case.args)
    assert explanation.rows and str(explanation)
    assert explanation.bytes == sum(row.bytes or 0 for row in explanation.rows)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "user_power.py"
    path.write_text(
        "def power(x, n):\n    y = x\n    for i in range(n):\n        y = y * x\n    return y\n",
        encoding="utf-8",
    )
    assert main(["explain", f"{path}:power", "--args", "2.0, 5"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(
        "power (user_power.py:1) with respect to x\nHeld for the reverse sweep: 40 bytes"
    )


def test_the_page_prints_what_it_says(tmp_path: Path) -> None:
    assert said("explain.md") and printed("explain.md", tmp_path) == said("explain.md")


def test_comparisons_alone() -> None:
    """A search that compares does not use its argument's value: the explanation says so, and names `bs.root`."""

    def by_halving(a, b):
        low, high = 0.0, 4.0
        while high - low > 1e-9:
            middle = 0.5 * (low + high)
            if middle * middle < a + 1.0:
                low = middle
            else:
                high = middle
        return 0.5 * (low + high) * b

    def unread(a, b):
        a + 1.0
        return b * 2.0

    explained = bs.grad(by_halving, argnums=(0, 1), jit=False).explain(2.0, 3.0)
    assert "only comparisons depend on it" in explained["a"][0].activity
    assert "bs.root" in explained["a"][0].activity
    assert (
        "does not depend on it"
        in bs.grad(unread, argnums=(0, 1), jit=False).explain(2.0, 3.0)["a"][0].activity
    )


def test_a_value_that_only_a_step_function_reads() -> None:
    def steps(x):
        u = x * x
        return np.floor(u) * x

    explained = bs.grad(steps, jit=False).explain(2.0)
    assert explained["u"][0].activity == "only np.floor reads it, which has no derivative"
