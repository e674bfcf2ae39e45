"""Array statements as loop nests: the same numbers as the array form, for every kind of statement and shape."""

from __future__ import annotations

import inspect
import linecache
import re
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.emit.module import emit_module
from backsweep.ir.nodes import Function
from backsweep.programs.primal import lowered, typed_primal, with_types
from backsweep.programs.request import Request
from backsweep.programs.sweeps import adjoint
from backsweep.reading.functions import read_source
from tests import zoo
from tests.support.sampled import turning
from tests.zoo.case import Case

RNG = np.random.default_rng(5)


def derived(f: Callable[..., Any], args: tuple[Any, ...], optimize: str) -> Function:
    """The program of the value and the gradient of `f`, with loops or readable."""
    types = [numba.typeof(arg) for arg in args]
    primal = typed_primal(with_types(lowered(read_source(f), {}, types), types, []), types, [])
    names = tuple(inspect.signature(f).parameters)
    floats = tuple(
        name
        for name, arg in zip(names, args, strict=True)
        if isinstance(arg, float) or np.asarray(arg).dtype.kind == "f"
    )
    request = Request("value_and_grad", floats, single=False, optimize=optimize)
    (function,) = adjoint(primal, request, types, [])
    return function


def loaded(function: Function) -> tuple[Callable[..., Any], str]:
    """The emitted function and its text."""
    module = emit_module([function], "Emitted for a test.")
    namespace: dict[str, Any] = dict(module.bindings)
    name = f"<loops {function.name}>"
    linecache.cache[name] = (len(module.text), None, module.text.splitlines(keepends=True), name)
    exec(compile(module.text, name, "exec"), namespace)  # our own text
    return namespace[function.name], module.text


def leaves(tree: Any) -> list[Any]:
    return [leaf for item in tree for leaf in leaves(item)] if isinstance(tree, tuple) else [np.asarray(tree)]


def same(f: Callable[..., Any], *args: Any, compiled: bool = True, rtol: float = 1e-12) -> str:
    """Check that value and gradient agree with and without loops; the text with loops."""
    plain, _ = loaded(derived(f, args, "readable"))
    fast, text = loaded(derived(f, args, "loops"))
    copies = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    expected = leaves(plain(*args))
    runs = [fast(*args)]
    if compiled:
        runs.append(numba.njit(error_model="numpy")(fast)(*args))
    for got in runs:
        for one, other in zip(leaves(got), expected, strict=True):
            assert one.dtype == other.dtype, text
            assert one.shape == other.shape, text
            scale = np.max(np.abs(other), initial=1.0)
            np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * scale, err_msg=text)
    for arg, copy in zip(args, copies, strict=True):
        np.testing.assert_array_equal(arg, copy)
    return text


def array(*shape: int, dtype: str = "float64") -> Any:
    """Random entries, away from zero."""
    return (RNG.uniform(0.3, 1.7, shape) * RNG.choice([-1.0, 1.0], shape)).astype(dtype)


# Functions ------------------------------------------------------------------------------------------


def chain(x, y):
    z = x * y + 1.0
    u = np.exp(-z * z) * z
    z = z * u
    return np.sum(z / (2.0 + u * u))


def wheres(x, w):
    return np.mean(np.where(x > 0.0, x * w, np.clip(x, -1.0, 0.5)))


def extremes(x, w):
    return np.sum(np.maximum(x, 0.2) * np.minimum(w, x) + np.abs(x))


def outer_sum(a, b):
    c = a[:, None] * b[None, :] + np.sqrt(a * a)[:, None]
    return np.sum(c * c)


def columns(x, b):
    y = x * b[:, None]
    return np.sum(y * y) / y.size


def overlap(x, c):
    y = x.copy()
    y[1:] = c * y[:-1] + y[1:]
    y[:-1] = y[1:] * y[:-1]
    y[1:-1] += y[2:] * y[:-2]
    return np.sum(y * y)


def shifted_copy(x, c):
    y = x * c
    y[1:] = y[:-1]
    return np.sum(y * x)


def from_the_end(x):
    y = np.zeros_like(x)
    y[-3:] = x[:3] * x[-3:]
    y[-1:] += x[-1:]
    return np.sum(y * y)


def strides(x):
    y = x.copy()
    y[::2] = 2.0 * x[::2] * x[::2]
    y[::-1] += x * 3.0
    return np.sum(y * x[::-1])


def transposed(A, B):
    C = A.T * 2.0 + B
    D = C.T * A
    return np.sum(D * D) + np.sum(A.T * B)


def rows(A, v):
    total = 0.0
    for i in range(1, A.shape[0]):
        A[i] = A[i - 1] * v + A[i]
        A[i, 1:] -= A[i - 1, :-1] * 0.5
        total += np.sum(A[i, :i] * v[:i])
    return total


def stencil(A):
    B = np.zeros_like(A)
    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[:-2, 1:-1] + A[2:, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:])
    return np.sum(B * B)


def normalised(W, x, b):
    h = np.tanh(W @ x + b)
    e = np.exp(h - np.max(h))
    return np.log(np.sum(e)) - np.mean(h * h)


def jacobi(A, B, steps):
    A = A.copy()
    B = B.copy()
    for _ in range(steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
    return np.sum(A)


def blur(A, steps):
    A = A.copy()
    B = A.copy()
    for _ in range(steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
    return np.sum(A * A)


def counts(x, k):
    mask = (x > 0.5) & (k > 1)
    shifted = k * 2 + 1
    return np.sum(np.where(mask, x * shifted, x / shifted))


def filled(x):
    y = np.ones_like(x) * x + np.full_like(x, 3.0)
    y[2:4] = 0.5
    z = np.copy(y)
    y[:] = y * 2.0
    return np.sum(y * z)


def branches(x, flag):
    y = x * 2.0
    if flag > 0:
        y = y * y + x
    else:
        y[:] = np.sin(y)
    return np.sum(y)


def trailing(x, w):
    y = np.empty((3, x.size))
    for t in range(3):
        y[t] = x * w[t]
        y[t, 0] = 1.0
    return np.sum(y[..., 1:] * y[:, :-1])


def fixed_column(A):
    A[:, 0] = A[:, 1] * A[:, -1]
    A[..., -1] = A[0] * 2.0
    return np.sum(A)


CASES = [
    (chain, (array(6), array(6))),
    (chain, (array(6), array(1))),
    (chain, (array(3, 1), array(1, 4))),
    (chain, (array(2, 3, 2), array(3, 1))),
    (chain, (array(0), array(0))),
    (chain, (array(2, 6)[:, ::2], array(6)[::-2])),
    (wheres, (array(3, 5), array(5))),
    (wheres, (array(5), array(5))),
    (extremes, (array(4, 3), array(3))),
    (outer_sum, (np.abs(array(4)), array(5))),
    (columns, (array(4, 3), array(4))),
    (overlap, (array(7), 0.7)),
    (overlap, (array(2), 0.7)),
    (overlap, (array(1), 0.7)),
    (shifted_copy, (array(6), 0.7)),
    (from_the_end, (array(6),)),
    (strides, (array(7),)),
    (transposed, (array(3, 4), array(4, 3))),
    (transposed, (array(4, 3).T, array(4, 3))),
    (rows, (array(4, 4), array(4))),
    (stencil, (array(5, 6),)),
    (stencil, (array(2, 2),)),
    (normalised, (array(4, 3), array(3), array(4))),
    (jacobi, (array(9), array(9), 3)),
    (jacobi, (array(2), array(2), 3)),
    (blur, (array(9), 3)),
    (counts, (array(6), np.arange(6))),
    (filled, (array(6),)),
    (branches, (array(6), 1)),
    (branches, (array(6), 0)),
    (trailing, (array(4), array(3))),
    (fixed_column, (array(4, 4),)),
]


COMPILED = set(turning(6, (overlap, wheres, rows, counts)))


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda item: getattr(item, "__name__", ""))
def test_the_numbers_are_those_of_the_array_form(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    same(f, *args, compiled=f in COMPILED)


@pytest.mark.turns(5)
def test_not_a_number_goes_through_a_clip() -> None:
    plain, _ = loaded(derived(wheres, (array(3), array(3)), "readable"))
    fast, _ = loaded(derived(wheres, (array(3), array(3)), "loops"))
    args = (np.array([np.nan, -0.5, 1.0]), np.ones(3))
    for got in (fast(*args), numba.njit(fast)(*args)):
        np.testing.assert_array_equal(np.isnan(got[0]), np.isnan(plain(*args)[0]))


@pytest.mark.turns(5)
def test_single_precision_is_as_numba_types_it() -> None:
    args = (array(4, 3, dtype="float32"), array(3, dtype="float32"))
    both = [
        numba.njit(loaded(derived(wheres, args, optimize))[0])(*args) for optimize in ("readable", "loops")
    ]
    for one, other in zip(*map(leaves, both), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_shapes_that_do_not_fit_are_told() -> None:
    fast, _ = loaded(derived(chain, (array(3), array(3)), "loops"))
    with pytest.raises(ValueError, match=r"broadcast|match|fit"):
        fast(array(3), array(4))


def test_loops_make_no_array_for_a_term() -> None:
    """A slice in array notation is an array for each term; in the loops there is none."""
    text = bs.grad(blur).source(array(12), 20)  # for arrays of at least two entries, as the call shows
    made = [
        line.strip()
        for line in text.splitlines()
        if "np.empty" in line or "np.zeros" in line or ".copy()" in line
    ]
    other = [line for line in text.splitlines() if line.strip() not in made and "# " not in line]
    assert not [line for line in other if re.search(r"\[[^\]]*:[^\]]*\]", line)]
    step = text.split("for _ in range(steps - 1, -1, -1):")[1]
    assert step.count("np.empty") == 0
    assert text.split("# reverse sweep")[0].count("np.empty") == 0


def test_many_tapes_of_one_shape_are_parts_of_one_array() -> None:
    def gates(x: Any, y: Any, steps: int) -> Any:
        for i in range(steps):
            a = np.sin(x * y)
            b = np.exp(-a * x)
            x = x * np.tanh(a + b * y) + 0.1 * b
            y = np.cos(y * a) + 0.01 * i
        return x * y

    text = same(gates, 0.5, 0.3, 4)
    assert "    tapes = np.empty((5, max(steps, 0)))\n    y_tape = tapes[0]\n    x_tape = tapes[1]\n" in text
    assert text.count("np.empty") == 1


@pytest.mark.turns(5)
def test_a_row_that_rounds_of_a_loop_share_is_computed_once() -> None:
    def triangle(L: Any, x: Any, m: Any) -> Any:
        total = 0.0
        for j in range(x.size):
            s = 0.0
            for c in range(j + 1):
                s += L[j, c] * (x[c] - m[c])
            total += s * s
        return total

    def square(L: Any, x: Any, m: Any, n: int) -> Any:
        total = 0.0
        for j in range(L.shape[0]):
            s = 0.0
            for c in range(n):
                s += L[j, c] * (x[c] - m[c])
            total += s * s
        return total

    def changing(L: Any, x: Any, m: Any) -> Any:
        for j in range(x.size):
            for c in range(j + 1):
                x[c] += L[j, c] * (x[c] * m[c])
        return np.sum(x)

    row = "x_terms[c] = x[c] - m[c]\n"
    assert f"    for c in range(n):\n        {row}    for j in range(n):\n" in same(
        triangle, array(4, 4), array(4), array(4)
    )
    text = same(square, array(4, 3), array(3), array(3), 3)
    assert "    x_terms = np.empty(max(n, 0))\n    if 0 < L_size0:\n        for c in range(n):\n" in text
    assert "terms" not in same(changing, array(4, 4), array(4), array(4))


def test_a_pullback_knows_the_shapes_of_what_was_saved() -> None:
    def differences(x: Any) -> Any:
        if x.size < 1:
            raise ValueError("too short")
        d = np.exp(x[1:] - x[:-1])
        return d * x[1:]

    def steps(x: Any, n: int) -> Any:
        states = [x]
        for _ in range(n):
            states.append(np.sin(states[-1]) * x)
        return states[-1] * states[0]

    for f, arguments in [(differences, (array(5),)), (steps, (array(4), 3))]:
        types = [numba.typeof(argument) for argument in arguments]
        primal = typed_primal(with_types(lowered(read_source(f), {}, types), types, []), types, [])
        request = Request("vjp", ("x",), single=True)
        functions = adjoint(primal, request, types, [])
        text = emit_module(functions, "Emitted for a test.").text
        assert "stretched" not in text
        assert "joint_shape" not in text


def test_arrays_that_a_loop_broadcasts_settle_before_it() -> None:
    def steps(x: Any, v: Any, n: int) -> Any:
        for _ in range(n):
            v = v - 0.1 * np.sin(x)
            x = x + 0.1 * v
        return np.sum(x * v)

    def looks(x: Any, v: Any, n: int) -> Any:
        s = 0.0
        for _ in range(n):
            s += np.sum(x)
            v = v - 0.1 * np.sin(x)
            x = x + 0.1 * v
        return s

    gradient = bs.grad(steps)
    assert "list()" not in gradient.source(array(4), array(4), 3)
    assert "list()" in bs.grad(looks).source(array(4), array(1), 3)


# Sums carried in numbers and rows of terms: plain code, in array notation, has neither
ZOO = [
    case for case in zoo.load() if case.name.startswith(("pairs.energies", "sums.first", "sums.runs_down"))
]


@pytest.mark.parametrize("case", ZOO, ids=lambda case: case.name)
def test_the_numbers_of_the_zoo_are_those_of_the_array_form(case: Case) -> None:
    same(case.function, *case.args, compiled=False)


def test_a_pullback_knows_that_what_it_is_given_has_no_negative_extent() -> None:
    def differences(x: Any) -> Any:
        d = x[1:] - x[:-1]
        return d * d * x[1:]

    _, pullback = bs.vjp(differences, array(5))
    text = pullback._made_from[0].source(array(5)).split("def differences_pullback")[1]
    assert "stretched" not in text
    assert text.count("for i in range") == 1
