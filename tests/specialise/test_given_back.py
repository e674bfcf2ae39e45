"""Memory of gradients that nobody holds any more is given back: code, modules, texts, machine code."""

from __future__ import annotations

import copy
import functools
import gc
import linecache
import pickle
import sys
import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.specialise.remembered import ATTRIBUTE, MOST
from backsweep.store.text_files import free_modules

KINDS = ("Transformed", "Specialising", "Compiled", "Emitted", "Loaded", "CodeType")


def made(factor: float) -> Callable[..., Any]:
    """A new function with a name that nobody else has."""
    return lambda x: x * x * factor


USES: dict[str, Callable[[Any, bool], Any]] = {
    "grad": lambda f, jit: bs.grad(f, jit=jit)(2.0),
    "vjp": lambda f, jit: bs.vjp(f, 2.0, jit=jit)[1](1.0),
    "jvp": lambda f, jit: bs.jvp(f, (2.0,), (1.0,), jit=jit),
    "second": lambda f, jit: bs.grad(bs.grad(f, jit=jit), jit=jit)(2.0),
    "njit": lambda f, jit: bs.grad(numba.njit(f), jit=jit)(2.0),
    "looked at": lambda f, jit: (g := bs.grad(f, jit=jit))(2.0) and (g.explain(2.0), g.source(), g.stages()),
}


@pytest.fixture(scope="module", autouse=True)
def _few_objects() -> None:
    """Leave alone what other tests have left: each of the many collections here would look at it for two seconds."""
    gc.collect()
    gc.freeze()


def counted() -> dict[str, int]:
    """How many there are of the things that could be left."""
    gc.collect()
    free_modules()
    found = Counter(type(each).__name__ for each in gc.get_objects())
    return {
        **{kind: found[kind] for kind in KINDS},
        "modules": len(sys.modules),
        "emitted": sum("backsweep_emitted" in name for name in sys.modules),
        "texts": sum("<lambda>" in name or "function_" in name for name in linecache.cache),
    }


MANY = [("grad", False, MOST + 6), ("vjp", False, MOST + 6)]
FEW = [(use, False, 8) for use in USES if use not in ("grad", "vjp")]
COMPILED = [(use, True, 3) for use in ("grad", "vjp", "jvp")]


@pytest.mark.compiles_many("memory is given back for many functions in turn")
@pytest.mark.parametrize(("use", "jit", "count"), [*MANY, *FEW, *COMPILED])
def test_gradients_of_lambdas_are_given_back(use: str, jit: bool, count: int) -> None:
    USES[use](made(0.5), jit)  # what Numba sets up once
    before, functions = counted(), []
    for k in range(count):
        function = made(float(k))
        USES[use](function, jit)
        functions.append(weakref.ref(function))
        del function
    assert counted() == before
    assert not any(function() for function in functions)


def test_code_that_somebody_holds_is_kept() -> None:
    y, pullback = bs.vjp(made(3.0), 2.0)
    gc.collect()
    assert (y, pullback(1.0)) == (12.0, 12.0)
    gradient = bs.grad(made(4.0), wrt=("x",))(2.0)
    gc.collect()
    assert pickle.loads(pickle.dumps(copy.copy(gradient.x))) == 16.0


def test_code_is_found_again_as_long_as_its_function_is_there() -> None:
    from backsweep.api.gradients import transformed_for

    function = made(2.0)
    for _ in range(3):
        assert bs.vjp(function, 1.0, jit=False)[1](1.0) == 4.0
        gc.collect()
    assert transformed_for.results(function).cache_info().misses == 1


def test_a_wrapper_that_takes_over_attributes_is_another_function() -> None:
    def square(x):
        return x * x

    bs.vjp(square, 3.0, jit=False)

    @functools.wraps(square)
    def cube(x):
        return x * x * x

    assert hasattr(cube, ATTRIBUTE)
    assert bs.vjp(cube, 3.0, jit=False)[1](1.0) == 27.0
    assert bs.vjp(square, 3.0, jit=False)[1](1.0) == 6.0
    assert pickle.loads(pickle.dumps(getattr(square, ATTRIBUTE))).owner() is None


def test_methods_have_no_attributes_and_are_found_again() -> None:
    class Model:
        def __init__(self, rate: float) -> None:
            self.rate = rate

        def cost(self, x):
            return x * x * self.rate

    one, other = Model(2.0), Model(3.0)
    for _ in range(2):
        assert [bs.vjp(each.cost, 1.0, jit=False)[1](1.0) for each in (one, other)] == [4.0, 6.0]


def test_a_traceback_shows_the_emitted_line_though_its_file_is_gone(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(tmp_path))

    def total(x):
        return np.sum(x * x)

    gradient = bs.grad(total)
    twice = bs.grad(lambda x: np.sum(gradient(x) * x), jit=False)
    expected = bs.grad(lambda x: 2.0 * np.sum(x * x), jit=False)(np.ones(2))
    gradient(np.ones(2))
    for path in tmp_path.iterdir():
        path.unlink()
    linecache.clearcache()
    np.testing.assert_allclose(twice(np.ones(2)), expected)


def test_gradients_for_functions_that_were_arguments_are_given_back() -> None:
    def applied(x, function):
        return function(x) * x

    gradient = bs.grad(applied, jit=False)
    held = []
    for k in range(3 * MOST):
        function = made(float(k))
        held.append(weakref.ref(function))
        gradient(1.0, function)
        del function
    gc.collect()
    assert sum(each() is not None for each in held) <= MOST
