"""What the public functions return can be pickled, here and for another process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.api import pickled_functions as functions

ROOT = Path(__file__).parents[2]
X = np.arange(1.0, 4.0)
CUBES, PRODUCT = functions.cubes, functions.product
CALLED: dict[str, tuple[Callable[[], Any], tuple[Any, ...]]] = {
    "grad": (lambda: bs.grad(CUBES), (X,)),
    "value_and_grad": (lambda: bs.value_and_grad(CUBES, wrt=("x",), jit=False), (X,)),
    "flags": (lambda: bs.grad(CUBES, fastmath={"reassoc", "nsz"}), (X,)),
    "jacobian": (lambda: bs.jacobian(PRODUCT, jit=False), (X, X)),
    "jacfwd": (lambda: bs.jacfwd(PRODUCT, wrt=("y", "x"), jit=False), (X, X)),
    "hessian": (lambda: bs.hessian(CUBES, jit=False), (X,)),
    "hvp": (lambda: bs.hvp(CUBES, wrt=("x",), jit=False), ((X,), (X,))),
    "sparsity": (lambda: bs.sparsity(PRODUCT, wrt=("x", "y"), jit=False), (X, X)),
    "sparse jacobian": (lambda: bs.jacobian(PRODUCT, (0, 1), sparse=True, jit=False), (X, X)),
    "sparse hessian": (lambda: bs.hessian(CUBES, sparse=True, jit=False), (X,)),
    "sparse hessian by name": (lambda: bs.hessian(CUBES, wrt=("x",), sparsity=np.eye(3), jit=False), (X,)),
    "trace": (lambda: bs.trace(CUBES), (X,)),
    "pullback": (lambda: bs.vjp(CUBES, X)[1], (2.0,)),
    "pullback, plain": (lambda: bs.vjp(PRODUCT, X, X, jit=False)[1], (X,)),
    "collecting": (lambda: bs.grad(CUBES, hooks={"x": None}, collect={}, jit=False), (X,)),
}
LOOKED_AT: dict[str, Callable[[], Any]] = {
    "a run": lambda: bs.trace(CUBES)(X),
    "a graph": lambda: bs.trace(CUBES)(X).graph(),
    "contributions": lambda: bs.trace(CUBES)(X).contributions("x"),
    "an explanation": lambda: bs.grad(CUBES).explain(X),
    "a report": lambda: bs.check_grads(CUBES, (X,)),
}


def description(thing: Any, args: tuple[Any, ...] | None) -> str:
    """What it gives for the arguments, or shows."""
    return str(thing if args is None else thing(*args))


CHILD = f"""
import pickle, sys
sys.path.insert(0, {str(ROOT)!r})
from tests.api.test_pickles import description
for thing, args in pickle.loads(sys.stdin.buffer.read()):
    print(description(thing, args), end="\\0")
"""


@pytest.mark.parametrize("name", CALLED)
def test_called_after_a_round_trip(name: str) -> None:
    make, args = CALLED[name]
    thing = make()
    assert description(pickle.loads(pickle.dumps(thing)), args) == description(thing, args)


@pytest.mark.parametrize("name", LOOKED_AT)
def test_looked_at_after_a_round_trip(name: str) -> None:
    thing = LOOKED_AT[name]()
    assert str(pickle.loads(pickle.dumps(thing))) == str(thing)


@pytest.mark.turns(3)
def test_in_another_process(tmp_path: Path) -> None:
    """All of them together, with an empty cache: nothing that this process emitted is there."""
    things = [
        *((make(), args) for make, args in CALLED.values()),
        *((make(), None) for make in LOOKED_AT.values()),
    ]
    environment = {**os.environ, "BACKSWEEP_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=pickle.dumps(things),
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().split("\0")[:-1] == [description(thing, args) for thing, args in things]


def test_sparse_derivatives_say_what_they_are() -> None:
    assert repr(bs.sparsity(CUBES)) == "<backsweep sparsity of cubes>"
    assert repr(bs.hessian(CUBES, sparse=True)) == "<backsweep sparse hessian of cubes>"
    assert repr(bs.trace(CUBES)) == "<backsweep trace of cubes>"
    for thing in (bs.sparsity(CUBES), bs.trace(CUBES)):
        with pytest.raises(bs.SourceError, match="from Python only"):
            bs.grad(thing)
