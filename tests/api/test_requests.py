"""What the public functions are asked for is right, or refused in words: each is given what it cannot take."""

from __future__ import annotations

import array
import datetime as dt
import decimal
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import backsweep as bs

X = np.ones(3)


def total(x):
    return np.sum(x * x)


def product(x, y):
    u = x * y
    return u * x


class Model:
    @staticmethod
    def fixed(x):
        return x * x

    @classmethod
    def made(cls, x):
        return x * x


def refused(call: Callable[[], Any]) -> str:
    """The message that a call is refused with."""
    with pytest.raises(bs.BacksweepError) as caught:
        call()
    assert not isinstance(caught.value, bs.InternalError), caught.value
    return str(caught.value)


NO_FUNCTIONS = [
    3,
    None,
    "total",
    1.5,
    [total],
    (total,),
    {},
    object(),
    vars(Model)["fixed"],
    vars(Model)["made"],
    len,
    int,
    np.einsum,
    X,
]
OF_A_FUNCTION: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: bs.grad(f)(1.0),
    "value_and_grad": lambda f: bs.value_and_grad(f)(1.0),
    "vjp": lambda f: bs.vjp(f, 1.0),
    "jvp": lambda f: bs.jvp(f, (1.0,), (1.0,)),
    "jacobian": lambda f: bs.jacobian(f)(1.0),
    "sparse jacobian": lambda f: bs.jacobian(f, sparse=True)(1.0),
    "jacfwd": lambda f: bs.jacfwd(f)(1.0),
    "jacrev": lambda f: bs.jacrev(f)(1.0),
    "hessian": lambda f: bs.hessian(f)(1.0),
    "hvp": lambda f: bs.hvp(f)((1.0,), (1.0,)),
    "sparsity": lambda f: bs.sparsity(f)(1.0),
    "trace": lambda f: bs.trace(f)(1.0),
    "check_grads": lambda f: bs.check_grads(f, (1.0,)),
    "explain": lambda f: bs.explain(f, 1.0),
    "source": lambda f: bs.source(f, 1.0),
}
DECORATORS = {"grad", "value_and_grad"}
"""Of None these make a decorator."""


@pytest.mark.parametrize("name", OF_A_FUNCTION)
def test_no_function(name: str) -> None:
    for thing in NO_FUNCTIONS:
        if thing is not None or name not in DECORATORS:
            assert "[BS" in refused(lambda thing=thing: OF_A_FUNCTION[name](thing)), thing


@pytest.mark.parametrize("thing", [3, None, "f", [total], X])
def test_no_function_of_the_users_own(thing: Any) -> None:
    assert "must be a function" in refused(lambda: bs.custom_vjp(thing))
    assert "must be a function" in refused(lambda: bs.custom_vjp(total).defvjp(thing, total))
    assert "must be a function" in refused(lambda: bs.root(thing, product))
    assert "must be a function" in refused(lambda: bs.root(total, thing))
    assert "must be a function" in refused(lambda: bs.rule(thing))


def test_methods_of_classes_are_functions_once_they_are_read() -> None:
    assert bs.grad(Model.fixed, jit=False)(3.0) == 6.0
    assert bs.grad(Model.made, jit=False)(3.0) == 6.0
    assert bs.grad(Model().made, jit=False)(3.0) == 6.0


POSITIONS = [
    (0, 0),
    (0, -2),
    True,
    False,
    1.0,
    (0, True),
    (0, "x"),
    {0},
    range(1),
    np.array([0]),
    (),
    "x",
    7,
    -3,
    [[0]],
    {},
]
NAMES = [
    3,
    (),
    [],
    "",
    ("x", "x"),
    ("x", 3),
    {"x"},
    {"x": 1},
    b"x",
    object(),
    1.0,
    True,
    ("",),
    (("x",),),
    np.array(["x"]),
    "z",
]
DIFFERENTIATED: dict[str, Callable[..., Any]] = {
    "grad": lambda **k: bs.grad(product, **k)(1.0, 2.0),
    "jacobian": lambda **k: bs.jacobian(product, **k)(1.0, 2.0),
    "hessian": lambda **k: bs.hessian(product, **k)(1.0, 2.0),
    "hvp": lambda **k: bs.hvp(product, **k)((1.0, 2.0), (1.0,)),
    "sparsity": lambda **k: bs.sparsity(product, **k)(1.0, 2.0),
}


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_positions(name: str) -> None:
    for positions in POSITIONS:
        assert "BS404" in refused(lambda positions=positions: DIFFERENTIATED[name](argnums=positions)), (
            positions
        )


@pytest.mark.parametrize("name", [*DIFFERENTIATED, "vjp", "jvp", "check_grads", "return_intermediates"])
def test_names(name: str) -> None:
    calls = {
        **DIFFERENTIATED,
        "vjp": lambda wrt: bs.vjp(product, 1.0, 2.0, wrt=wrt),
        "jvp": lambda wrt: bs.jvp(product, (1.0, 2.0), (1.0,), wrt=wrt),
        "check_grads": lambda wrt: bs.check_grads(product, (1.0, 2.0), wrt=wrt),
        "return_intermediates": lambda wrt: bs.value_and_grad(product, return_intermediates=wrt),
    }
    for names in NAMES:
        if name != "return_intermediates":
            assert "[BS" in refused(lambda names=names: calls[name](wrt=names)), names
        elif not isinstance(names, tuple | list) or names:
            assert "[BS" in refused(lambda names=names: calls[name](names)), names


def test_a_position_of_numpys() -> None:
    assert bs.grad(product, np.int64(1), jit=False)(1.0, 2.0) == 1.0


OPTIONS: dict[str, list[Any]] = {
    "jit": [3, "no", None, "False", []],
    "fastmath": [3, "fast", {"bogus"}, {3}, None, [1], {"bogus": True}],
    "parallel": [3, "y", [], {"bogus": True}],
    "cache": [3, "x", None, []],
    "error_model": ["c", 3, None, True, b"python", "Python", []],
    "boundscheck": [3, "x", []],
    "debug_nan": [3, "x", None, []],
    "progress": [3, "x", None, []],
    "vector_math": [3, "x", None, []],
    "strong_zeros": [3, "x", None, []],
}
WITH_OPTIONS: dict[str, Callable[..., Any]] = {
    "grad": lambda **k: bs.grad(total, **k),
    "hessian": lambda **k: bs.hessian(total, **k),
    "sparse": lambda **k: bs.jacobian(total, sparse=True, **k),
    "hvp": lambda **k: bs.hvp(total, **k),
    "vjp": lambda **k: bs.vjp(total, X, **k),
    "jvp": lambda **k: bs.jvp(total, (X,), (X,), **k),
    "trace": lambda **k: bs.trace(total, **k),
    "sparsity": lambda **k: bs.sparsity(total, **k),
}


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_options(name: str) -> None:
    for option, values in OPTIONS.items():
        for value in values:
            message = refused(lambda option=option, value=value: WITH_OPTIONS[name](**{option: value}))
            assert f"`{option}` is " in message and "BS156" in message
    assert "BS406" in refused(lambda: WITH_OPTIONS[name](bogus=1))


@pytest.mark.compiles_many("each form of the option has code of its own")
def test_sets_and_dictionaries_of_flags() -> None:
    for given in ({"reassoc", "nsz"}, {"nsz": True, "reassoc": True, "fast": False}):
        slope = bs.grad(total, fastmath=given)
        assert slope.build.options.for_numba()["fastmath"] == {"reassoc", "nsz"}
        np.testing.assert_allclose(slope(X), 2.0 * X)
    value, pull = bs.vjp(total, X, fastmath={"reassoc"})
    np.testing.assert_allclose(pull(1.0), 2.0 * X)
    assert value == 3.0
    inner = bs.grad(total, parallel={"prange": False, "reduction": True}).build.options
    parts = inner.for_numba()["parallel"]
    assert {name for name, on in parts.items() if on} == {"reduction"}
    assert not bs.grad(total, parallel={"prange": False}).build.options.for_numba()["parallel"]


REQUESTS: dict[str, Callable[[], Any]] = {
    "has_aux": lambda: bs.grad(total, has_aux=3),
    "has_aux of vjp": lambda: bs.vjp(total, X, has_aux=[]),
    "has_aux of jvp": lambda: bs.jvp(total, (X,), (X,), has_aux="x"),
    "hooks": lambda: bs.grad(total, hooks=3),
    "hooks, a function": lambda: bs.grad(total, hooks=total),
    "hooks, a list": lambda: bs.vjp(total, X, hooks=[total]),
    "hooks, no name": lambda: bs.grad(total, hooks={3: total}),
    "hooks, no function": lambda: bs.grad(total, hooks={"x": 3}),
    "collect": lambda: bs.grad(total, hooks={"x": None}, collect=3),
    "collect, a list": lambda: bs.grad(total, hooks={"x": None}, collect=[]),
    "sparse": lambda: bs.jacobian(total, sparse=3),
    "sparsity": lambda: bs.jacobian(total, sparsity="x")(X),
    "sparsity, objects": lambda: bs.jacobian(total, sparsity=np.array([[None] * 3]))(X),
    "sparsity, another shape": lambda: bs.jacobian(total, sparsity=csr_matrix(np.ones((2, 2))))(X),
    "args of check_grads": lambda: bs.check_grads(total, 3),
    "args, an array": lambda: bs.check_grads(total, X),
    "order": lambda: bs.check_grads(total, (X,), order=X),
    "order, a truth value": lambda: bs.check_grads(total, (X,), order=True),
    "modes": lambda: bs.check_grads(total, (X,), modes=3),
    "modes, unknown": lambda: bs.check_grads(total, (X,), modes=("up",)),
    "rtol": lambda: bs.check_grads(total, (X,), rtol="x"),
    "atol": lambda: bs.check_grads(total, (X,), atol=-1.0),
    "primals": lambda: bs.jvp(total, X, (X,)),
    "tangents": lambda: bs.jvp(total, (X,), 3),
    "tangent, masked": lambda: bs.jvp(total, (X,), (np.ma.array(X, mask=[0, 1, 0]),)),
    "cotangent, masked": lambda: bs.vjp(lambda x: x * 2.0, X)[1](np.ma.array(X, mask=[0, 1, 0])),
    "cotangent, text": lambda: bs.vjp(total, X)[1]("x"),
    "primals of hvp": lambda: bs.hvp(total)(3, (X,)),
    "optimize": lambda: bs.grad(total).source(X, optimize=X),
    "add_hook": lambda: bs.grad(total).add_hook(X, total),
    "add_hook, no function": lambda: bs.grad(total).add_hook("x", 3),
    "loops of a table": lambda: bs.trace(total)(X).table(loops=True),
    "depth of a table": lambda: bs.trace(total)(X).table(depth="x"),
    "fold of a graph": lambda: bs.trace(total)(X).graph(fold=3),
    "depth of a graph": lambda: bs.trace(total)(X).graph(depth=-1),
    "loops of a graph": lambda: bs.trace(total)(X).graph(loops="x"),
    "contributions": lambda: bs.trace(total)(X).contributions(3),
    "out": lambda: bs.grad(total)(X, out=3),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_requests(name: str) -> None:
    assert "[BS" in refused(REQUESTS[name])


def matrix(rows: Any) -> Any:
    """A matrix, which NumPy itself advises against."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.matrix(rows)


class Metres(np.ndarray):
    """An array with a unit, which would be lost."""

    def __mul__(self, other: Any) -> Any:
        return NotImplemented


NO_ARGUMENTS = {
    "masked": np.ma.array([1.0, 2.0], mask=[0, 1]),
    "matrix": matrix([[1.0, 2.0]]),
    "class": X.view(Metres),
    "objects": np.array([1.0, None], dtype=object),
    "dates": np.array(["2020-01-01"], dtype="M8[D]"),
    "spans": np.array([3], dtype="m8[s]"),
    "strings": np.array(["a", "b"]),
    "bytes": np.array([b"a"]),
    "records": np.array([(1.0, 2)], dtype=[("a", float), ("b", int)]),
    "memory": memoryview(np.ones(3)),
    "array.array": array.array("d", [1.0]),
    "list": [1.0, 2.0],
    "dict": {"a": 1.0},
    "set": {1.0},
    "text": "abc",
    "None": None,
    "date": dt.datetime(2020, 1, 1),  # noqa: DTZ001  any date
    "decimal": decimal.Decimal(1),
    "sparse": csr_matrix(np.eye(2)),
    "half": np.ones(3, np.float16),
    "extended": np.ones(3, np.longdouble),
    "other byte order": np.ones(3, dtype=">f8"),
    "large": 10**30,
    "function": total,
    "in a tuple": (np.array([None]),),
}


@pytest.mark.parametrize("name", NO_ARGUMENTS)
def test_arguments(name: str) -> None:
    value = NO_ARGUMENTS[name]

    def itself(x: Any) -> Any:
        return x * 2.0

    for call in (
        lambda: bs.grad(total)(value),
        lambda: bs.grad(total, jit=False)(value),
        lambda: bs.grad(total).source(value),
        lambda: bs.jvp(total, (value,), (value,)),
        lambda: bs.jacobian(itself)(value),
        lambda: bs.jacobian(itself, sparse=True)(value),
        lambda: bs.hessian(total)(value),
        lambda: bs.check_grads(total, (value,)),
    ):
        assert "[BS" in refused(call)


def test_a_matrix_is_refused_after_an_array_was_compiled() -> None:
    slope = bs.grad(total)
    slope(np.ones((2, 2)))
    assert "BS409" in refused(lambda: slope(matrix(np.ones((2, 2)))))


def test_arrays_that_compute_as_arrays_do(tmp_path: Path) -> None:
    for given in (
        np.memmap(tmp_path / "x", dtype=float, mode="w+", shape=(3,)),
        np.ones(3).view(np.recarray),
    ):
        np.testing.assert_allclose(bs.grad(total)(given), 2.0 * np.asarray(given))
