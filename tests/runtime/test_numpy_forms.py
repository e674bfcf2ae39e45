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
from tests.support.checking import assert_gradient
from tests.support.refused import refused
from tests.support.sampled import turning

A = array((3, 4), "float64")
B = array((3, 4), "float64", 1)
S = array((2, 3, 4), "float64")
T = array((2, 4, 3), "float64", 1)
F = array((2, 3, 2, 2), "float64")
Q = array((3, 3), "float64")
V = array((4,), "float64", 2)
W = array((3,), "float64", 3)
POINT = np.array(0.7)
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
    "heaviside, its value at zero": (lambda v: np.heaviside(I - 2, v), (V,)),
    "heaviside, its value at a number": (lambda v: np.heaviside(0.0, v) * v[0], (V,)),
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
    "gradient, spacings": (lambda a: np.gradient(a, a[0, 0], 0.5)[0], (A,)),
    "gradient, a number": (lambda a: np.gradient(a, np.array(2.0), axis=0), (A,)),
    "gradient, a list": (lambda v: np.gradient(v[:3], [1.0, 2.0, 4.0]), (V,)),
    "stack, an array": (lambda a: np.stack(a) * np.stack(a.T, axis=1), (A,)),
    "histogram_bin_edges": (lambda a: np.histogram_bin_edges(a, 3), (A,)),
    "gradient, points of both": (lambda a: np.gradient(a, X[:3], X[1:])[1], (A,)),
    "gradient, axes turned": (lambda a: np.gradient(a, 2.0, X[:3], axis=(1, 0))[0], (A,)),
    "gradient, edges": (lambda a: np.gradient(a, a[1, 1], axis=0, edge_order=2), (A,)),
    "gradient, edges over points": (lambda y, x: np.gradient(y, x, edge_order=2), (Y, X)),
    "histogram": (lambda a, b: np.histogram(a, bins=[-1.5, 0.0, 0.5, 2.0], weights=a * b)[0], (A, B)),
    "histogram, density": (lambda a: np.histogram(a, bins=3, density=True)[0], (A,)),
    "histogram, range": (lambda x, y: np.histogram(x, 4, (0.05, 2.0), weights=y)[0], (X, Y)),
    "histogram, edges": (lambda a: np.histogram(a, bins=3, weights=a)[1], (A,)),
    "polyval": (lambda v, w: np.polyval(v, w), (V, W)),  # noqa: PLW0108
    "polyval of a number": (lambda v: np.polyval(v, v[0]), (V,)),
    "polyfit": (lambda x, y: np.polyfit(x, y, 2), (X, Y)),
    "polyfit, several": (lambda x, y: np.polyfit(x, np.stack((y, y * y), axis=1), 1), (X, Y)),
    "polyfit, spread": (lambda x, y: np.polyfit(x, y, 1, w=y, cov="unscaled")[1], (X, Y)),
    "polyfit, several spreads": (
        lambda x, y: np.polyfit(x, np.stack((y, y * y), axis=1), 1, cov=True)[1],
        (X, Y),
    ),
    "polyfit, all": (lambda x, y: np.polyfit(x, y, 1, 1e-9, True)[1], (X, Y)),
    "take_along_axis, cube": (
        lambda a: np.take_along_axis(np.stack((a, 2.0 * a)), np.array([[[0, 1]]]), axis=2),
        (A,),
    ),
    "add.reduce": (lambda a: np.add.reduce(a * a), (A,)),
    "multiply.reduce": (lambda a: np.multiply.reduce(a, axis=1, keepdims=True), (A,)),
    "maximum.reduce": (lambda a: np.maximum.reduce(a, axis=1), (A,)),
    "logaddexp.reduce": (lambda a: np.logaddexp.reduce(a), (A,)),  # noqa: PLW0108
    "add.accumulate": (lambda a: np.add.accumulate(a), (A,)),  # noqa: PLW0108
    "minimum.accumulate": (lambda v: np.minimum.accumulate(v), (V,)),  # noqa: PLW0108
    "multiply.outer": (lambda v, w: np.multiply.outer(v, w), (V, W)),  # noqa: PLW0108
    "reduce along an axis": (lambda a: np.logaddexp.reduce(a, axis=1), (A,)),
    "accumulate along an axis": (lambda a: np.maximum.accumulate(a, axis=-1), (A,)),
    "accumulate, dtype": (lambda a: np.hypot.accumulate(a, 1, dtype=np.float64), (A,)),
    "accumulate of whole numbers": (lambda v: np.hypot.accumulate(np.arange(4), dtype="d") * v[0], (V,)),
    "median, out": (lambda a: np.median(a, 0, out=np.zeros(a.shape[1])), (A,)),
    "mean, out by its place": (lambda a: np.mean(a, 1, None, np.zeros(a.shape[0])), (A,)),
    "percentile, defaults": (
        lambda a: np.percentile(a, 70, axis=None, out=None, overwrite_input=False),
        (A,),
    ),
    "windows of a computed length": (
        lambda v: np.concatenate(
            (np.hanning(6.0 * v[0]), np.hamming(6.2 + v[0]), np.blackman(v[0]), np.bartlett(7.3 - v[0]))
        ),
        (V,),
    ),
    "kaiser, float": (lambda v: np.kaiser(6.0, v[1]), (V**2,)),
    "sort, complex": (lambda v: np.abs(np.sort(v * 1j + I + 0.5)) + np.real(np.sort_complex(v)), (V,)),
    "unique, complex": (lambda v: np.abs(np.unique(v[[0, 1, 0, 2]] + 2j)), (V,)),
    "unique, counts": (lambda v: np.unique_counts(v[[0, 1, 0]]).values ** 2, (V,)),
    "unique, all": (lambda v: np.unique_all(v)[0] ** 2 + np.unique_values(v)[::-1], (V,)),
    "sinc of a list": (lambda v: np.sinc([0, v[0], v[1]]) * np.i0([v[0], 0.3, v[2]]), (V,)),
    "nanargmax, kept": (lambda v: v[np.nanargmax(v, keepdims=True)] * v[np.nanargmin(v[0])], (V,)),
    "isin, default": (lambda v: np.where(np.isin(I, I[:1], kind=None), v, v**2), (V,)),
    "ufunc, where": (lambda a, b: np.divide(a, b, out=np.zeros_like(a), where=b > 0.5), (A, B)),
    "ufunc, where, what is kept": (lambda a: np.sqrt(a, where=a > 0.0, out=a * a), (A,)),
    "moments without axes": (lambda x: np.std(x) + np.var(x) + np.nanvar(x) + np.nanstd(x) + x, (POINT,)),
    "sums without axes": (lambda x: np.nansum(x) * np.nanprod(x) * np.nanmedian(x) + np.ptp(x), (POINT,)),
    "nanstd without axes, ddof": (lambda x: np.nanstd(x, ddof=0.5) + x, (POINT,)),
    "nanquantile without axes": (lambda x: np.nanquantile(x, q=0.3) * x, (POINT,)),
    "ptp without axes, complex": (lambda x: np.real(np.ptp(x * 1j)) + x, (POINT,)),
    "ufunc, dtype of whole numbers": (lambda v: np.maximum(I, v, dtype=np.float64), (V,)),
    "ufunc, dtype and others": (
        lambda a: np.add(a, 2, dtype=float, casting="unsafe", order="C", subok=True),
        (A,),
    ),
    "ufunc, complex dtype": (lambda a: np.real(np.multiply(a, 1j, dtype=complex) ** 2), (A,)),
    "ufunc, dtype where": (
        lambda a: np.add(a, 2, out=a * 0.5, where=a > 0.0, dtype=np.float64, casting="same_kind"),
        (A,),
    ),
    "ufunc, dtype None": (lambda a: np.exp(a, dtype=None), (A,)),
    "require": (lambda a: np.require(a, np.float64, ["C", "A"]) ** 2, (A,)),
    "require, order": (lambda a: np.require(a.T, requirements="FO") @ a, (A,)),
    "require, writeable": (lambda a: np.require(a, requirements=["C", "W"]) ** 2, (A,)),
    "require, a list": (lambda v: np.require([v[0], 2.0, v[1]], float), (V,)),
    "ufunc, where everywhere": (lambda a: np.exp(a, out=a * 1.0, where=True), (A,)),
    "ufunc, whole numbers": (lambda v: np.multiply(I, 2, out=np.zeros(4, int), where=I > 0) * v, (V,)),
    "trace in axes": (lambda s: np.trace(s, offset=-1, axis1=2, axis2=0), (S,)),
    "trace turned": (lambda a: np.trace(a, 1, 1, 0), (A,)),
    "mean of a list": (lambda v: np.mean([v, v * v], axis=0), (V,)),
    "median of a list": (lambda v: np.median([v, v * v, v + 1.0], axis=0), (V,)),
    "convolve, a list": (lambda v: np.convolve(v, [1, 2, 1], mode="valid"), (V,)),
    "axes that a range names": (lambda s: np.sum(s * s, axis=tuple(range(1, s.ndim))), (S,)),
    "axes counted from the end": (lambda s: np.mean(s, axis=(0, s.ndim - 1)), (S,)),
    "arrays by their name": (lambda a: np.sum(a=a, axis=0) * np.cumsum(a=a[1]), (A,)),
    "r_": (lambda v, w: np.cumsum(np.r_[0, v, w[0], w]), (V, W)),
    "c_": (lambda v: np.c_[v, np.ones(4), v * v] @ np.arange(3), (V,)),
    "products with whole numbers": (lambda a: np.dot(np.arange(3), a) * (I @ I), (A,)),
    "unravel_index": (lambda a: a[np.unravel_index(np.argmax(a), a.shape)] * a, (A,)),
    "reduce of a list": (lambda v: np.maximum.reduce([v, v * v]) + np.add.reduce([v[0], v[1]]), (V,)),
    "interp at a list": (lambda v: np.interp([0.2, 0.5], X[:4], v), (V,)),
    "var of a list": (lambda v: np.var([v[0], v[1], v[2]], ddof=1), (V,)),
    "nansum of a list": (lambda v: np.nansum([v, v * v]), (V,)),
    "cov, weights": (lambda a, v: np.cov(a, aweights=v * v, fweights=I + 1), (A, V)),
    "cov of columns, weights": (lambda a, w: np.cov(a, rowvar=False, aweights=np.exp(w), bias=True), (A, W)),
    "cov of a vector, weights": (lambda v: np.cov(v, aweights=np.exp(v), ddof=0), (V,)),
    "add.at": (lambda v, w: _added_at(v, w), (V, V[::-1].copy())),  # noqa: PLW0108
    "subtract.at of rows": (lambda a, v: _subtracted_at(a, v), (A, V)),  # noqa: PLW0108
}
APPLIED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "vectorize": (lambda a: np.vectorize(lambda v: v * v if v > 0.5 else 0.0)(a.T), (A,)),
    "vectorize, several": (lambda v, w: np.vectorize(lambda s, t, n=2: s * t**n)(v[:3], w), (V, W)),
    "vectorize, a number": (lambda v: np.vectorize(lambda s, t: max(s, t))(v, v[0]), (V,)),  # noqa: PLW0108
    "vectorize, positions": (lambda v: np.vectorize(lambda i: v[i] * i)(I), (V,)),
    "vectorize, whole results": (lambda v: np.vectorize(lambda s: -1 if s < 0.3 else 1)(v) * v, (V,)),
    "vectorize, truths": (lambda v: np.vectorize(lambda s: s > 0.3)(v) * v, (V,)),
    "vectorize, loops": (lambda v: np.vectorize(_powers)(v), (V,)),  # noqa: PLW0108
    "vectorize, returns": (lambda v: _early(v), (V,)),  # noqa: PLW0108
    "along rows": (lambda a: np.apply_along_axis(lambda r: r @ r, 1, a), (A,)),
    "along columns": (lambda a: np.apply_along_axis(lambda r: r / (r @ r), 0, a), (A,)),
    "along the middle": (lambda s: np.apply_along_axis(lambda r: r[1:] * r[0], 1, s), (S,)),
    "along the first of three": (lambda s: np.apply_along_axis(lambda r: r * r[0], 0, s), (S,)),
    "along the last of three": (lambda s: np.apply_along_axis(np.mean, -1, s), (S,)),
    "along a vector": (lambda v: np.apply_along_axis(np.cumsum, 0, v), (V,)),
    "along, more arguments": (lambda a: np.apply_along_axis(_scaled, axis=1, arr=a, k=2.0), (A,)),
    "along, a quantile": (lambda a: np.apply_along_axis(np.percentile, 0, a, 30), (A,)),
    "over axes": (lambda s: np.apply_over_axes(np.sum, s * s, (0, 2)), (S,)),
    "over axes that stay": (lambda a: np.apply_over_axes(np.cumsum, a, [0, -1]), (A,)),
    "over one axis": (lambda s: np.apply_over_axes(np.mean, s, 1), (S,)),
    "over the axis of a vector": (lambda v: np.apply_over_axes(np.sum, v, 0), (V,)),
}
FORMS = {**PRODUCTS, **ARRANGED, **CURVES, **APPLIED}
COMPILED = (
    "einsum, stacks",
    "tensordot, several",
    "stacks",
    "pad, pairs",
    "tile",
    "gradient over points",
    "add.at",
    "along columns",
)
AT_KINKS = ("take_along_axis", "sort, method", "list of flags", "mask")


def _powers(v):
    total = 0.0
    for k in range(3):
        total += v**k
    return total


@np.vectorize
def _early(v):
    for k in range(5):
        if v > 0.3 * k:
            return v * v * k
    return -v


def _scaled(row, k=1.0):
    return row[0] * k + row[1]


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


@pytest.mark.parametrize("name", turning(12, FORMS))
def test_derivatives(name):
    function, args = FORMS[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.compiles
@pytest.mark.turns(12)
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    function, args = FORMS[name]
    assert_derivatives(function, args, jit=True)


@pytest.mark.parametrize("name", turning(30, [name for name in FORMS if name not in AT_KINKS]))
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
    (np.kron, (I, W), {}),
    (np.kron, (W, I), {}),
    (np.kron, (A, I), {}),
    (np.kron, (I, S[:, ::2]), {}),
    (np.kron, (A.T, A > 0.5), {}),
    (np.kron, (A.astype("complex128"), B), {}),
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
    (np.gradient, (A, X[:4]), {"axis": 1, "edge_order": 2}),
    (np.gradient, (S, 0.5), {"axis": 1, "edge_order": 2}),
    (np.gradient, (A, X[:4]), {"axis": -1}),
    (np.polyval, (I, X), {}),
    (np.dot, (I, A[0]), {}),
    (np.cov, (A,), {"aweights": X[:4], "ddof": 0}),
    (np.cov, (I,), {"fweights": I}),
    (np.cov, (X,), {"aweights": X, "ddof": 7}),
    (np.dot, (A.astype("float32"), I), {}),
    (np.trace, (S,), {"axis1": 1, "axis2": -1}),
    (np.trace, (np.arange(24).reshape(2, 3, 4), -1, 2, 0), {}),
    (np.trace, (S[:, :, :2], 5, 1, 2), {}),
    (np.heaviside, (np.array([-1.0, 0.0, 2.0, np.nan]), 0.5), {}),
]


@pytest.mark.parametrize(
    "call", turning(3, CALLS), ids=lambda call: f"{call[0].__name__} {len(call[1])} {call[2]}"
)
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
    tiled = np.tile(b, (2, 1))
    return np.einsum("ij,kj->ik", a, b).sum() + np.inner(a, b)[0, 1] + a[0, 0] * tiled[4, 2]


@numba.njit
def with_meanings(a, b):
    padded = np.pad(a, ((1, 1), (0, 2)))
    return padded[1, 1] * np.polyval(b[0], 0.5) * np.polyfit(a[0], b[0], 1)[0]


@pytest.mark.compiles
@pytest.mark.turns(11)
def test_compiled_functions_of_the_user():
    assert abs(in_compiled_code(A, B) - in_compiled_code.py_func(A, B)) < 1e-12
    bs.check_grads(lambda a, b: in_compiled_code(a, b), (A, B))  # noqa: PLW0108


def test_compiled_functions_of_the_user_whose_calls_numba_does_not_know():
    value, slopes = bs.value_and_grad(lambda a, b: with_meanings(a, b), argnums=(0, 1), jit=False)(A, B)  # noqa: PLW0108
    assert value == pytest.approx(with_meanings.py_func(A, B))
    direction = np.random.default_rng(0).normal(size=A.shape)
    other = np.random.default_rng(1).normal(size=B.shape)
    step = 1e-6
    ends = [with_meanings.py_func(A + s * direction, B + s * other) for s in (step, -step)]
    slope = (ends[0] - ends[1]) / (2 * step)
    assert np.sum(slopes[0] * direction) + np.sum(slopes[1] * other) == pytest.approx(slope, rel=1e-6)


def test_histograms_are_numpys():
    values = np.array([0.0, 1.0, 0.5, 0.5, np.nextafter(0.5, 0.0), -0.1, 1.1, 1.0, np.nan])
    weights = np.linspace(0.2, 1.7, values.size)
    for keywords in ({"bins": np.array([0.0, 0.5, 1.0])}, {"bins": 4, "range": (0.0, 1.0)}):
        for more in ({"weights": weights}, {"density": True}, {"weights": weights, "density": True}):
            found = bs.vjp(lambda v: np.histogram(v, **keywords, **more), values, jit=False)[0]  # noqa: B023
            for one, other in zip(found, np.histogram(values, **keywords, **more), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-14)
    with pytest.raises(ValueError, match="not finite"):
        bs.vjp(lambda v: np.histogram(v, bins=3, weights=v), values, jit=False)
    with pytest.raises(ValueError, match="same shape"):
        bs.vjp(lambda v: np.histogram(v, bins=3, weights=v[1:]), values[:4], jit=False)


def test_steps_and_parts_stay_in_single_precision():
    x, y = A.astype("float32"), V.astype("float32")
    for function in (np.heaviside, lambda x, y: np.modf(x)[0] + y, lambda x, y: np.heaviside(x[0, 0], y)):
        found = bs.vjp(function, x, y, jit=False)[0]
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, function(x, y))


def test_what_is_not_selected_is_not_computed():
    b = np.array([0.0, 2.0, np.nan, -1.0])
    for function in (
        lambda b: np.divide(1.0, b, out=np.zeros_like(b), where=b > 0.0),
        lambda b: np.log(b, out=np.zeros_like(b), where=b > 0.0),
    ):
        found = bs.grad(lambda b: np.sum(function(b)), jit=False)(b)  # noqa: B023
        assert np.isfinite(found).all()
        assert np.count_nonzero(found) == 1
        assert np.isfinite(bs.jvp(function, (b,), (np.ones(4),), jit=False)[1]).all()
    with pytest.raises(bs.UnsupportedError, match="leaves entries undefined"):
        bs.grad(lambda b: np.sum(np.log(b, where=b > 0.0)), jit=False)(b)


def test_products_are_written_as_products():
    text = bs.grad(lambda a, b: np.sum(np.einsum("ij,kj->ik", a, b) ** 2), jit=False).source(A, B)
    assert "@" in text
    assert "np.einsum: " in text or "np.einsum" in text


KINDS: dict[str, Callable[[Any], Any]] = {
    "a literal": lambda s: s if s > 0.0 else 0,
    "an extreme": lambda s: max(s, 0),
    "a whole part": lambda s: math.floor(s) if s > 0.0 else s,
    "a count": lambda s: sum(s for k in range(int(s))),
    "a truth": lambda s: s > 0.0 and s,
}


@pytest.mark.parametrize("name", KINDS)
def test_results_of_several_kinds_are_refused(name):
    with pytest.raises(bs.UnsupportedError, match="several kinds"):
        bs.grad(lambda v: np.sum(np.vectorize(KINDS[name])(v)), jit=False)(V)


OF_ROWS = np.vectorize(lambda row: row.sum(), signature="(n)->()")
WITH_TABLE = np.vectorize(lambda v, table: v * table[0], excluded={1})


def test_vectorize_of_more_than_numbers_is_refused():
    for function in (lambda a: np.sum(OF_ROWS(a)), lambda a: np.sum(WITH_TABLE(a, W))):
        with pytest.raises(bs.UnsupportedError, match="`signature=` or `excluded=`"):
            bs.grad(function, jit=False)(A)


def test_nothing_has_no_first_result():
    with pytest.raises(ValueError, match="size 0"):
        bs.grad(lambda v: np.sum(np.vectorize(lambda s: s * s)(v)), jit=False)(V[:0])
    with pytest.raises(ValueError, match="dimensions are 0"):
        bs.grad(lambda a: np.sum(np.apply_along_axis(np.sum, 1, a)), jit=False)(A[:0])


def test_positions_in_flattened_arrays():
    found = implementation(np.unravel_index, (numba.typeof(I), numba.typeof((3, 4))), {}, None).dispatcher
    for one, other in zip(found.py_func(I * 3, (3, 4)), np.unravel_index(I * 3, (3, 4)), strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="out of bounds"):
        found.py_func(I * 7, (3, 4))


REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "subscripts do not fit": (
        lambda a: np.sum(np.einsum("ijk->i", a)),
        (A,),
        "do not fit operands with 2 axes",
    ),
    "pad": (lambda a: np.sum(np.pad(a, 1, mode="other")), (A,), "none of NumPy's"),
    "block": (lambda a: np.sum(np.block([[a, 1.0]])), (A,), "supported for arrays, and rows of arrays"),
    "edge_order": (lambda a: np.sum(np.gradient(a, axis=0, edge_order=3)), (A,), "edge_order=1"),
    "bins": (lambda a: np.histogram(a, "auto", weights=a)[0], (A,), "neither a number nor a vector"),
    "weights": (lambda a: np.histogram(a, weights=a[0])[0], (A,), "no array of the shape of the values"),
    "spacings": (lambda s: np.gradient(s, 0.5, 0.1)[0].sum(), (S,), "2 spacings for 3 axes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(name):
    function, args, words = REFUSED[name]
    with refused(words, bs.BacksweepError) as caught:
        bs.grad(function, jit=False)(*args)
    assert "help: " in str(caught.value)


def test_extents_of_subscripts_must_fit():
    with pytest.raises(ValueError, match="subscript j"):
        bs.grad(lambda a, b: np.sum(np.einsum("ij,jk->ik", a, b)), jit=False)(A, B)
    with pytest.raises(ValueError, match="stacks of matrices"):
        bs.grad(lambda s, t: np.sum(s @ t), jit=False)(S, np.concatenate((T, T)))


@pytest.mark.compiles
@pytest.mark.turns(11)
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


MISFITS: dict[str, tuple[Any, tuple[int, ...], tuple[int, ...]]] = {
    "tensordot": (lambda x, y: np.tensordot(x, y), (2, 1, 2), (2, 1, 1)),  # noqa: PLW0108
    "tensordot of all": (lambda x, y: np.tensordot(x, y), (2, 1), (2, 3)),  # noqa: PLW0108
    "inner": (lambda x, y: np.inner(x, y), (1,), (3,)),  # noqa: PLW0108
    "average": (lambda x, y: np.average(x, axis=0, weights=y), (3, 2), (1,)),
    "average of all": (lambda x, y: np.average(x, axis=1, weights=y), (3, 2), (1, 2)),
}


@pytest.mark.parametrize("name", MISFITS)
def test_extents_of_one_that_are_not_stretched(name):
    function, one, other = MISFITS[name]
    with pytest.raises(ValueError, match=r"shape|length"):
        bs.grad(lambda x, y: np.sum(function(x, y)), jit=False)(np.ones(one), np.ones(other))


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors:DeprecationWarning")
def test_cross_products_of_two_entries_with_three():
    def squares(x, y):
        return np.sum(np.cross(x, y) ** 2) + np.cross(y, x)[2]

    x, y = np.array([0.3, 0.7]), np.array([0.5, -0.4, 1.1])
    gradients = bs.grad(squares, argnums=(0, 1), jit=False)
    assert_gradient(gradients(x, y), squares, (x, y), (0, 1))


@pytest.mark.parametrize("wave", [np.sin, np.cos, np.tan, np.tanh, np.arctan])
def test_waves_at_infinity_do_not_raise_in_plain_python(wave):
    x = np.array([0.3, np.inf, np.nan, -np.inf])
    with np.errstate(invalid="ignore"):
        value, pullback = bs.vjp(lambda x: wave(x), x, jit=False)  # noqa: PLW0108  a program of its own
        np.testing.assert_array_equal(value, wave(x))
        assert pullback(np.ones(4))[0] == bs.grad(wave, jit=False)(0.3)
