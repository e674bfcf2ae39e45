"""Derivatives of functions that no other process can import travel with the functions' texts; equal ones are one object."""

from __future__ import annotations

import copy
import importlib
import linecache
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from backsweep.rules.declare import declared_by_users
from backsweep.sending.sent import received
from tests.api import pickled_functions as functions

SCRIPT = '''import enum
import functools
import math
from collections import namedtuple

import numba
import numpy as np

import backsweep as bs

RATE = 3.0
TABLE = [1.0, 2.0]
Kind = enum.Enum("Kind", ["ONE", "TWO"])


def rate(x):
    return np.sin(x) * RATE


def loss(x, w=2.0, *, shift=0.5):
    """The text has a string
over lines."""
    u = rate(x * w) + shift
    return u * u + TABLE[1] * x


def power(k):
    table = np.array([k, 2.0])

    def inner(x):
        return table[0] * x**3 if x > 0.0 else nested(x)

    def nested(x):
        return inner(-x)

    return inner


class Model:
    scale = 4.0

    def __init__(self, k):
        self.k = k

    def cost(self, x):
        return self.k * x * x * self.scale


@numba.njit(fastmath=True, boundscheck=True)
def fourth(x):
    return x[0] ** 4


def own(x):
    return x * slope(x)


def slope(x):
    return x


# “text” of more than ASCII in the lambda's line
LAMBDAS = ["“”", lambda x: x * len("“”"), lambda x: (x *
    3.0 * len("“”"))]; DECORATED = functools.partial(loss, shift=1.0)


def twice(x):
    def call():
        """Inner functions are text of the outer one."""
        return x * x
    return call() + call()


@functools.wraps(twice)
def around(*args):
    return twice(*args)


@numba.njit
def growth(x):
    return 2.0 * x


@bs.rule(growth)
def growth_rule(x):
    """It is not the derivative, so that one sees what is taken."""
    y = growth(x)
    return y, lambda y_bar: y_bar * 3.0


@bs.pure_python(result=1.0)
def looked_up(x):
    return 7.0 * x


@bs.rule(looked_up)
def looked_up_rule(x):
    y = looked_up(x)
    return y, lambda y_bar: y_bar * 7.0


def grown(x):
    return growth(x) * looked_up(x)


def broken(x):
    raise ValueError("broken")
'''
CHILD = """
import pickle, sys, traceback
for thing, args in pickle.loads(sys.stdin.buffer.read()):
    try:
        print(thing(*args))
    except ValueError as error:
        print(traceback.format_exc())
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The globals of a script whose file is gone."""
    path = tmp_path_factory.mktemp("gone") / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    assert linecache.getlines(str(path))
    module = ModuleType("script_of_nobody")
    exec(compile(SCRIPT, str(path), "exec"), vars(module))
    path.unlink()
    yield vars(module)
    linecache.cache.pop(str(path), None)


def elsewhere(things: list[tuple[Any, tuple[Any, ...]]], folder: Path) -> list[str]:
    """What another process prints of calls."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CHILD],
        input=pickle.dumps(things),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def calls_of(script: dict[str, Any]) -> list[tuple[Any, tuple[Any, ...]]]:
    """Derivatives of what the script has, and arguments."""
    plain = {"jit": False}
    loss, lambdas = script["loss"], script["LAMBDAS"][1:]
    return [
        (bs.grad(loss), (1.0,)),
        (bs.grad(loss, wrt=("x", "u"), **plain), (1.0,)),
        (bs.value_and_grad(script["power"](5.0), **plain), (2.0,)),
        (bs.grad(script["power"](5.0), **plain), (-2.0,)),
        (bs.grad(script["Model"](3.0).cost, **plain), (2.0,)),
        (bs.hessian(script["fourth"], **plain), (np.ones(1),)),
        (bs.grad(bs.grad(script["own"], **plain), **plain), (2.0,)),
        *((bs.grad(each, **plain), (2.0,)) for each in lambdas),
        (bs.grad(script["DECORATED"], **plain), (1.0,)),
        (bs.grad(script["around"], **plain), (3.0,)),
        (bs.vjp(loss, 1.0, **plain)[1], (1.0,)),
        (bs.jvp(loss, **plain), ((1.0,), (1.0,))),
        (bs.sparsity(loss, **plain), (1.0,)),
        (bs.grad(script["twice"], hooks={"x": lambda adjoint: 2.0 * adjoint}, **plain), (3.0,)),
        (bs.grad(script["grown"], **plain), (1.0,)),
        (bs.jacobian(lambda x: x * script["RATE"], **plain), (np.ones(1),)),
    ]


def test_in_another_process(script: dict[str, Any], tmp_path: Path) -> None:
    calls = calls_of(script)
    here = [line for thing, args in calls for line in str(thing(*args)).splitlines()]
    assert elsewhere(calls, tmp_path) == here


def test_errors_and_tracebacks_show_the_lines(script: dict[str, Any], tmp_path: Path) -> None:
    def refused(x):
        return x.nothing()

    with pytest.raises(bs.UnsupportedError) as here:
        bs.grad(refused)(1.0)
    with pytest.raises(bs.UnsupportedError) as there:
        pickle.loads(pickle.dumps(bs.grad(refused)))(1.0)
    assert str(there.value) == str(here.value)
    shown = "\n".join(elsewhere([(_Called(bs.grad(script["broken"])), (1.0,))], tmp_path))
    line = SCRIPT[: SCRIPT.index("raise ValueError")].count("\n") + 1
    assert f'script.py", line {line}, in broken\n    raise ValueError("broken")' in shown


class _Called:
    """Calls the function that a derivative is of."""

    def __init__(self, derivative: Any) -> None:
        self.derivative = derivative

    def __call__(self, *args: Any) -> Any:
        return self.derivative.__wrapped__(*args)


@pytest.mark.parametrize("name", ["lambda", "closure", "importable", "of a gradient", "@njit"])
def test_equal_pickles_are_one_object(name: str, script: dict[str, Any]) -> None:
    make: dict[str, Callable[[], Any]] = {
        "lambda": lambda: bs.grad(script["LAMBDAS"][1]),
        "closure": lambda: bs.grad(script["power"](7.0)),
        "importable": lambda: bs.grad(functions.cubes),
        "of a gradient": lambda: bs.grad(bs.grad(script["own"])),
        "@njit": lambda: bs.grad(script["fourth"]),
    }
    one = make[name]()
    content = pickle.dumps(one)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(pickle.loads, [content, pickle.dumps(one)] * 4))
    assert all(each is found[0] for each in found) and found[0] is not one
    other = pickle.loads(pickle.dumps(bs.grad(one.function, strong_zeros=False)))
    assert other is not found[0] and not other.build.options.strong_zeros


def test_a_call_does_not_change_the_pickle(script: dict[str, Any]) -> None:
    slope = bs.grad(script["loss"], jit=False)
    before = pickle.dumps(slope)
    slope(1.0)
    assert pickle.dumps(slope) == before


def test_what_changes_around_a_function_makes_another_object(script: dict[str, Any]) -> None:
    def scaled(x):
        return x * factor

    factor = 2.0
    slope = bs.grad(scaled, jit=False)
    one = pickle.loads(pickle.dumps(slope))
    factor = 3.0
    other = pickle.loads(pickle.dumps(slope))
    assert (one(1.0), other(1.0), slope(1.0)) == (2.0, 3.0, 3.0)


def test_a_hook_is_the_object_s_own() -> None:
    content = pickle.dumps(bs.grad(functions.cubes, jit=False))
    one = pickle.loads(content)
    one.add_hook("x", lambda adjoint: 0.0 * adjoint)
    assert pickle.loads(content) is not one
    assert pickle.loads(content)(np.ones(2)).all()


def test_a_module_that_was_loaded_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "loaded_anew.py"
    path.write_text("def f(x):\n    return x * 2.0\n")
    module = importlib.import_module("loaded_anew")
    content = pickle.dumps(bs.grad(module.f, jit=False))
    assert pickle.loads(content)(1.0) == 2.0
    path.write_text("def f(x):\n    return x * 33.0\n")
    importlib.reload(module)
    assert pickle.loads(content)(1.0) == 33.0
    monkeypatch.delitem(sys.modules, "loaded_anew")


def test_rules_do_not_multiply(script: dict[str, Any]) -> None:
    """What is received is sent on only where its function is."""
    slope = bs.grad(script["grown"], jit=False)
    for _ in range(3):
        other = pickle.loads(pickle.dumps(slope))
        assert other(1.0) == slope(1.0) == 35.0
        slope = bs.grad(other.function, jit=False, strong_zeros=False)
    before = len(declared_by_users())
    for k in range(3):
        pickle.loads(pickle.dumps(bs.grad(script["power"](100.0 + k))))
    assert len(declared_by_users()) == before


def test_copies_are_objects_of_their_own(script: dict[str, Any]) -> None:
    slope = bs.grad(script["loss"], jit=False)
    for made in (copy.copy(slope), copy.deepcopy(slope)):
        assert made is not slope and made.function is script["loss"]
        assert made(1.0) == slope(1.0)


def test_the_text_of_another_function_is_not_taken(script: dict[str, Any]) -> None:
    """A wrapper has the attributes of what it is around, and with them the text."""
    twice = pickle.loads(pickle.dumps(bs.grad(script["twice"], jit=False))).function

    def times(x):
        return x * 5.0

    vars(times).update(vars(twice))
    assert bs.grad(times, jit=False)(1.0) == 5.0
    assert bs.grad(twice, jit=False)(3.0) == 12.0


def test_what_cannot_be_pickled_is_named() -> None:
    lock = threading.Lock()

    def reads(x):
        return x if lock is None else 2.0 * x

    with pytest.raises(TypeError, match="lock"):
        pickle.dumps(bs.grad(reads))


def test_what_cannot_be_pickled_is_left_to_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script's function has a name in processes that fork or read the script."""
    names = {"lock": threading.Lock(), "__name__": "__main__", "__file__": __file__}
    exec("def reads_a_lock(x):\n    return x if lock is None else 2.0 * x\n", names)
    monkeypatch.setattr(sys.modules["__main__"], "reads_a_lock", names["reads_a_lock"], raising=False)
    make, _ = bs.grad(names["reads_a_lock"]).__reduce__()
    assert make is not received
    assert pickle.loads(pickle.dumps(bs.grad(names["reads_a_lock"]))).function is names["reads_a_lock"]
