"""A saved module runs where Backsweep is not, and returns the very same numbers."""

import ast
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from backsweep.store.standalone import BELOW, standalone

RUN = """
import importlib.util, json, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("backsweep", "compiler", "runtime"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import numpy as np
spec = importlib.util.spec_from_file_location("saved", sys.argv[1])
saved = importlib.util.module_from_spec(spec)
spec.loader.exec_module(saved)
(function,) = (getattr(saved, name) for name in dir(saved) if name.endswith("_value_and_grad"))
value, gradient = function(1.3, np.array([[1.0, 0.2], [0.3, 0.1]]))
print(json.dumps([value, gradient.x, gradient.w.tolist()]))
"""


def run(path: Path, **environment: str) -> Any:
    """What the module computes in a process where Backsweep is not."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=path.parent,
        env={**os.environ, **environment},
    )
    return json.loads(done.stdout)


def kernels(x, w):
    total = np.linalg.det(w)
    while total < 3.0:
        total = total + math.exp(-total) + math.lgamma(x) * w[0, 0] + 1.0
    return total


def test_a_saved_module_needs_no_backsweep(tmp_path: Path) -> None:
    gradient = bs.value_and_grad(kernels, wrt=("x", "w"), jit=False)
    value, (x_bar, w_bar) = gradient(1.3, np.array([[1.0, 0.2], [0.3, 0.1]]))
    path = tmp_path / "saved.py"
    gradient.save(str(path))
    text = path.read_text(encoding="utf-8")
    assert "import backsweep" not in text
    assert "from backsweep" not in text
    # The adjoint first. Each kernel once, those that others need above them.
    assert text.index("def kernels_value_and_grad(") < text.index(BELOW) < text.index("def digamma(")
    assert text.count("def digamma(") == text.count("SERIES = ") == 1
    assert text.index("def products_of_others(") < text.index("def cofactors(")
    assert run(path, NUMBA_DISABLE_JIT="1") == [value, x_bar, w_bar.tolist()]


def one_kernel(x, w):
    return math.lgamma(x) * w[0, 0]


def test_a_saved_module_compiles_without_backsweep(tmp_path: Path) -> None:
    gradient = bs.value_and_grad(one_kernel, wrt=("x", "w"))
    value, (x_bar, w_bar) = gradient(1.3, np.array([[1.0, 0.2], [0.3, 0.1]]))
    path = tmp_path / "saved.py"
    gradient.save(str(path))
    assert run(path) == [value, x_bar, w_bar.tolist()]


def lengths(x, w):
    return np.cos(np.linalg.norm(w)) * x + np.sum(np.hypot(w, x))


def slope(x, w):
    return bs.grad(lengths)(x, w) * x


def test_helpers_of_overloads_are_plain_functions(tmp_path: Path) -> None:
    again = bs.value_and_grad(slope, wrt=("x", "w"))
    w = np.array([[1.0, 0.2], [0.3, 0.1]])
    value, (x_bar, w_bar) = again(1.3, w)
    path = tmp_path / "saved.py"
    again.save(str(path), 1.3, w)
    assert "def along_or_nan(" in path.read_text(encoding="utf-8")
    assert run(path) == [value, x_bar, w_bar.tolist()]


def test_names_that_the_module_has_already() -> None:
    text = '''"""Docstring."""
import math

from backsweep.runtime.special import digamma

SERIES = (1.0, 2.0)


def f(x):
    return digamma(x) + SERIES[0]
'''
    made = standalone(text)
    assert "runtime_SERIES = (" in made
    assert "for coefficient in runtime_SERIES:" in made
    names: dict = {}
    exec(made, names)
    assert names["f"](1.0) == pytest.approx(1.0 - 0.5772156649015329)


def test_comments_and_lines_stay_as_they_are() -> None:
    text = '"""Docstring."""\n\n\ndef f(x):\n    # x * 2.0\n    return 2.0 * x\n'
    assert standalone(text) == (
        '"""Docstring."""\nfrom numba import njit\n\n\n'
        '@njit(error_model="numpy")\ndef f(x):\n    # x * 2.0\n    return 2.0 * x\n'
    )


def test_objects_of_the_program_are_refused() -> None:
    with pytest.raises(bs.UnsupportedError, match="it reads `table`, an object of the running program"):
        standalone('"""Docstring."""\n\n\ndef f(x):\n    return table[0] * x\n')


RUNTIME = Path(__file__).parents[2] / "runtime"
KERNELS = [
    (path.stem, node.name)
    for path in sorted(RUNTIME.glob("*.py"))
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and "kernel" in map(ast.unparse, node.decorator_list)
]


def test_every_kernel_can_be_copied() -> None:
    assert ("memory", "check_room") in KERNELS
    for module, name in KERNELS:
        line = f"from backsweep.runtime.{module} import {name}"
        made = standalone(f'"""Docstring."""\n{line}\n\n\ndef f():\n    return {name}\n')
        assert not any(each == line for each in made.splitlines())
        names: dict = {}
        exec(made, names)
        assert callable(names[name]), name
