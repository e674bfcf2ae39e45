"""Library functions without a rule: they are differentiated by the text with which Numba compiles them."""

# ruff: noqa: PLW0108  a library function itself has no text to differentiate
from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
import scipy.linalg as sl
import scipy.special as sp
from numba.extending import overload, register_jitable

import backsweep as bs
from tests.support import checking
from tests.support.refused import refused
from tests.support.sampled import turning

X = np.array([0.3, -0.9, 1.5, 0.7, -0.2, 1.1])
Y = np.array([0.7, 0.2, 1.1, -0.4, 0.9, 0.5])
P = np.array([0.8, 1.2, 0.6, 1.4, 0.9, 1.1])
V = np.array([0.4, 1.3, -0.7])
HOLES = np.array([0.3, np.nan, 1.5, 0.7, np.nan, 1.1])
A = np.array([[0.3, 0.9, 0.5], [0.8, 0.1, 0.6], [-0.4, 1.2, 0.2], [1.1, -0.3, 0.7]])
B = np.array([[1.3, 0.2, 0.4], [0.5, 0.7, 0.9], [0.1, -0.6, 0.8], [0.3, 1.4, -0.5]])
S = np.array([[4.3, 0.9, 0.5], [0.8, 3.1, 0.6], [-0.4, 1.2, 5.2]])
K = np.array([0, 3, 1])


def broadcast_in_a_list(v):
    rows = []
    for k in range(2):
        rows.append(np.broadcast_to(v[k : k + 1], (3,)))
    return rows[0] * rows[1]


SMOOTH: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "average": (lambda x: np.average(x), (X,)),
    "average, weighted": (lambda x, w: np.average(x, weights=w), (X, P)),
    "cov": (lambda a: np.cov(a), (A,)),
    "cov of two": (lambda x, y: np.cov(x, y), (X, Y)),
    "cov of columns": (lambda a: np.cov(a, rowvar=False), (A,)),
    "corrcoef": (lambda a: np.corrcoef(a), (A * A,)),
    "trapezoid": (lambda x: np.trapezoid(x), (X,)),
    "trapezoid over x": (lambda x, y: np.trapezoid(x, y), (X, Y)),
    "trapezoid, dx": (lambda x: np.trapezoid(x, dx=0.5), (X,)),
    "trapezoid of rows": (lambda a: np.trapezoid(a), (A,)),
    "convolve": (lambda x, v: np.convolve(x, v), (X, V)),
    "convolve, same": (lambda x, v: np.convolve(x, v, "same"), (X, V)),
    "convolve, valid": (lambda x, v: np.convolve(x, v, mode="valid"), (X, V)),
    "correlate, full": (lambda x, v: np.correlate(x, v, "full"), (X, V)),
    "delete": (lambda x: np.delete(x, 2), (X,)),
    "delete, several": (lambda x: np.delete(x, K), (X,)),
    "insert": (lambda x, v: np.insert(x, 2, v[0] * v[1]), (X, V)),
    "insert, several": (lambda x, v: np.insert(x, K, v), (X, V)),
    "vander": (lambda v: np.vander(v, 4), (V,)),
    "vander, increasing": (lambda v: np.vander(v, 3, increasing=True), (V,)),
    "diagflat": (lambda a: np.diagflat(a, 1), (A,)),
    "unwrap": (lambda x: np.unwrap(x * 5.0), (X,)),
    "logsumexp of a list": (
        lambda x, v: sp.logsumexp([x, 2.0 * x], axis=0) * sp.softmax([v[0], 1.0])[0],
        (X, V),
    ),
    "toeplitz of a list": (lambda v: sl.toeplitz([v[0], v[1], 2.0]), (V,)),
    "extract": (lambda x: np.extract(x > 0.0, x), (X,)),
    "resize": (lambda x: np.resize(x, (3, 3)), (X,)),
    "select": (lambda x: np.select((x > 1.0, x > 0.0), (x * x, x * 3.0), 0.5), (X,)),
    "nancumsum": (lambda x: np.nancumsum(x), (HOLES,)),
    "nancumprod": (lambda x: np.nancumprod(x), (HOLES,)),
    "polyadd": (lambda x, v: np.polynomial.polynomial.polyadd(x, v), (X, V)),
    "polymul": (lambda x, v: np.polynomial.polynomial.polymul(x, v), (X, V)),
    "cross": (lambda a, b: np.cross(a, b), (A, B)),
    "cross with constants": (lambda v: np.cross(np.array([1.0, 2.0, 3.0]), v), (V,)),
    "ediff1d": (lambda x: np.ediff1d(x, 1.0, 2.0), (X,)),
    "logspace": (lambda x: np.logspace(x[0], x[2], 5), (X,)),
    "geomspace": (lambda p: np.geomspace(p[0], p[1] + 2.0, 5), (P,)),
    "trim_zeros": (lambda x: np.trim_zeros(x), (X,)),
    "bincount": (lambda p: np.bincount(np.array([0, 1, 1, 3, 2, 1]), weights=p, minlength=6), (P,)),
    "nan_to_num": (lambda x: np.nan_to_num(x, nan=2.0), (HOLES,)),
    "nanmean": (lambda x: np.nanmean(x), (HOLES,)),
    "nanvar": (lambda x: np.nanvar(x, ddof=1), (HOLES,)),
    "nanstd": (lambda x: np.nanstd(x), (HOLES,)),
    "nanprod": (lambda x: np.nanprod(x), (HOLES,)),
    "polyval": (lambda x, v: np.polynomial.polynomial.polyval(x, v), (X, V)),
    "polyint": (lambda x: np.polynomial.polynomial.polyint(x, 2), (X,)),
    "matrix_power": (lambda s: np.linalg.matrix_power(s, 3), (S,)),
    "matrix_power, negative": (lambda s: np.linalg.matrix_power(s, -2), (S,)),
    "split": (lambda x: np.split(x, np.array([1, 3]))[1], (X,)),
    "dstack": (lambda x, y: np.dstack((x, y)), (X, Y)),
    "split into parts": (lambda x: np.split(x, 3)[1], (X,)),
    "array_split": (lambda x: np.array_split(x, 4)[1], (X,)),
    "hsplit": (lambda a: np.hsplit(a, 3)[1], (A,)),
    "moveaxis": (lambda a: np.moveaxis(a.reshape(2, 2, 3), 0, 2), (A,)),
    "partition of a stack": (lambda a: np.partition(a.reshape(2, 2, 3), 1), (A,)),
    "sums along an axis of the run": (lambda a: np.cumsum(a.reshape(2, 2, 3), a.shape[0] - 3), (A,)),
    "sums as another dtype": (lambda a: np.cumsum(a, a.shape[0] - 3, np.float64), (A,)),
    "split along an axis of the run": (lambda a: np.array_split(a, (1, 2), a.shape[0] - 3)[1], (A,)),
    "kaiser": (lambda v: np.kaiser(6, 8.0 + v[0]), (V,)),
    "interp of complex numbers": (lambda x, v: np.abs(np.interp(x * x, P[:3].cumsum(), v + 0.5j)), (X, V)),
    "interp of a number without axes": (lambda v: np.interp(np.array(v[0]), P[:3].cumsum(), v), (V,)),
    "nan_to_num, as told": (lambda x: np.nan_to_num(x * 1.0, x.size > 9, 2.0), (HOLES,)),
    "percentile at a place": (lambda x: np.percentile(x, 30.0 + x[0]), (X,)),
    "broadcast arrays in a list": (lambda v: broadcast_in_a_list(v), (V,)),
    "polyval without axes": (lambda v: np.polynomial.polynomial.polyval(np.array(v[0]), v), (V,)),
    "item without axes": (lambda x: np.array(x[0] * x[1]).item() * x, (X,)),
    "copies of numbers": (
        lambda x: x[0].copy() * x[1].tolist() * x[2].take(0) * x[3][()] * x[4][...] * x,
        (X,),
    ),
    "kinds of numbers": (
        lambda x: x[0].astype(float) * x * (x[1] > 0.0).astype("i8") + np.float32(2.7).astype(int) * x,
        (X,),
    ),
    "vectors of numbers": (
        lambda x: x[0].flatten() * x[1][None] * np.ones(1, x[2].dtype) * x.itemsize * x[0].itemsize,
        (X,),
    ),
    "item of a number": (lambda x: x[0].item() * np.float64(x[1]).item() * x, (X,)),
    "take along an axis": (lambda a: np.take(a, np.array([2, 0]), 1), (A,)),
    "take_along_axis": (lambda x: np.take_along_axis(x, K, 0), (X,)),
    "take_along_axis of rows": (lambda a: np.take_along_axis(a, np.array([[0], [2], [1], [1]]), 1), (A,)),
    "nanmedian": (lambda x: np.nanmedian(x), (HOLES,)),
    "percentile": (lambda x: np.percentile(x, np.array([10.0, 50.0, 80.0])), (X,)),
    "nanquantile": (lambda x: np.nanquantile(x, 0.3), (HOLES,)),
    "norm, largest singular value": (lambda s: np.linalg.norm(s, 2), (S,)),
    "lstsq": (lambda a, b: np.linalg.lstsq(a, b)[0], (A, B)),
    "sum, dtype": (lambda a: np.sum(a, dtype=np.float64), (A,)),
    "sum of rows, dtype": (lambda a: np.sum(a, axis=1, dtype=np.float64), (A,)),
    "take of two axes": (lambda a: np.take(a, K), (A,)),
    "cond": (lambda s: np.linalg.cond(s, 1), (S,)),
    "norm of rows": (lambda s: np.linalg.norm(s, np.inf), (S,)),
}
"""Programs that are smooth at the arguments."""
COMPILED = ("cov", "nanstd", "cross", "trapezoid", "convolve, same", "insert, several")


def holes_filled(tree: Any) -> Any:
    return checking.map_leaves(lambda leaf: np.nan_to_num(leaf), tree)


def assert_derivatives(function: Callable[..., Any], args: tuple[Any, ...], *, jit: bool) -> None:
    """Value, gradient and tangent of a function: against Python, differences, and one another."""
    where = tuple(range(len(args)))
    value, pull = bs.vjp(function, *args, jit=jit)
    expected = function(*checking.clone(args))
    checking.assert_close(value, expected)
    bar = checking.cotangent_like(expected)
    bars = pull(bar)
    bars = bars if isinstance(bars, tuple) else (bars,)
    reference = checking.reference(function, args, where, bar)
    checking.assert_close(bars, holes_filled(reference.gradient), reference.errors)
    dots = checking.cotangent_like(args, seed=1)
    _, tangent = bs.jvp(function, args, dots, jit=jit)
    one, other = checking.inner(bar, tangent), checking.inner(bars, dots)
    assert abs(one - other) <= 1e-9 * (1.0 + abs(one))


@pytest.mark.parametrize("name", turning(6, SMOOTH))
def test_derivatives(name):
    function, args = SMOOTH[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.compiles
@pytest.mark.turns(9)
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    function, args = SMOOTH[name]
    assert_derivatives(function, args, jit=True)


@pytest.mark.parametrize("name", turning(24, SMOOTH))
def test_second_order(name):
    function, args = SMOOTH[name]
    weights = checking.cotangent_like(function(*args))
    scalars = (
        lambda x: np.sum(np.sin(function(x)) * weights),
        lambda x, y: np.sum(np.sin(function(x, y)) * weights),
    )
    gradient = bs.grad(scalars[len(args) - 1], jit=False)
    direction = checking.cotangent_like(args[0], seed=2)
    nothing = tuple(np.zeros_like(given) for given in args[1:])

    def along(step):
        return checking.inner(np.nan_to_num(gradient(args[0] + step * direction, *args[1:])), direction)

    found = bs.jvp(gradient, args, (direction, *nothing), jit=False)[1]
    expected, error = checking.difference(along)
    got = checking.inner(np.nan_to_num(found), direction)
    assert abs(got - expected) <= 1e-7 * (1.0 + abs(expected)) + 10.0 * error


def scale(x):
    return 0.0 * x


@overload(scale)
def compiled_scale(x):
    if isinstance(x, numba.types.Array):
        return lambda x: 9.0 * x

    def scale_impl(x):
        return twice(x) + x

    return scale_impl


@register_jitable
def twice(x):
    return 2.0 * x


@numba.njit
def scaled(x):
    return scale(x) * x


def scaled_in_python(x):
    return scale(x) * x


@pytest.mark.compiles
def test_overload_of_a_third_party():
    assert bs.grad(scaled)(2.0) == 12.0
    assert bs.grad(lambda x: np.sum(scaled(x)))(np.array([2.0])) == [36.0]


@pytest.mark.compiles
def test_plain_function_means_the_body():
    assert bs.grad(scaled_in_python)(2.0) == 0.0


def test_emitted_text_names_the_function_that_was_called():
    text = bs.grad(lambda x: np.sum(np.trapezoid(x) ** 2)).source(X)
    assert "# np.trapezoid: y_ave = " in text


def test_refusal_tells_what_was_looked_at():
    with pytest.raises(bs.UnsupportedError) as caught:
        bs.grad(lambda x: np.sum(np.lib.stride_tricks.as_strided(x, (2, 2, 2), (8, 8, 8))))(V)
    told = str(caught.value)
    assert "`numpy.lib.stride_tricks.as_strided` has no derivative rule" in told
    assert "Numba's implementation for these types, `as_strided.<locals>.as_strided_impl`" in told
    assert "cannot be differentiated either: " in told
    assert "arrayobj.py" in told


def test_a_call_that_no_derivative_needs_stays():
    text = bs.grad(lambda x, y: np.sum(x * np.roots(y).real), wrt="x").source(V[:2], V)
    assert "np.roots(y)" in text


GLOBAL = (1,)


def test_shape_and_global_tuple():
    def column(a):
        return np.sum(np.sin(a.reshape(a.shape + GLOBAL)) * a.reshape(GLOBAL + a.shape)[0, 1, 2])

    bs.check_grads(column, (A,))


def smallest(x):
    it = np.nditer(x)
    least = next(it).item()
    for item in it:
        if item.item() < least:
            least = item[()]
    return least * x[0]


def paired(x):
    it = iter(x)
    return next(it) * next(it)


def of_type(x):
    kind = type(x[0])
    return kind(0.5) * x[0] + np.sin(x).dtype.type(2.0) * x[1] + np.finfo(np.sin(x).dtype).eps


def by_kind(x):
    y = np.cos(x)
    return y[0] if isinstance(y, np.ndarray) else y + None


@pytest.mark.compiles
@pytest.mark.parametrize("function", [smallest, paired, of_type, by_kind])
def test_iterators_and_types(function):
    bs.check_grads(function, (X,), modes=("rev", "fwd"))


def next_in_a_loop(x):
    it = iter(x)
    total = 0.0
    for _ in range(3):
        total += next(it)
    return total


def two_names(x):
    it = iter(x)
    other = it
    return next(it) * next(other)


def kept_flat(a):
    kept = a.T.flat
    a[0, 1] = 2.0
    return kept[1] * a[0, 0]


@pytest.mark.parametrize(
    ("function", "code", "args"),
    [(next_in_a_loop, "BS114", X), (two_names, "BS114", X), (kept_flat, "BS111", A)],
)
def test_refused(function, code, args):
    with pytest.raises(bs.UnsupportedError, match=code):
        bs.grad(function)(args)


@numba.njit
def partitioned(x):
    return np.partition(x, 2)


@pytest.mark.turns(5)
@pytest.mark.compiles
@pytest.mark.parametrize("seed", turning(6, range(4)))
def test_partition_follows_numba(seed):
    x = np.random.default_rng(seed).normal(size=7)
    value, pull = bs.vjp(partitioned, x)
    expected = partitioned(x)
    np.testing.assert_array_equal(value, expected)
    weights = np.arange(7.0)
    np.testing.assert_array_equal(pull(weights), weights[np.argsort(expected)][np.argsort(np.argsort(x))])


@numba.vectorize
def halves(x, y):
    return x * y if x > 0.0 else y * y


@numba.vectorize(["float64(float64, float64)"])
def declared(x, y):
    return x / 3 * y if x > 0.0 else y


@numba.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def doubled(x, out):
    for i in range(len(x)):
        out[i] = 2.0 * x[i]


@numba.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()")
def dotted(x, y, out):
    out[0] = 0.0
    for i in range(len(x)):
        out[0] += x[i] * y[i]


@numba.guvectorize(["void(float64[:], float64, float64[:, :])"], "(n),()->(n,n)")
def outer(x, c, out):
    for i in range(len(x)):
        for j in range(len(x)):
            out[i, j] = x[i] * x[j] * x[j] * c


@numba.vectorize
def of_five(a, b, c, d, e):
    return a * b + c * d * e


def generalised(v, a):
    return dotted(v, doubled(v)) * np.sum(outer(v, v[0]) * a) + of_five(v[0], v[1], 2.0, v[0], a[0, 1])


def vectorised(v, a):
    return np.sum(halves(v, a) ** 2) + np.sum(declared(a, 2)) + halves(v[0], a[0, 1])


@pytest.mark.compiles
@pytest.mark.parametrize("function", turning(3, [vectorised, numba.njit(vectorised)]))
def test_vectorize(function):
    bs.check_grads(function, (V, A), modes=("rev", "fwd"))


def test_vectorize_itself():
    """A `@vectorize` function is differentiated as it is, of numbers and of arrays; so is a part of it."""
    assert bs.grad(halves, argnums=(0, 1), jit=False)(0.4, 0.7) == pytest.approx((0.7, 0.4))
    assert bs.grad(functools.partial(halves, y=3.0), jit=False)(0.4) == pytest.approx(3.0)
    assert bs.jvp(halves, (0.4, 0.7), (1.0, 2.0), jit=False) == pytest.approx((0.28, 1.5))
    value, pull = bs.vjp(halves, V, 0.7, jit=False)
    np.testing.assert_allclose(value, halves(V, 0.7))
    by_v, by_number = pull(np.ones(V.size))
    np.testing.assert_allclose(by_v, np.where(V > 0.0, 0.7, 0.0))
    assert by_number == pytest.approx(np.sum(np.where(V > 0.0, V, 1.4)))


def test_guvectorize():
    """Such functions of arguments with the axes of their layout alone; and `@vectorize` functions of many numbers."""
    v, a = V[:3], np.arange(9.0).reshape(3, 3) / 7.0
    pull = bs.vjp(generalised, v, a, jit=False)[1]
    for got, leaf, place in zip(pull(1.0), (v, a), (0, 1), strict=True):
        for entry in np.ndindex(leaf.shape):
            moved = np.zeros(leaf.shape)
            moved[entry] = 1e-6
            up, down = ((v + moved, a), (v - moved, a)) if place == 0 else ((v, a + moved), (v, a - moved))
            assert got[entry] == pytest.approx(
                (generalised(*up) - generalised(*down)) / 2e-6, rel=1e-5, abs=1e-6
            )


@numba.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),()->(n)")
def stretched(x, c, out):
    for i in range(len(x)):
        out[i] = x[i] * c[0] * c[0]


@numba.guvectorize(
    ["void(int64[:], int64[:], float64[:])", "void(float64[:], float64[:], float64[:])"], "(n)->(n),()"
)
def both(x, out, total):
    total[0] = 0.0
    for i in range(len(x)):
        out[i] = x[i] * x[0]
        total[0] += x[i] * x[i]


@numba.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def with_neighbour(x, out):
    for i in range(1, len(x)):
        out[i] = x[i] * x[i - 1]


def of_rows(v, a):
    """The cores are the rows, stretched against each other; whole numbers are cast."""
    rows, totals = both(a[:3])
    whole, count = both(np.arange(3))
    return (
        np.sum(dotted(a.reshape(2, 2, 3), v) * dotted(a[:2], v))
        + np.sum(stretched(a[:3], v) * stretched(v, 0.5))
        + np.sum(rows * whole * count)
        + np.sum(outer(a[:2], v[:2])) * np.sum(totals)
    )


def in_place(v, a):
    """A result that is given is the argument, too: the argument's values are those before the call."""
    b, totals, out = a * 2.0, np.zeros(4), np.zeros((2, 4, 3))
    with_neighbour(b, b)
    dotted(b, v, totals)
    stretched(b, totals, out)
    stretched(out, 1.5, out)
    declared(v, 0.7, v * 1.0)
    return np.sum(out * out)


def stored(v, a):
    c = np.zeros((4, 3))
    declared(a, v, c)
    return np.sum(c * c)


@pytest.mark.parametrize("function", [of_rows, in_place, stored])
def test_cores_of_further_axes(function):
    """Calls of `@guvectorize` functions with more axes than their layout names, and with arguments for the results."""
    before = function(V, A)
    pull = bs.vjp(function, V, A, jit=False)[1]
    rng = np.random.default_rng(3)
    moves = rng.normal(size=V.shape), rng.normal(size=A.shape)

    def moved(step):
        return function(V + step * moves[0], A + step * moves[1])

    got = sum(np.sum(one * other) for one, other in zip(pull(1.0), moves, strict=True))
    assert got == pytest.approx((moved(1e-6) - moved(-1e-6)) / 2e-6, rel=1e-6)
    assert bs.vjp(function, V, A, jit=False)[0] == pytest.approx(before, rel=1e-14)


@numba.njit
def compiled(v, a):
    b, totals, out = a * 2.0, np.zeros(4), np.zeros((4, 3, 3))
    with_neighbour(b, b)
    dotted(b, v, totals)
    outer(b, totals, out)
    return np.sum(out * out)


@pytest.mark.compiles
@pytest.mark.turns(3)
def test_compiled_cores_of_further_axes():
    bs.check_grads(compiled, (V, A))
    assert compiled(V, A) == pytest.approx(bs.value_and_grad(compiled)(V, A)[0], rel=1e-12)


def test_cores_of_different_lengths():
    with pytest.raises(ValueError, match="axes n of arguments differ in length"):
        bs.grad(lambda v, a: np.sum(dotted(a, v)), jit=False)(V[:2], A)


def along_columns(x):
    return np.sum(doubled(np.outer(x, x), axis=0))


def count_kept(x):
    numbers = itertools.count()
    return x[0] * next(numbers)


def broadcast_kept(x):
    kept = []
    for _ in range(2):
        kept.append(np.broadcast_to(x, (3, 6)))
    x[0] = 2.0 * x[1]
    return np.sum(kept[0]) + np.sum(kept[1])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (along_columns, "`@guvectorize` function"),
        (broadcast_kept, "np.broadcast_to"),
        (count_kept, "`itertools.count` makes an iterator, which cannot be kept"),
    ],
)
def test_refused_in_words(function, message):
    with refused(message):
        bs.grad(function)(X)


def test_distribution_of_a_package():
    norm = pytest.importorskip("numba_stats.norm")

    def cost(x, mu, sigma):
        return -np.sum(norm.logpdf(x, mu, sigma)) + np.sum(norm.cdf(x, mu, sigma))

    bs.check_grads(cost, (X, 0.1, 0.9))
    bs.check_grads(numba.njit(cost), (X, 0.1, 0.9))


def test_differences_of_order_zero_are_a_view():
    def written_later(a):
        b = a * 1.0
        same = np.diff(b, n=0)
        b[0] = 3.0 * a[1]
        return np.sum(same * same)

    bs.check_grads(written_later, (A[0],))


def test_products_of_all_entries_and_triangles_of_stacks():
    def entries(a, x):
        cube = np.reshape(np.outer(a, x), (2, 2, 3))
        z = np.outer(x + 1j * x[::-1], a[0])
        return np.sum(np.tril(cube) ** 2) + np.sum(np.triu(cube, 1) * a[0]) + np.sum(np.abs(z) ** 2)

    bs.check_grads(entries, (A[:2], V[:2]))


def truth_of_an_entry(x):
    return x[0] * x[0] if (x[0] > 0.0) is True else x[1]


@numba.njit
def truth_for_numba(x):
    return x[0] * x[0] if (x[0] > 0.0) is True else x[1]


def carried_truth(x):
    done, s, k = False, 0.0, 0
    while not done:
        s, k = s + x[k] ** 2, k + 1
        done = np.all(x[:k] > 0.0) if k < 3 else True
        if done is True:
            s *= 2.0
    return s


def joined_truth(x):
    large = False
    if x[0] > 0.1:
        large = x[0] > x[1]
    return x[2] if large is False else x[3]


def flag_of_pythons(x):
    found = False
    for k in range(x.size):
        if x[k] > 0.4:
            found = True
        if found is True:
            return x[k] ** 2
    return 0.0


def number_or_none(x):
    found = None
    for i in range(2):
        if x[i] > 1.0:
            found = i
    return x[0] if found is True else 2.0 * x[1] if found == 1 else x[2] * x[3]


def test_truths_by_identity():
    """In Python what NumPy gives is never True itself; what may be None is compared, too."""
    for function in (truth_of_an_entry, carried_truth, joined_truth):
        with refused("a truth of NumPy's is compared by identity"):
            bs.grad(function)(X)
    assert bs.value_and_grad(flag_of_pythons, jit=False)(X)[0] == flag_of_pythons(X)
    np.testing.assert_array_equal(bs.grad(truth_for_numba, jit=False)(X), [0.6, 0.0, 0.0, 0.0, 0.0, 0.0])
    for x in (X, 2.0 * P):
        assert bs.value_and_grad(number_or_none, jit=False)(x)[0] == number_or_none(x)
    product = bs.value_and_grad(lambda x, y: x * y if (x > 0.0) is True else y, jit=False)
    assert product(0.7, 1.3) == (0.7 * 1.3, 1.3)
