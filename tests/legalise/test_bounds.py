"""Subscripts out of bounds: gradients of plain functions raise IndexError where the functions do, and only there."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba import njit

import backsweep as bs
from tests.legalise.bounds_programs import FINE, OUTSIDE, Program, raises
from tests.support.sampled import turning


@pytest.mark.parametrize("program", turning(3, OUTSIDE), ids=str)
def test_out_of_bounds_raises(program: Program) -> None:
    assert raises(lambda: program.function(*program.args))
    for run in program.transformations(jit=False):
        assert raises(run)


@pytest.mark.parametrize("program", FINE, ids=str)
def test_within_bounds_runs(program: Program) -> None:
    value = program.function(*program.args)
    found, _ = bs.value_and_grad(program.function, jit=False)(*program.args)
    assert found == pytest.approx(value)


@pytest.mark.compiles
@pytest.mark.turns(5)
def test_compiled() -> None:
    """In a process of its own, which an access out of bounds may end."""
    done = subprocess.run(
        [sys.executable, "-c", "from tests.legalise.bounds_programs import run_compiled; run_compiled()"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def dot(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i] ** 2
    return s


def five_points(a):
    n, m = a.shape
    s = 0.0
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            s += a[i - 1, j] * a[i + 1, j] + a[i, j - 1] * a[i, j + 1]
    return s


SHORT = np.ones(3), np.ones(2)


def test_proved_subscripts_cost_no_line() -> None:
    assert "raise" not in bs.grad(five_points).source(np.ones((3, 3)))


def test_a_relation_of_extents_costs_one_check() -> None:
    text = bs.grad(dot, argnums=(0, 1)).source(*SHORT)
    assert text.count("raise") == 1
    assert "    if y.shape[0] < n:\n        raise IndexError('y[i] is out of bounds')\n" in text


def test_functions_of_numba_are_as_numba_has_them() -> None:
    assert "raise" not in bs.grad(njit(dot)).source(*SHORT)
    assert "raise" in bs.grad(njit(boundscheck=True)(dot)).source(*SHORT)
    assert "raise" not in bs.grad(njit(boundscheck=False)(dot)).source(*SHORT)


@pytest.mark.parametrize("wrap", [lambda f: f, njit, njit(boundscheck=True), njit(boundscheck=False)])
def test_the_option_decides(wrap: Any) -> None:
    function = wrap(dot)
    for transformation in (bs.grad, bs.value_and_grad, bs.jacobian, bs.hessian):
        assert "raise" in transformation(function, boundscheck=True).source(*SHORT)
        assert "raise" not in transformation(function, boundscheck=False).source(*SHORT)


def test_called_functions_of_numba_keep_their_choice() -> None:
    inner, checked = njit(dot), njit(boundscheck=True)(dot)
    assert "raise" not in bs.grad(lambda x, y: 2.0 * inner(x, y)).source(*SHORT)
    assert "raise" in bs.grad(lambda x, y: 2.0 * checked(x, y)).source(*SHORT)
    assert "raise" in bs.grad(njit(lambda x, y: 2.0 * checked(x, y))).source(*SHORT)
    assert "raise" in bs.grad(lambda x, y: 2.0 * dot(x, y)).source(*SHORT)
    assert "raise" not in bs.grad(lambda x, y: 2.0 * dot(x, y), boundscheck=False).source(*SHORT)


def test_the_environment_decides_for_functions_of_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert "raise" in bs.grad(njit(dot)).source(*SHORT)
    assert "raise" in bs.grad(njit(boundscheck=False)(dot)).source(*SHORT)
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 0)
    assert "raise" not in bs.grad(njit(boundscheck=True)(dot)).source(*SHORT)
    assert "raise" in bs.grad(dot).source(*SHORT)


@pytest.mark.compiles
def test_a_gradient_within_compiled_code_raises() -> None:
    slope = bs.grad(dot)

    @njit
    def run(x, y):
        return slope(x, y)

    np.testing.assert_allclose(run(np.ones(2), np.ones(3)), np.ones(2))
    with pytest.raises(IndexError, match=r"y\[i\] is out of bounds"):
        run(*SHORT)


def test_a_saved_module_has_the_checks(tmp_path: Path) -> None:
    path = tmp_path / "saved.py"
    bs.grad(dot).save(str(path), *SHORT)
    spec = importlib.util.spec_from_file_location("saved", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(IndexError):
        module.dot_grad.py_func(*SHORT)


def test_messages_name_the_subscript_as_it_is_written() -> None:
    for function, args, message in (
        (lambda x, k: x[k + 1] ** 2, (np.ones(2), 1), "x[k + 1]"),
        (lambda x, k: np.sum(x[k] ** 2), (np.ones(2), np.array([2])), "x[k]"),
        (lambda x, k: np.take(x, k) ** 2, (np.ones(2), 2), "np.take(x, k)"),
    ):
        with pytest.raises(IndexError) as caught:
            bs.grad(function, jit=False)(*args)
        assert str(caught.value) == f"{message} is out of bounds"
