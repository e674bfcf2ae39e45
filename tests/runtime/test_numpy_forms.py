"""Forms of NumPy that Numba lacks: products, arrangements, curves, subscripts by lists, methods of ufuncs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.typing.implementations import implementation
from tests.frontend.test_library_calls import assert_derivatives
from tests.runtime.test_axes import array, assert_as_numpy
from tests.support.sampled import turning

A = array((3, 4), "float64")
B = array((3, 4), "float64", 1)
S = array((2, 3, 4), "float64")
T = array((2, 4, 3), "float64", 1)
F = array((2, 3, 2, 2), "float64")
Q = array((3, 3), "float64")
V = array((4,), "float64", 2)
W = array((3,), "float64", 3)
X = np.array([0.1, 0.4, 1.3, 1.9, 2.2])
Y = np.array([0.3, -0.2, 0.9, 1.4, 0.8])
I = np.array([0, 2, 2, 1])

PRODUCTS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "einsum, matrices": (lambda a, b: np.einsum("ij,kj->ik", a, b), (A, B)),
    "einsum, turned": (lambda a, b: np.einsum("ij,kj->ki", a, b), (A, B)),
    "einsum, one number": (lambda a, b: np.einsum("ij,ij->", a, b), (A, B)),
    "einsum, one number of transposed": (lambda a, b: np.einsum("ij,ji->", a, b.T), (A, B)),
    "einsum, summed apart": (lambda a, b: np.einsum("ij,kj->", a, b), (A, B)),
    "einsum, rows": (lambda a, b: np.einsum("ij,ij->i", a, b), (A, B)),
    "einsum, no arrow": (lambda a, b: np.einsum("ij,kj", a, b, optimize=True), (A, B)),
    "einsum, stacks": (lambda s, t: np.einsum("bij,bjk->bik", s, t), (S, T)),
    "einsum, stacks summed": (lambda s, t: np.einsum("bij,bjk->ik", s, t), (S, T)),
    "einsum, all stacks": (lambda s, t: np.einsum("bij,cjk->bcik", s, t), (S, T)),
    "einsum, stack and vector": (lambda s, v: np.einsum("bij,j->bi", s, v), (S, V)),
    "einsum, diagonal": (lambda q: np.einsum("ii->i", q), (Q,)),
    "einsum, trace": (lambda q: np.einsum("ii", q), (Q,)),
    "einsum, transposed": (lambda a: np.einsum("ij->ji", a), (A,)),
    "einsum, sum": (lambda a: np.einsum("ij->j", a), (A,)),
    "einsum, outer": (lambda v, w: np.einsum("i,j->ij", v, w), (V, W)),
    "einsum, dot": (lambda v: np.einsum("i,i->", v, v), (V,)),
    "einsum, three": (lambda q, w: np.einsum("ij,jk,k->i", q, q, w), (Q, W)),
    "einsum, quadratic form": (lambda q, w: np.einsum("i,ij,j", w, q, w), (Q, W)),
    "tensordot": (lambda a, b: np.tensordot(a, b, axes=([1], [1])), (A, B)),
    "tensordot, a number": (lambda a, b: np.tensordot(a, b), (A, B)),  # noqa: PLW0108
    "tensordot, several": (lambda s, t: np.tensordot(s, t, axes=((0, 1), (0, 2))), (S, T)),
    "tensordot, one": (lambda s, t: np.tensordot(s, t, ((2,), (1,))), (S, T)),
    "inner": (lambda a, b: np.inner(a, b), (A, B)),  # noqa: PLW0108
    "inner of stacks": (lambda s, v: np.inner(s, v), (S, V)),  # noqa: PLW0108
    "matmul": (lambda a, b: np.matmul(a[None], b.T[None]), (A, B)),
    "stacks": (lambda s, t: s @ t, (S, T)),
    "stack and matrix": (lambda s, a: s @ a.T, (S, A)),
    "stack and vector": (lambda s, v: s @ v, (S, V)),
    "vector and stack": (lambda s, w: np.matmul(w, s), (S, W)),
    "multi_dot": (lambda a, b: np.linalg.multi_dot([a, b.T, a]), (A, B)),
}
ARRANGED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "pad": (lambda a: np.pad(a, 1), (A,)),
    "pad, a pair": (lambda a: np.pad(a, (1, 2)), (A,)),
    "pad, pairs": (lambda a: np.pad(a, ((1, 2), (0, 3)), "constant", constant_values=2.5), (A,)),
    "pad, edge": (lambda a: np.pad(a, 1, mode="edge"), (A,)),
    "pad, reflect": (lambda a: np.pad(a, 2, mode="reflect"), (A,)),
    "pad, wrap": (lambda a: np.pad(a, 2, mode="wrap"), (A,)),
    "pad, symmetric": (lambda a: np.pad(a, 2, mode="symmetric"), (A,)),
    "tile": (lambda a: np.tile(a, (2, 1)), (A,)),
    "tile, a number": (lambda a: np.tile(a, 2), (A,)),
    "tile, more axes": (lambda a: np.tile(a, (2, 3, 2)), (A,)),
    "tile of a vector": (lambda v: np.tile(v, (3, 1)), (V,)),
    "squeeze": (lambda a: np.squeeze(a[:, :1], axis=1), (A,)),
    "block": (lambda a: np.block([[a, a], [a, a * a]]), (A,)),
    "block, a row": (lambda a: np.block([a, a]), (A,)),
    "block of vectors": (lambda a: np.block([[a[0], a[1]], [a[1], a[2]]]), (A,)),
    "meshgrid": (lambda v, w: np.meshgrid(v, w)[0] * np.meshgrid(v, w)[1], (V, W)),
    "meshgrid, ij": (lambda v, w: np.meshgrid(v, w, indexing="ij")[1], (V, W)),
    "meshgrid, sparse": (lambda v, w: np.meshgrid(v, w, sparse=True)[1], (V, W)),
    "meshgrid of three": (lambda v, w: np.meshgrid(v, w, v)[2], (V, W)),
    "reshape, F": (lambda a: np.reshape(a, (2, 6), order="F"), (A,)),
    "reshape, F, method": (lambda a: a.reshape(-1, order="F")[:4], (A,)),
    "reshape, F, several": (lambda a: a.reshape(4, 3, order="F"), (A,)),
    "flatten, F": (lambda a: a.flatten(order="F")[:5], (A,)),
    "ravel, F": (lambda a: np.ravel(a, order="F")[:5], (A,)),
    "moveaxis": (lambda s: np.moveaxis(s, 0, 2) * 2.0, (S,)),
    "moveaxis, several": (lambda f: np.moveaxis(f, (0, 1), (2, 3)) * 2.0, (F,)),
    "moveaxis of four": (lambda f: np.moveaxis(f, 0, 3) * 2.0, (F,)),
    "transpose of four": (lambda f: np.transpose(f, (3, 0, 1, 2)) * 2.0, (F,)),
    "take_along_axis": (lambda a: np.take_along_axis(a, np.argsort(a, axis=1), axis=1), (A,)),
    "sort, method": (lambda a: _sorted_in_place(a), (A,)),  # noqa: PLW0108
    "list as subscript": (lambda a: a[[0, 2, 0]], (A,)),
    "list as second subscript": (lambda a: a[:, [1, 0]], (A,)),
    "list of flags": (lambda a: a[[True, False, True]], (A,)),
    "ix_": (lambda a: a[np.ix_([0, 1], [1, 2])], (A,)),
    "ix_ of arrays": (lambda a: a[np.ix_(I[:2], I)], (A,)),
    "ix_ of three": (lambda s: s[np.ix_([0, 1], [1, 2], [0, 3])], (S,)),
    "mask": (lambda s: s[s > 0.1], (S,)),
}
CURVES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "heaviside": (lambda a: np.heaviside(a, 0.5) * a, (A,)),
    "heaviside of a number": (lambda a: np.heaviside(a[0, 0], 0.5) * a, (A,)),
    "modf": (lambda a: np.modf(a)[0] + 2.0 * np.modf(a)[1], (A,)),
    "frexp": (lambda a: np.frexp(a)[0] * 2.0 + np.frexp(a)[1], (A,)),
    "divmod": (lambda a: np.divmod(a, 0.7)[1] + np.divmod(a, 0.7)[0], (A,)),
    "lstsq": (lambda a: np.linalg.lstsq(a.T, a[0], rcond=None)[0], (A + np.eye(3, 4) * 3.0,)),
    "gradient": (lambda v: np.gradient(v), (V,)),  # noqa: PLW0108
    "gradient, spacing": (lambda v, w: np.gradient(v, w[0]), (V, W)),
    "gradient, axis": (lambda a: np.gradient(a, 0.5, axis=0), (A,)),
    "gradient, both": (lambda a: np.gradient(a)[0] * np.gradient(a)[1], (A,)),
    "gradient over points": (lambda y, x: np.gradient(y, x), (Y, X)),  # noqa: PLW0108
    "polyval": (lambda v, w: np.polyval(v, w), (V, W)),  # noqa: PLW0108
    "polyval of a number": (lambda v: np.polyval(v, v[0]), (V,)),
    "polyfit": (lambda x, y: np.polyfit(x, y, 2), (X, Y)),
    "polyfit, several": (lambda x, y: np.polyfit(x, np.stack((y, y * y), axis=1), 1), (X, Y)),
    "add.reduce": (lambda a: np.add.reduce(a * a), (A,)),
    "multiply.reduce": (lambda a: np.multiply.reduce(a, axis=1, keepdims=True), (A,)),
    "maximum.reduce": (lambda a: np.maximum.reduce(a, axis=1), (A,)),
    "logaddexp.reduce": (lambda a: np.logaddexp.reduce(a), (A,)),  # noqa: PLW0108
    "add.accumulate": (lambda a: np.add.accumulate(a), (A,)),  # noqa: PLW0108
    "minimum.accumulate": (lambda v: np.minimum.accumulate(v), (V,)),  # noqa: PLW0108
    "multiply.outer": (lambda v, w: np.multiply.outer(v, w), (V, W)),  # noqa: PLW0108
    "add.at": (lambda v, w: _added_at(v, w), (V, V[::-1].copy())),  # noqa: PLW0108
    "subtract.at of rows": (lambda a, v: _subtracted_at(a, v), (A, V)),  # noqa: PLW0108
}
FORMS = {**PRODUCTS, **ARRANGED, **CURVES}
COMPILED = (
    "einsum, stacks",
    "tensordot, several",
    "stacks",
    "pad, pairs",
    "tile",
    "gradient over points",
    "add.at",
)
AT_KINKS = ("take_along_axis", "sort, method", "list of flags", "mask")


def _sorted_in_place(a):
    b = a.copy()
    b.sort(axis=0)
    return b


def _added_at(v, w):
    y = v * 1.0
    np.add.at(y, I, w)
    np.add.at(y, [0, 0], w[0])
    return y


def _subtracted_at(a, v):
    y = a * 1.0
    np.subtract.at(y, (I[:3], I[1:]), v[:3])
    np.subtract.at(y, np.array([0, 0]), np.stack((v, v * v)))
    return y * y


@pytest.mark.parametrize("name", turning(2, FORMS))
def test_derivatives(name):
    function, args = FORMS[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.compiles
@pytest.mark.turns(4)
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    function, args = FORMS[name]
    assert_derivatives(function, args, jit=True)


@pytest.mark.parametrize("name", turning(6, [name for name in FORMS if name not in AT_KINKS]))
def test_second_order(name):
    function, args = FORMS[name]
    scalars = (
        lambda x: np.sum(np.sin(function(x))),
        lambda x, y: np.sum(np.sin(function(x, y))),
    )
    bs.check_grads(bs.grad(scalars[len(args) - 1], jit=False), args)


CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (np.tensordot, (S, T, ((2,), (1,))), {}),
    (np.tensordot, (A.astype("float32"), B.astype("float32"), ((1,), (1,))), {}),
    (np.inner, (A, np.arange(12).reshape(3, 4)), {}),
    (np.inner, (I, I), {}),
    (np.matmul, (np.arange(12).reshape(3, 4), np.arange(8).reshape(4, 2)), {}),
    (np.matmul, (A.astype("float32"), B.T), {}),
    (np.matmul, (np.asfortranarray(S), T), {}),
    (np.matmul, (S[:1], T), {}),
    (np.matmul, (S.astype("complex128"), T.astype("complex128")), {}),
    (np.einsum, ("ij,jk,k->i", Q, Q, W), {}),
    (np.einsum, ("bij,bjk->bik", S.astype("float32"), T.astype("float32")), {}),
    (np.einsum, ("i,i->", I, I), {}),
    (np.einsum, ("ij,ij->i", np.zeros((3, 0)), np.zeros((3, 0))), {}),
    (np.pad, (I, ((1, 2),)), {}),
    (np.pad, (S.astype("float32"), 1), {}),
    (np.pad, (A, ((0, 0), (1, 2))), {"mode": "reflect"}),
    (np.pad, (np.zeros((1, 3)), 2), {"mode": "reflect"}),
    (np.pad, (np.zeros((2, 3)), 7), {"mode": "wrap"}),
    (np.tile, (I, 3), {}),
    (np.tile, (np.asfortranarray(A).T, (2, 1)), {}),
    (np.tile, (A, (0, 2)), {}),
    (np.squeeze, (S[:1],), {"axis": 0}),
    (np.squeeze, (S[:1, :, :1],), {"axis": (0, -1)}),
    (np.reshape, (np.asfortranarray(S), (4, 6)), {"order": "F"}),
    (np.reshape, (S.T, (-1, 6)), {"order": "C"}),
    (np.ravel, (S[:, ::2],), {"order": "F"}),
    (np.gradient, (A.astype("float32"),), {"axis": 1}),
    (np.gradient, (I,), {}),
    (np.gradient, (A, X[:4]), {"axis": -1}),
    (np.polyval, (I, X), {}),
    (np.heaviside, (np.array([-1.0, 0.0, 2.0, np.nan]), 0.5), {}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0].__name__} {len(call[1])} {call[2]}")
def test_values_are_numpys(call):
    assert_as_numpy(*call)


def test_parts_of_numbers():
    x = np.array([0.0, 1.0, -8.0, 0.3, 5e-324, 1.7e308, np.inf, np.nan, 0.5, np.nextafter(4.0, 0.0)])
    mantissas, exponents = bs.vjp(lambda x: np.frexp(x), x, jit=False)[0]  # noqa: PLW0108
    expected = np.frexp(x)
    np.testing.assert_array_equal(mantissas, expected[0])
    np.testing.assert_array_equal(exponents, expected[1])


@numba.njit
def in_compiled_code(a, b):
    padded = np.pad(a, ((1, 1), (0, 2)))
    tiled = np.tile(b, (2, 1))
    return np.einsum("ij,kj->ik", a, b).sum() + np.inner(a, b)[0, 1] + padded[1, 1] * tiled[4, 2]


@pytest.mark.compiles
@pytest.mark.turns(4)
def test_compiled_functions_of_the_user():
    assert abs(in_compiled_code(A, B) - in_compiled_code.py_func(A, B)) < 1e-12
    bs.check_grads(lambda a, b: in_compiled_code(a, b), (A, B))  # noqa: PLW0108


def test_products_are_written_as_products():
    text = bs.grad(lambda a, b: np.sum(np.einsum("ij,kj->ik", a, b) ** 2), jit=False).source(A, B)
    assert "@" in text
    assert "np.einsum: " in text or "np.einsum" in text


REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "subscripts do not fit": (
        lambda a: np.sum(np.einsum("ijk->i", a)),
        (A,),
        "do not fit operands with 2 axes",
    ),
    "ellipsis": (lambda a: np.sum(np.einsum("...j->j", a)), (A,), "without `...`"),
    "squeeze": (lambda a: np.sum(np.squeeze(a[:, :1])), (A,), "without `axis=`"),
    "pad": (lambda a: np.sum(np.pad(a, 1, mode="mean")), (A,), "with the modes constant"),
    "block": (lambda a: np.sum(np.block([[a, 1.0]])), (A,), "supported for arrays, and rows of arrays"),
    "edge_order": (lambda a: np.sum(np.gradient(a, axis=0, edge_order=2)), (A,), "edge_order=1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(name):
    function, args, words = REFUSED[name]
    with pytest.raises(bs.TypingError, match=words) as caught:
        bs.grad(function, jit=False)(*args)
    assert "help: " in str(caught.value)


def test_extents_of_subscripts_must_fit():
    with pytest.raises(ValueError, match="subscript j"):
        bs.grad(lambda a, b: np.sum(np.einsum("ij,jk->ik", a, b)), jit=False)(A, B)
    with pytest.raises(ValueError, match="stacks of matrices"):
        bs.grad(lambda s, t: np.sum(s @ t), jit=False)(S, np.concatenate((T, T)))


@pytest.mark.compiles
@pytest.mark.turns(4)
def test_matmul_in_compiled_code():
    """Numba takes every ufunc for one that works entry by entry, and `np.matmul` is one."""

    @numba.njit
    def product(a, b):
        return np.sin(np.matmul(a, b.T))

    np.testing.assert_allclose(product(A, B), np.sin(A @ B.T))
    assert_derivatives(product.py_func, (A, B), jit=True)


@pytest.mark.parametrize("x", [0.0, 1.0, 0.5, 8.0, -3.3, 1e-310, 5e-324, 1e308, math.inf, -math.inf])
def test_frexp_of_a_number_is_that_of_python(x):
    found = implementation(np.frexp, (numba.float64,), {}, None).dispatcher
    assert found.py_func(x) == math.frexp(x)


def median_and_sum(x):
    return np.median(x), np.sum(x)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiles)])
def test_the_median_of_nothing_has_an_empty_gradient(jit: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, pullback = bs.vjp(median_and_sum, np.zeros(0), jit=jit)
    assert np.isnan(value[0])
    assert pullback((1.0, 1.0)).shape == (0,)
