"""What NumPy has under new names, and what writes into arrays: values, derivatives, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.frontend.test_library_calls import assert_derivatives
from tests.runtime.test_axes import array, assert_as_numpy
from tests.support.refused import refused
from tests.support.sampled import turning

A = array((3, 4), "float64")
B = array((3, 4), "float64", 1)
C = array((3,), "complex128", 5)
S = array((2, 3, 4), "float64")
Q = array((3, 3), "float64")
V = array((4,), "float64", 2)
W = array((3,), "float64", 3)
I = np.array([0, 2, 1, 1])

Forms = dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]
NAMES: Forms = {
    "vecdot": (lambda a, b: np.vecdot(a, b), (A, B)),  # noqa: PLW0108  an `@overload` stands for it
    "vecdot, axis": (lambda a, b: np.vecdot(a, b, axis=0), (A, B)),
    "vecdot of vectors": (lambda a, v: np.linalg.vecdot(a, v), (A, V)),  # noqa: PLW0108
    "matvec": (lambda s, a: np.matvec(s, a[:2]), (S, A)),
    "matvec of a vector": (lambda a, v: np.matvec(a, v) * 2.0, (A, V)),
    "vecmat": (lambda a, s: np.vecmat(a.T[:2, :3], s), (A, S)),
    "vecmat of a vector": (lambda w, a: np.vecmat(w, a) * 2.0, (W, A)),
    "cumulative_sum": (lambda a: np.cumulative_sum(a, axis=1, include_initial=True), (A,)),
    "cumulative_prod": (lambda v: np.cumulative_prod(v, include_initial=True), (V,)),
    "astype": (lambda v: np.astype(v, np.float64) * v, (V,)),
    "matrix_transpose": (lambda s: np.matrix_transpose(s) * 2.0, (S,)),
    "vector_norm": (lambda a: np.linalg.vector_norm(a, axis=1, keepdims=True), (A,)),
    "vector_norm, all": (lambda s: np.linalg.vector_norm(s, axis=(0, 2)), (S,)),
    "vector_norm, one": (lambda a: np.linalg.vector_norm(a, ord=1), (A,)),
    "linalg.tensordot": (lambda a, b: np.linalg.tensordot(a, b, axes=([1], [1])), (A, B)),
    "linalg.trace": (lambda s: np.linalg.trace(s, offset=1), (S,)),
    "linalg.diagonal": (lambda s: np.linalg.diagonal(s) * 2.0, (S,)),
    "matrix_norm": (lambda s: np.linalg.matrix_norm(s, keepdims=True), (S,)),
    "concat": (lambda v, w: np.concat((v, w)), (V, W)),
}


def _put(v, w):
    a = v * 1.0
    np.put(a, [3, 0, -1], [w[0], w[1] ** 2])
    np.put(a, 1, w[2])
    return a * v


def _put_in_a_matrix(a, w):
    b = a * 1.0
    np.put(b, np.array([[1, 13], [5, -1]]), w, mode="wrap")
    np.put(b, np.array([30, -4]), w[0] * w[1], mode="clip")
    return b * b


def _masked(a, w):
    b = a * 1.0
    np.putmask(b, b > 0.0, w)
    np.place(b, a < -0.5, w**2)
    return b * b


def _copied(a, w):
    b = np.zeros_like(a)
    np.copyto(b, a)
    np.copyto(b.T, w, where=b.T > 0.5)
    np.copyto(b, w[0], where=b < -0.5)
    return b * b


def _along_axis(a, b):
    c = a * 1.0
    np.put_along_axis(c, np.argmax(c, axis=1)[:, np.newaxis], 0.0, axis=1)
    np.put_along_axis(c, np.array([[2, 0, 1, 1]]), b[:1] ** 2, axis=0)
    np.put_along_axis(c[:1], np.array([[0, 2], [2, 3], [3, 1]]), b[:, :2] ** 3, axis=1)
    return c * c


def _at_positions(v, w):
    a = v * 1.0
    np.multiply.at(a, I, v)
    np.maximum.at(a, [0, 3], w[:2])
    np.divide.at(a, 1, w[2])
    np.exp.at(a, np.array([1, 3]))
    return a


def _at_subscripts(a, w):
    b = a * 1.0
    np.subtract.at(b, (np.array([0, 0, 2]), np.array([1, 1, 3])), w)
    return b * b


def _of_a_part_of_itself(v):
    """NumPy reads the values before it writes the first one."""
    a, b, c = v * 1.0, v * 1.0, v * 1.0
    np.add.at(a, [1, 2, 3], a[:3])
    np.putmask(b, b < 5.0, b[1:])
    np.put(c, [1, 2, 3], c[:3])
    return a * b * c


WRITES: Forms = {
    "put": (_put, (V, W)),
    "put in a matrix": (_put_in_a_matrix, (A, W)),
    "where a mask holds": (_masked, (A, W)),
    "copyto": (_copied, (A, W)),
    "put_along_axis": (_along_axis, (A, B)),
    "at": (_at_positions, (V, W)),
    "at subscripts": (_at_subscripts, (A, W)),
    "a part of itself": (_of_a_part_of_itself, (V,)),
    "take, wrap": (lambda a: np.take(a, [0, 5, -1], axis=1, mode="wrap"), (A,)),
    "take, two axes": (lambda a: np.take(a, np.array([[0, -1], [2, 1]]), axis=1), (A,)),
    "take, clip": (lambda v: np.take(v, np.array([-3, 7, 2]), mode="clip"), (V,)),
    "reduceat": (lambda v: np.add.reduceat(v, [0, 2, 1, 3]), (V,)),
    "reduceat, axis": (lambda a: np.multiply.reduceat(a, [0, 2], axis=1), (A,)),
    "reduceat, largest": (lambda v: np.maximum.reduceat(v, np.array([0, 1])), (V,)),
    "outer": (lambda a, w: np.multiply.outer(a, w), (A, W)),  # noqa: PLW0108
    "outer of a list": (lambda v: np.subtract.outer(v, [1.0, v[0]]), (V,)),
    "outer of a number": (lambda v: np.hypot.outer(v, v[0]), (V,)),
}
FORMS = {**NAMES, **WRITES}
COMPILED = ("vecmat", "put in a matrix", "at")


@pytest.mark.parametrize("name", turning(5, FORMS))
def test_derivatives(name):
    function, args = FORMS[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.compiles
@pytest.mark.turns(9)
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    function, args = FORMS[name]
    assert_derivatives(function, args, jit=True)


CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (np.vecdot, (C, C * 2.0), {}),
    (np.vecdot, (S, A), {"axis": -2}),
    (np.vecmat, (C, Q), {}),
    (np.cumulative_sum, (I,), {"include_initial": True}),
    (np.cumulative_sum, (A,), {"axis": 0}),
    (np.linalg.vector_norm, (C,), {}),
    (np.linalg.vector_norm, (V,), {"ord": 3}),
    (np.linalg.vector_norm, (A.astype("float32"),), {"axis": 0}),
    (np.linalg.matrix_norm, (S,), {}),
    (np.linalg.trace, (S,), {}),
    (np.linalg.diagonal, (S,), {"offset": 1}),
    (np.take, (S, np.array([[-7, 9]]), 2), {"mode": "wrap"}),
    (np.take, (V, 9), {"mode": "clip"}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0].__name__} {len(call[1])} {call[2]}")
def test_values_are_numpys(call):
    assert_as_numpy(*call)


@pytest.mark.parametrize("name", turning(6, WRITES))
def test_written_values_are_numpys(name):
    function, args = WRITES[name]
    np.testing.assert_allclose(bs.vjp(function, *args, jit=False)[0], function(*args), rtol=1e-13)


def _in_a_place_of_itself(v):
    a = v * 1.0
    np.place(a, a < 5.0, a[1:])
    return np.sum(a * a)


def test_place_reads_what_it_has_written():
    """It is the one function of NumPy's that does not read its values first."""
    value, _ = bs.value_and_grad(_in_a_place_of_itself, jit=False)(V)
    assert value == pytest.approx(_in_a_place_of_itself(V))


REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "cumulative_sum": (lambda a: np.sum(np.cumulative_sum(a)), (A,), "goes along one"),
    "vecdot": (lambda a, s: np.sum(np.vecdot(s, a, axis=0)), (A, S), "another one of each operand"),
    "copyto": (lambda a: np.sum(_into_whole_numbers(a)), (V,), "narrower kind"),
    "reduceat": (lambda v: np.sum(np.arctan2.reduceat(v, [0, 1])), (V,), "is a method of a ufunc"),
}


def _into_whole_numbers(v):
    k = np.zeros(4, np.int64)
    np.copyto(k, v)
    return k * v


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(name):
    function, args, words = REFUSED[name]
    with refused(words, bs.BacksweepError) as caught:
        bs.grad(function, jit=False)(*args)
    assert "help: " in str(caught.value)


def _outside(v, k):
    a = v * 1.0
    np.put(a, k, 2.0)
    return np.sum(a)


def test_positions_outside_raise():
    with pytest.raises(IndexError, match="out of bounds"):
        bs.grad(_outside, jit=False)(V, 4)
    with pytest.raises(IndexError, match="out-of-bounds"):
        bs.grad(lambda v: np.sum(np.add.reduceat(v, [0, 4])), jit=False)(V)
    with pytest.raises(ValueError, match="different extents"):
        bs.grad(lambda a, v: np.sum(np.vecdot(a, v)), jit=False)(A, V[:1])
