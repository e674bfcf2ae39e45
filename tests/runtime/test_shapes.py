"""Forms of NumPy that choose, sample and arrange entries: values, derivatives, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from tests.frontend.test_library_calls import assert_derivatives
from tests.runtime.test_axes import array, assert_as_numpy
from tests.support.refused import refused
from tests.support.sampled import turning

A = array((3, 4), "float64")
B = array((3, 4), "float64", 1)
S = array((2, 3, 4), "float64")
Q = array((3, 3), "float64")
V = array((4,), "float64", 2)
W = array((3,), "float64", 3)
I = np.array([0, 2, 1, 1])
windows = np.lib.stride_tricks.sliding_window_view

Forms = dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]
SQUEEZED: Forms = {
    "reshaped": (lambda v: np.squeeze(v.reshape(1, 4, 1)), (V,)),
    "with a new axis": (lambda v: v[:, None].squeeze() * v, (V,)),
    "a reduction that keeps its axis": (lambda a: np.squeeze(a.sum(axis=1, keepdims=True)), (A,)),
    "a column": (lambda a: np.squeeze(a[:, :1]), (A,)),
    "a row of a loop": (lambda a: _rows_squeezed(a), (A,)),  # noqa: PLW0108
    "a product": (lambda a, v: (a @ v[:, None]).squeeze(), (A, V)),
    "zeros and more": (lambda v: np.squeeze(np.zeros((1, 4)) + v), (V,)),
    "a vector": (lambda v: np.squeeze(v) * v, (V,)),
}
CHOSEN: Forms = {
    "diagonal": (lambda a: np.diagonal(a, 1), (A,)),
    "diagonal below": (lambda a: a.diagonal(offset=-1), (A,)),
    "diagonal, axes": (lambda s: np.diagonal(s, axis1=2, axis2=1, offset=-1), (S,)),
    "diagonal of stacks": (lambda s: s.diagonal(), (S,)),
    "trace, axes": (lambda s: np.trace(s, axis1=1, axis2=2), (S,)),
    "compress": (lambda v: np.compress([True, False, True, True], v), (V,)),
    "compress, axis": (lambda a: a.compress([0, 1, 1], axis=0), (A,)),
    "compress, flat": (lambda a: np.compress([False, True, True], a), (A,)),
    "choose": (lambda v: np.choose(I, (v, v * v, 3.0)), (V,)),
    "choose, clip": (lambda v: np.choose(np.array([0, 5, -1, 1]), (v, v * v), mode="clip"), (V,)),
    "choose, wrap": (lambda v: np.choose(np.array([0, 5, -1, 1]), (v, v * v), mode="wrap"), (V,)),
    "choose of rows": (lambda a: np.choose(I, a), (A,)),
    "select, default": (lambda v: np.select([v < 0.0, v > 1.0], [v, v * v], v**3), (V,)),
    "select, numbers": (lambda v: np.select([v < 0.0, v > 1.0], [1.0, v * v], default=v), (V,)),
}
SAMPLED: Forms = {
    "linspace, endpoint": (lambda v: np.linspace(v[0], v[1], 5, endpoint=False), (V,)),
    "linspace, retstep": (lambda v: np.linspace(v[0], v[1], 5, retstep=True)[1], (V,)),
    "linspace of arrays": (lambda v: np.linspace(v, v * v, 5), (V,)),
    "linspace, axis": (lambda a, v: np.linspace(a, v, 3, axis=-1), (A, V)),
    "logspace": (lambda v: np.logspace(v[0], v[1], 4, endpoint=False, base=2.0), (V,)),
    "geomspace": (lambda v: np.geomspace(np.exp(v[0]), np.exp(v[1]), 4, endpoint=False), (V,)),
    "windows": (lambda v: windows(v, 3).mean(axis=1), (V,)),
    "windows, axis": (lambda a: windows(a, 2, axis=1) * 1.0, (A,)),
    "windows of two axes": (lambda a: windows(a, (2, 3)), (A,)),
    "windows with many entries": (lambda v: windows(np.concatenate((v,) * 6), 20) * 2.0, (V,)),
    "windows as wide as the run says": (lambda v, w: windows(v, w.size), (V, W)),
    "linspace of lists": (lambda v: np.linspace([v[0], 1.0], v[:2], 3, endpoint=False), (V,)),
    "linspace, an end that the run leaves out": (lambda v: np.linspace(v[0], v, 3, v[0] > 1.0), (V,)),
    "linspace, whole numbers": (lambda v: v[0] * np.linspace(-1.5, 4.0, 3, dtype=int), (V,)),
    "logspace, axis": (lambda v: np.logspace(v, v * v, 3, axis=1, dtype=np.float64), (V,)),
}
BRACKETS: Forms = {
    "r_": (lambda v: np.r_[0.0, v, v[0], 1:3], (V,)),
    "r_, samples": (lambda v: np.r_[0:1:4j] * v, (V,)),
    "r_ of matrices": (lambda a, b: np.r_["1", a, b], (A, B)),
    "r_, rows": (lambda v: np.r_["0,2", v, v * v], (V,)),
    "r_, columns": (lambda v: np.r_["1,2,0", v, v * v], (V,)),
    "c_": (lambda v: np.c_[v, v * v, 0:4], (V,)),
    "c_ of a matrix": (lambda a: np.c_[np.ones(3), a], (A,)),
    "mgrid": (lambda a: _on_a_grid(a), (A,)),  # noqa: PLW0108
    "ogrid": (lambda a: np.ogrid[0:3, 0:1:4j][1] * a, (A,)),
    "s_": (lambda a: a[np.s_[1:, ::2]], (A,)),
}
SUMS: Forms = {
    "einsum, a row each": (lambda a: np.einsum("...j->...", a), (A,)),
    "einsum, stacks": (lambda a, s: np.einsum("...ij,jk->...ik", s, a.T), (A, S)),
    "einsum, turned": (lambda s: np.einsum("...ij->...ji", s), (S,)),
    "einsum, no arrow": (lambda s, v: np.einsum("...j,...j", s, v), (S, V)),
    "einsum, stretched": (lambda s: np.einsum("...i,...i->...", s, s[:1]), (S,)),
    "einsum, first": (lambda a, q: np.einsum("i...,ij->j...", a, q), (A, Q)),
    "einsum, five": (lambda q, v: np.einsum("i,ij,jk,kl,l->", v, q, q, q, v), (Q, W)),
}
JOINED: Forms = {
    "pad, two constants": (lambda v: np.pad(v, [1, 2], constant_values=(v[0], 2.0)), (V,)),
    "pad, constants by axis": (
        lambda a: np.pad(a, ((1, 2), (3, 0)), constant_values=((1.0, 2.0), (3.0, 4.0))),
        (A,),
    ),
    "roll, one shift": (lambda a: np.roll(a, 1, axis=(0, 1)), (A,)),
    "roll, one axis": (lambda a: np.roll(a, (1, 2), axis=0), (A,)),
    "roll, flat": (lambda a: np.roll(a, (1, 2)), (A,)),
    "squeeze of a list": (lambda v: np.squeeze([v[0], v[1] * v[0]]) ** 2, (V,)),
    "squeeze of a column": (lambda v: np.squeeze([[v[0]], [v[1] * v[0]]], axis=1) ** 2, (V,)),
    "rot90, axes": (lambda s: np.rot90(s, 1, (1, 2)), (S,)),
    "rot90, back": (lambda s: np.rot90(s, k=-1, axes=(2, 0)), (S,)),
    "expand_dims": (lambda a: np.expand_dims(a, (0, -1)) * 2.0, (A,)),
    "broadcast_arrays": (lambda v, a: np.broadcast_arrays(v, a)[0] * a, (V, A)),
    "atleast_2d": (lambda v: np.atleast_2d(v[0]) * v, (V,)),
    "atleast_1d": (lambda v: np.atleast_1d([v[0], v[1]]) * 2.0, (V,)),
    "repeat": (lambda a: np.repeat(a, [1, 0, 2], axis=0), (A,)),
    "concatenate, all": (lambda a, v: np.concatenate((a, v), axis=None), (A, V)),
    "concatenate, lists": (lambda v: np.concatenate(([0.0], v, [v[0]])), (V,)),
    "vstack": (lambda a, v: np.vstack((a, v)), (A, V)),
    "hstack": (lambda v: np.hstack((v[0], v)), (V,)),
    "append": (lambda v: np.append(v, [1.0, v[1]]), (V,)),
    "append, axis": (lambda a, v: np.append(a, [v], axis=0), (A, V)),
    "insert": (lambda a, v: np.insert(a, -1, v, axis=0), (A, V)),
    "insert, a number": (lambda a: np.insert(a, 4, a[0, 0], axis=1), (A,)),
    "insert, a slice": (lambda v: np.insert(v, slice(0, 2), v[0] * v[1]), (V,)),
    "insert, several without an axis": (lambda a, v: np.insert(a, [1, 5], v[:2]), (A, V)),
    "delete without an axis": (lambda a: np.delete(a, [1, 5]), (A,)),
    "delete of a list": (lambda v: np.delete([v[0], v[1], 3.0], [0]), (V,)),
    "broadcast_arrays, a number": (lambda v, a: np.broadcast_arrays(v[0], a)[0] * a, (V, A)),
    "rot90, as it is": (lambda s: np.rot90(s, 4, (1, 2)) * 2.0, (S,)),
    "delete": (lambda a: np.delete(a, -1, axis=0), (A,)),
    "delete, several": (lambda a: np.delete(a, [0, 2], axis=1), (A,)),
    "delete, flags": (lambda v: np.delete(v, np.array([True, False, True, False])), (V,)),
    "diff, prepend": (lambda a: np.diff(a, axis=0, prepend=a[:1], append=0.0), (A,)),
}
FORMS = {**SQUEEZED, **CHOSEN, **SAMPLED, **BRACKETS, **SUMS, **JOINED}
COMPILED = ("diagonal of stacks", "choose", "linspace, axis", "windows of two axes", "einsum, stretched")


def _rows_squeezed(a):
    y = np.zeros(a.shape[1])
    for k in range(a.shape[0]):
        y += a[k : k + 1].squeeze() ** 2
    return y


def _on_a_grid(a):
    x, y = np.mgrid[0:3, 0:4]
    return x * a + y * a**2


@pytest.mark.parametrize("name", turning(3, FORMS))
def test_derivatives(name):
    function, args = FORMS[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.compiles
@pytest.mark.turns(14)
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    function, args = FORMS[name]
    assert_derivatives(function, args, jit=True)


@pytest.mark.parametrize("name", turning(12, FORMS))
def test_second_order(name):
    function, args = FORMS[name]
    scalars = (lambda x: np.sum(np.sin(function(x))), lambda x, y: np.sum(np.sin(function(x, y))))
    bs.check_grads(bs.grad(scalars[len(args) - 1], jit=False), args)


CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (np.diagonal, (np.asfortranarray(S), -1, 2, 0), {}),
    (np.diagonal, (S, 9), {}),
    (np.trace, (S.astype("float32"),), {}),
    (np.compress, (I > 0, V), {}),
    (np.compress, (I > 0, A), {"axis": -1}),
    (np.choose, (2, (V, V * V, -V)), {}),
    (np.choose, (I > 1, (A[0], V)), {}),
    (np.choose, (I, V), {}),
    (np.select, ((A > 1.0, A < 0.0), (A, 1.0), B), {}),
    (np.linspace, (0, 3, 7), {"endpoint": False}),
    (np.linspace, (V, 2, 1), {}),
    (np.linspace, (V, V, 0), {}),
    (np.linspace, (V.astype("float32"), W.astype("float32")[:1], 4), {"axis": 1}),
    (np.linspace, (A, V, 3), {"axis": 1, "endpoint": False}),
    (np.linspace, (-1.5, 4.0, 6), {"dtype": np.int64}),
    (np.logspace, (V, 2.0, 3), {}),
    (np.geomspace, (-1.0, -64.0, 4), {"endpoint": False}),
    (windows, (I, 2), {}),
    (windows, (S.astype("float32"), (2, 2)), {"axis": (0, 2)}),
    (np.einsum, ("...ij,...j->...i", S, V), {}),
    (np.einsum, ("i...->...", I), {}),
    (np.roll, (S, (1, -5), (2, 0)), {}),
    (np.rot90, (S.astype("float32"), 2, (0, 2)), {}),
    (np.rot90, (A,), {"k": 3, "axes": (1, 0)}),
    (np.rot90, (A,), {"k": 4, "axes": (1, 0)}),
    (np.concatenate, ((A, I), None), {}),
    (np.vstack, ((I, np.arange(8).reshape(2, 4)),), {}),
    (np.hstack, ((1.5, V, 2.5),), {}),
    (np.insert, (np.asfortranarray(S), 2, 1.5), {"axis": 0}),
    (np.delete, (S, np.array([0, -1])), {"axis": 2}),
    (np.delete, (A, np.array([True, False, True] * 4)), {}),
    (np.diff, (V, 2), {"append": 1.0}),
    (np.pad, (A, 1), {"constant_values": (1.0, 2.0)}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0].__name__} {len(call[1])} {call[2]}")
def test_values_are_numpys(call):
    assert_as_numpy(*call)


REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "squeeze": (lambda a: np.sum(np.squeeze(a)), (A,), "without `axis=`"),
    "choose": (lambda v: np.sum(np.choose(v, (v, v))), (V,), "chooses by whole numbers"),
    "select": (lambda v: np.sum(np.select([v > 0.0], [v, v], v)), (V,), "1 conditions and 2 choices"),
    "linspace": (lambda v: np.linspace(v[0], v[1], 3, retstep=v[0] > 0.0)[0][1], (V,), "`retstep=`"),
    "geomspace": (lambda v: np.sum(np.geomspace(v, v + 1.0, 3)), (V,), "two real numbers"),
    "windows": (lambda a: np.sum(windows(a, 2)), (A,), "other numbers of extents and axes"),
    "windows, an axis twice": (lambda a: np.sum(windows(a, (2, 2), (0, 0))), (A,), "or an axis twice"),
    "windows, an axis of the run": (lambda i: np.sum(windows(A, 2, int(i))), (0.0,), "known only when"),
    "windows to write in": (lambda a: np.sum(windows(a, 2, 0, writeable=True)), (A,), "read only"),
    "ellipsis": (lambda a: np.sum(np.einsum("...j->j", a)), (A,), "lacks the axes of `...`"),
    "roll": (lambda a: np.sum(np.roll(a, (1, 2, 3), axis=(0, 1))), (A,), "other numbers of shifts"),
    "expand_dims": (lambda v: np.sum(np.expand_dims(v, (0, 0))), (V,), "names an axis twice"),
    "r_, matrices": (lambda v: np.sum(np.r_["r", v]), (V,), "makes matrices"),
    "r_, axes": (lambda a, v: np.sum(np.r_[a, v]), (A, V), "different numbers of axes"),
    "mgrid": (lambda v: np.sum(np.mgrid[0:3, v]), (V,), "supported for slices"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(name):
    function, args, words = REFUSED[name]
    with refused(words, bs.BacksweepError) as caught:
        bs.grad(function, jit=False)(*args)
    assert "help: " in str(caught.value)


def test_positions_outside_raise():
    for wrong in (
        lambda a: np.sum(np.delete(a, 3, axis=0)),
        lambda a: np.sum(np.delete(a, [0, -4], axis=0)),
        lambda a: np.sum(np.insert(a, 4, 1.0, axis=0)),
    ):
        with pytest.raises(IndexError, match="out of bounds"):
            bs.grad(wrong, jit=False)(A)


def test_squeeze_raises_where_more_extents_are_one():
    slope = bs.grad(lambda v: np.sum(v[:, None].squeeze() ** 2), jit=False)
    np.testing.assert_allclose(slope(V), 2.0 * V)
    with pytest.raises(ValueError, match="axis 0, too"):
        slope(V[:1])


def _written_behind(a):
    b = a * 1.0
    rows = windows(b, 2)
    b[0] = 5.0
    return np.sum(rows)


def _written_before(a):
    b = a * 1.0
    b[0] = 5.0
    return np.sum(windows(b, 2) ** 2)


def test_views_of_arrays_that_are_written():
    """NumPy's windows are views; ours are copies, which nobody may be able to tell."""
    assert_derivatives(_written_before, (V,), jit=False)
    with pytest.raises(bs.UnsupportedError, match="BS207"):
        bs.grad(_written_behind, jit=False)(V)


@numba.njit
def in_compiled_code(a, v):
    chosen = np.choose(np.array([0, 1, 1, 0]), (v, v * v))
    return np.sum(np.diagonal(a, 1)) + np.sum(chosen * np.linspace(a[0], v, 3, axis=0)[1])


@pytest.mark.compiles
@pytest.mark.turns(11)
def test_compiled_functions_of_the_user():
    """Numba alone knows none of these calls; the derivative has them written out."""
    plain = in_compiled_code.py_func
    value, slope = bs.value_and_grad(in_compiled_code)(A, V)
    assert abs(value - plain(A, V)) < 1e-12
    np.testing.assert_allclose(slope, bs.grad(plain, jit=False)(A, V), rtol=1e-12)
    bs.check_grads(plain, (A, V))
