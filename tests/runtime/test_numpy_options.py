"""Options of NumPy's functions: modes of padding, axes, bounds by name, stacks of matrices: values and derivatives."""

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
M = array((2, 3, 3), "float64", 4) + 3.0 * np.eye(3)
Q = array((3, 3), "float64") + 3.0 * np.eye(3)
V = array((4,), "float64", 2)
W = array((3,), "float64", 3)
I = np.array([0, 2, 1, 1])

Forms = dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]


def _copied(a):
    b = np.array(a)
    c = np.array(b, dtype=np.float64, copy=True)
    b[0] = 2.0
    c[1] *= b[0]
    return b * c


def _in_an_open_grid(a, b):
    c, k = a * 1.0, np.ix_([0, 2], b[0] > 0.0)
    c[k] = b[k] ** 2
    c[np.ix_([1], [3, 0])] *= a[0, 0]
    return c * c


def _in_place(v):
    a = v * 1.0
    a.put([0, 1], v[2] ** 2)
    a.partition(2)
    return a[2] * v * a.argpartition(1)[1]


def _pieces(x):
    return np.piecewise(x, [x < -1.0, x > 1.0], [-1.0, lambda t: t**3, lambda t: t * t])


def _counted_in_cells(v, w):
    counts, _, edges = np.histogram2d(
        v, v * v, bins=(2, [0.0, 1.0, 9.0]), range=((-2.0, 2.0), (0.0, 1.0)), weights=w
    )
    density = np.histogram2d(v, w, 2, [[-3.0, 3.0], [0.0, 9.0]], density=True, weights=w)[0]
    return counts * density * edges[1]


def _by_dtypes(v):
    w = v.astype(np.result_type(v, np.float32))
    return w * w if np.issubdtype(w.dtype, np.floating) and np.can_cast(v.dtype, np.complex64) else w**3


FORMS: Forms = {
    "dtypes": (_by_dtypes, (V,)),
    "pad, ramp": (lambda v: np.pad(v, (1, 2), mode="linear_ramp", end_values=(v[0], 2.0)) * 2.0, (V,)),
    "pad, ramps": (lambda a: np.pad(a, ((2, 1), (0, 3)), mode="linear_ramp"), (A,)),
    "pad, largest": (lambda a: np.pad(a, 1, mode="maximum", stat_length=2), (A,)),
    "pad, mean": (lambda a: np.pad(a, ((1, 2), (2, 0)), mode="mean"), (A,)),
    "pad, median": (lambda v: np.pad(v, 2, mode="median", stat_length=(1, 3)), (V,)),
    "pad, odd": (lambda a: np.pad(a, 2, mode="reflect", reflect_type="odd"), (A,)),
    "pad, odd and symmetric": (lambda v: np.pad(v, 3, mode="symmetric", reflect_type="odd"), (V,)),
    "insert, several": (lambda a, b: np.insert(a, [3, 0, -1], b, axis=0), (A, B)),
    "insert, all at one": (lambda a, b: np.insert(a, [1], b[:2], axis=0), (A, B)),
    "insert, a number": (lambda a: np.insert(a, I, a[0, 0] ** 2, axis=1), (A,)),
    "cross, axis": (lambda a, q: np.cross(a[:, :3], q, axis=0), (A, Q)),
    "cross, axes": (lambda a, b: np.cross(a, b.T[:, :3], axisa=0, axisc=0), (A, B)),
    "sort, stable": (lambda v: np.sort(v, kind="stable") * V, (V,)),
    "logspace, base": (lambda v: np.logspace(v[0], v[1], 4, base=2.0 + v[2] ** 2), (V,)),
    "hstack, lists": (lambda v: np.hstack([v, [v[0] * v[1], 1.0]]) * 2.0, (V,)),
    "vstack, lists": (lambda v, w: np.vstack([v, [w[0], 1.0, w[1], w[2]]]) * 2.0, (V, W)),
    "atleast_1d of arrays without axes": (lambda v: np.atleast_1d(np.array(v[0]), v)[0] * v, (V,)),
    "atleast_2d, several": (lambda v, a: np.atleast_2d(v, a, v[0])[0] * a, (V, A)),
    "clip, min": (lambda v: v.clip(min=0.1) * np.clip(v, max=v[0]) * np.clip(v, a_max=1.0, a_min=-1.0), (V,)),
    "array of an array": (_copied, (A,)),
    "size, fix": (lambda a: np.size(a, 1) * np.asanyarray(a) * np.fix(3.0 * a[0, 0]), (A,)),
    "inv, stack": (lambda m: np.linalg.inv(m), (M,)),  # noqa: PLW0108  an `@overload` stands for it
    "det, stack": (lambda m: np.linalg.det(m), (M,)),  # noqa: PLW0108
    "slogdet, stack": (lambda m: np.linalg.slogdet(m)[1], (M,)),
    "cholesky, stack": (lambda m: np.linalg.cholesky(m @ m.mT), (M,)),
    "cholesky, upper": (lambda q: np.linalg.cholesky(q @ q.T, upper=True), (Q,)),
    "eigh, stack": (lambda m: np.linalg.eigh(m + m.mT)[0], (M,)),
    "solve, stacks": (lambda m, a: np.linalg.solve(m, np.stack((a, 2.0 * a))), (M, A)),
    "solve, one matrix": (lambda m, q: np.linalg.solve(q, m), (M, Q)),
    "solve, one vector": (lambda m, w: np.linalg.solve(m, w), (M, W)),  # noqa: PLW0108
    "eigvalsh, upper": (lambda q: np.linalg.eigvalsh(q @ q.T, UPLO="U"), (Q,)),
    "ix_": (lambda a, b: _in_an_open_grid(a, b), (A, B)),  # noqa: PLW0108
    "item": (lambda a: a.item(1, 2) * a.item(-1) * a[:1, 1:2].item() * a.item((0, 0)) * a, (A,)),
    "view": (lambda v: v.view(np.complex128).real * v.view(np.float64)[:2], (V,)),
    "view of parts": (lambda v: np.multiply(1.0 + 2.0j, v).view(np.float64) ** 2, (V,)),
    "methods in place": (lambda v: _in_place(v), (V,)),  # noqa: PLW0108
    "copy, F": (lambda a: (a.copy("F") * a.T.copy(order="F").T).ravel("F") * a[0, 0], (A,)),
    "copy, C": (lambda a: a.T.copy(order="C") * a.copy("C").T, (A,)),
    "piecewise, a number": (lambda v: _pieces(v[0]) * v, (V,)),
    "piecewise, arguments": (
        lambda v: np.piecewise(v, [v < 0.0, v >= 0.0], [lambda t, k: t * k, lambda t, k: t + k * k], v[0]),
        (V,),
    ),
    "fromiter": (
        lambda v: np.fromiter((e * e for e in v), float, count=2) * np.fromiter([v[0], v[1]], float),
        (V,),
    ),
    "histogram2d": (_counted_in_cells, (V, np.exp(V))),
    "hazen": (lambda a: np.percentile(a, 30.0, axis=1, method="hazen"), (A,)),
    "weibull": (lambda v: np.quantile(v, [0.1, 0.3, 0.95], method="weibull"), (V,)),
    "lower": (lambda v: np.quantile(v, [0.1, 0.3], method="lower"), (V,)),
    "step": (lambda v: np.percentile(v, [0.0, 30, 100], method="inverted_cdf"), (V,)),
    "weights": (
        lambda v: np.quantile(v, 0.3, method="inverted_cdf", weights=np.exp(v)) * v[::-1],
        (V,),
    ),
    "multi_dot, a list that grows": (lambda m: np.linalg.multi_dot([each * 2.0 for each in m]), (M,)),
    "einsum, lists": (lambda v: np.einsum("ij,j->i", [v, v * 2.0], [v[0], v[1], v[2], v[3]]), (V,)),
    "lists": (
        lambda v: np.linalg.slogdet([[v[0], 3.0], [2.0, v[1]]])[1] * np.tensordot([v, v], v, 1),
        (V,),
    ),
    "weights along": (
        lambda a: np.quantile(a, [0.2, 0.9], 0, method="inverted_cdf", weights=np.arange(3)),
        (A,),
    ),
    "weights of all": (
        lambda a: np.percentile(a, 60, method="inverted_cdf", weights=np.ones((3, 4)), keepdims=True),
        (A,),
    ),
    "place of a quantile": (lambda v, x: np.quantile(v, x, method="normal_unbiased"), (V, 0.4)),
    "nanmax": (lambda a: np.nanmax(a, axis=1, initial=0.2, where=a < 1.0), (A,)),
    "ravel_multi_index": (lambda a: np.ravel(a)[np.ravel_multi_index((I[:3], I[1:]), (4, 3))] * 2.0, (A,)),
}
COMPILED = ("pad, mean",)


@pytest.mark.parametrize("name", turning(5, FORMS))
def test_derivatives(name):
    function, args = FORMS[name]
    np.testing.assert_allclose(bs.vjp(function, *args, jit=False)[0], function(*args), rtol=1e-11, atol=1e-13)
    assert_derivatives(function, args, jit=False)


@pytest.mark.compiles
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    function, args = FORMS[name]
    assert_derivatives(function, args, jit=True)


CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (np.pad, (A, ((1, 2), (2, 1)), "linear_ramp"), {"end_values": ((0.5, 0.0), (1.0, 2.0))}),
    (np.pad, (I, 2, "maximum"), {}),
    (np.pad, (A, ((1, 2), (2, 1)), "minimum"), {"stat_length": ((1, 2), (3, 9))}),
    (np.pad, (A.astype("float32"), 1, "mean"), {}),
    (np.pad, (A, 2, "median"), {}),
    (np.pad, (A, ((1, 2), (2, 1)), "reflect"), {"reflect_type": "odd"}),
    (np.pad, (I, 4, "symmetric"), {"reflect_type": "odd"}),
    (np.insert, (A, np.array([2, 2]), B[:, :1]), {"axis": 1}),
    (np.insert, (A, (-1, 0), 3), {"axis": 1}),
    (np.quantile, (I, 0.6), {"method": "inverted_cdf", "weights": I}),
    (np.percentile, (np.array([2.0, np.nan, 1.0]), (0, 50)), {"method": "inverted_cdf"}),
    (np.linalg.inv, (M.astype("complex128") * (1.0 + 0.5j),), {}),
    (np.linalg.det, (np.stack((M, M)),), {}),
    (np.linalg.solve, (M[:1], np.stack((Q, Q))), {}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0].__name__} {len(call[1])} {call[2]}")
def test_values_are_numpys(call):
    assert_as_numpy(*call)


REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "pad, a mode": (lambda v: np.sum(np.pad(v, 1, mode="other")), (V,), "none of NumPy's"),
    "pad, options": (
        lambda v: np.sum(np.pad(v, 1, mode="edge", stat_length=2)),
        (V,),
        "options that its mode",
    ),
    "flags": (lambda v: np.sum(v) * v.flags.owndata, (V,), "is about memory"),
    "issubdtype": (
        lambda v, k: np.sum(v) * np.issubdtype(k, np.integer),
        (V, 2),
        "asked of something other",
    ),
    "frompyfunc": (lambda v: np.frompyfunc(lambda t: t, 1, 1)(v) * 2.0, (V,), "objects of Python"),
    "view": (lambda v: np.sum(v.view(np.float32)), (V,), "computed from the bits of a float"),
    "copy": (lambda v: np.sum(v.copy("K")), (V,), "in the orders 'C' and 'F'"),
    "piecewise": (lambda v, k: np.piecewise(k, [k < 1], [v[0], v[1]]), (V, 2), "takes an array"),
    "insert": (lambda a: np.sum(np.insert(a, [0, 1], a[0], axis=0)), (A,), "an array with as many axes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(name):
    function, args, words = REFUSED[name]
    with refused(words, bs.BacksweepError) as caught:
        bs.grad(function, jit=False)(*args)
    assert "help: " in str(caught.value)


def test_items_outside_raise():
    for wrong in (lambda a: a.item(12), lambda a: a.item(-13), lambda a: a.item(0, 4)):
        with pytest.raises(IndexError, match="out of bounds"):
            bs.grad(wrong, jit=False)(A)
    with pytest.raises(ValueError, match="array of size 1"):
        bs.grad(lambda a: a.item(), jit=False)(A)
    with pytest.raises(ValueError, match="iterator too short"):
        bs.grad(lambda v: np.sum(np.fromiter((e for e in v), float, count=5)), jit=False)(V)


def _written_under_a_view(v):
    z = v * (1.0 + 1.0j)
    parts = z.view(np.float64)
    z[0] = 3.0
    return np.sum(parts * parts)


def test_views_of_arrays_that_are_written():
    with pytest.raises(bs.UnsupportedError, match="BS207"):
        bs.grad(_written_under_a_view, jit=False)(V)


def test_padding_that_numpy_extends_raises():
    with pytest.raises(ValueError, match="for a width within the axis"):
        bs.grad(lambda v: np.sum(np.pad(v, 4, mode="reflect", reflect_type="odd")), jit=False)(V)
