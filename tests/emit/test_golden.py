"""The emitted text itself: each file of tests/golden beside the adjoint that is emitted for it, some beside the tangent.

`pytest --update-golden` writes the texts and fails, so that an update cannot pass for a test. Each text is
imported and its gradient compared with differences as well: a wrong text is hard to approve by eye alone.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from backsweep.requests import Options
from backsweep.specialise.build import Build
from backsweep.specialise.transformed import Transformed
from tests.support import checking
from tests.support.expected import compare, orphans

FOLDER = Path(__file__).parents[1] / "golden"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if "." not in path.stem)
TANGENTS = ("branch", "heat", "neuron", "newton_root", "standardise")
"""Those whose tangent is kept as well."""


JACOBIANS = sorted(path.stem for path in (FOLDER / "jacobian").glob("*.py") if "." not in path.stem)
"""Those in a folder of their own, whose Jacobian or Hessian is kept."""


def load(path: Path) -> ModuleType:
    """A module from its file, under a name that nothing else has."""
    spec = importlib.util.spec_from_file_location(f"golden_{path.stem.replace('.', '_')}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def primal_of(name: str) -> tuple[Any, tuple[Any, ...], tuple[int, ...]]:
    """The function of a golden file, its arguments, and the positions that it is differentiated for."""
    module = load(FOLDER / f"{name}.py")
    function = getattr(module, name)
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
    return function, module.ARGS, tuple(parameters.index(parameter) for parameter in module.WRT)


@pytest.mark.parametrize("name", NAMES)
def test_text(name: str, request: pytest.FixtureRequest) -> None:
    function, args, argnums = primal_of(name)
    text = bs.value_and_grad(function, argnums=argnums).source(*args)
    compare(text, FOLDER / f"{name}.adjoint.py", update=request.config.getoption("--update-golden"))


@pytest.mark.filterwarnings("ignore:divide by zero")  # `np.where(r > 0.0, 1.0 / r, 0.0)`
@pytest.mark.parametrize("name", NAMES)
def test_gradient(name: str) -> None:
    function, args, argnums = primal_of(name)
    module = load(FOLDER / f"{name}.adjoint.py")
    classes = {key: thing for key, thing in function.__globals__.items() if isinstance(thing, type)}
    vars(module).update(classes)  # what cannot be imported from the file of a golden
    emitted = getattr(module, f"{name}_value_and_grad")
    given = checking.clone(args)
    value, gradient = emitted(*given)
    checking.assert_unchanged(args, given)
    checking.assert_close(value, function(*checking.clone(args)))
    checking.assert_gradient(gradient, function, args, argnums)


@pytest.mark.parametrize("name", TANGENTS)
def test_tangent_text(name: str, request: pytest.FixtureRequest) -> None:
    function, args, argnums = primal_of(name)
    names = function.__code__.co_varnames
    wrt = tuple(names[number] for number in argnums)
    text = Transformed(function, Build(function, "jvp", wrt, False, False, None, Options())).source(*args)
    compare(text, FOLDER / f"{name}.tangent.py", update=request.config.getoption("--update-golden"))


@pytest.mark.parametrize("name", TANGENTS)
def test_tangent(name: str) -> None:
    function, args, argnums = primal_of(name)
    emitted = getattr(load(FOLDER / f"{name}.tangent.py"), f"{name}_jvp")
    active = tuple(args[number] for number in argnums)
    dots = checking.cotangent_like(active)
    value, value_dot = emitted(*checking.clone(args), *checking.clone(dots))
    checking.assert_close(value, function(*checking.clone(args)))
    gradient = checking.reference_gradient(function, args, argnums)
    np.testing.assert_allclose(value_dot, checking.inner(gradient, dots), rtol=1e-7)


@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobian_text(name: str, request: pytest.FixtureRequest) -> None:
    module = load(FOLDER / "jacobian" / f"{name}.py")
    text = getattr(bs, module.WAY)(getattr(module, name), wrt=module.WRT).source(*module.ARGS)
    path = FOLDER / "jacobian" / f"{name}.{module.WAY}.py"
    compare(text, path, update=request.config.getoption("--update-golden"))


@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobian(name: str) -> None:
    """Along a direction it agrees with the tangent, of the gradient where it is a Hessian."""
    module = load(FOLDER / "jacobian" / f"{name}.py")
    function = getattr(module, name)
    found = getattr(bs, module.WAY)(function, wrt=module.WRT, jit=False)(*module.ARGS)
    names = function.__code__.co_varnames
    active = tuple(module.ARGS[names.index(each)] for each in module.WRT)
    dots = checking.cotangent_like(active)
    moved = bs.grad(function, wrt=module.WRT) if module.WAY == "hessian" else function
    _, expected = bs.jvp(moved, module.ARGS, dots, wrt=module.WRT, jit=False)
    parts = found if isinstance(expected, tuple) else (found,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for part, dot in zip(parts, expected, strict=True):
        along = sum(
            np.tensordot(row, step, np.ndim(step))
            for row, step in zip(checking.leaves(part), checking.leaves(dots), strict=True)
        )
        np.testing.assert_allclose(along, dot, rtol=1e-12)


def test_no_orphans() -> None:
    assert orphans(FOLDER, ".adjoint.py", set(NAMES)) == []
    assert orphans(FOLDER, ".tangent.py", set(TANGENTS)) == []
