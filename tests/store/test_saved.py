"""A saved module stands alone: it runs with NumPy and Numba where backsweep cannot be imported."""

from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import backsweep as bs
from tests.emit.test_golden import primal_of
from tests.support import checking

PROGRAM = """
import importlib.util, pickle, sys


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "backsweep":
            raise ImportError("backsweep is not installed here")


sys.meta_path.insert(0, Absent())
module_file, name, data, results = sys.argv[1:]
spec = importlib.util.spec_from_file_location("saved", module_file)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
with open(data, "rb") as file:
    args = pickle.load(file)
with open(results, "wb") as file:
    pickle.dump(getattr(module, name)(*args), file)
assert not [name for name in sys.modules if name.split(".")[0] == "backsweep"]
"""
NAMES = ["neuron", "newton_root", "smooth", "layer_loss"]


@pytest.mark.turns(5)
@pytest.mark.parametrize("name", NAMES)
def test_runs_alone(name: str, tmp_path: Path) -> None:

    function, args, argnums = primal_of(name)
    transformed = bs.value_and_grad(function, argnums=argnums)
    saved, data, results = tmp_path / "m.py", tmp_path / "data", tmp_path / "results"
    transformed.save(str(saved), *args)
    data.write_bytes(pickle.dumps(args))
    command = [sys.executable, "-c", PROGRAM, str(saved), f"{name}_value_and_grad", str(data), str(results)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    value, gradient = pickle.loads(results.read_bytes())
    expected_value, expected = transformed(*args)
    np.testing.assert_allclose(value, expected_value, rtol=1e-13)
    checking.assert_close(gradient, expected)


def test_text_is_readable(tmp_path: Path) -> None:
    function, args, argnums = primal_of("newton_root")
    transformed = bs.value_and_grad(function, argnums=argnums)
    transformed.save(str(tmp_path / "m.py"), *args)
    text = (tmp_path / "m.py").read_text(encoding="utf-8")
    assert "import backsweep" not in text and "from backsweep" not in text
    assert text.startswith('"""Adjoint of `newton_root`')
    assert "# step = 0.5 * (x - a / x)" in text


def test_differentiated_again_a_saved_modules_tapes_grow(tmp_path: Path) -> None:
    function, args, _ = primal_of("newton_root")
    path = tmp_path / "newton.py"
    bs.grad(function).save(path, *args)
    spec = importlib.util.spec_from_file_location("saved_newton", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (name,) = (name for name in vars(module) if name.endswith("_grad"))
    again = bs.grad(vars(module)[name], jit=False)
    assert "while" in again.source(*args)
    assert again(*args) == pytest.approx(bs.grad(bs.grad(function, jit=False), jit=False)(*args), rel=1e-12)
