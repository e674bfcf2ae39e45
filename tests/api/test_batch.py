"""`bs.batch`: the same as a call for each example, with derivatives both ways round."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import backsweep as bs
from tests.support import checking

RANDOM = np.random.default_rng(0)
W, X, Y = RANDOM.normal(size=(3, 4)), RANDOM.normal(size=(6, 4)), RANDOM.normal(size=(6, 3))


def loss(w, x, y):
    return np.sum((np.tanh(w @ x) - y) ** 2)


def steps(x, factor):
    count = 0
    while abs(x) < 100.0:
        x = x * factor
        count += 1
    return x, count


def ramp(x, n):
    out = np.zeros(n)
    for i in range(n):
        out[i] = x * i
    return out


def pair(p, s):
    return p[0] * p[1] + s


def local(x):
    def scaled(y):
        return y * x

    return scaled(3.0)


SLOPE, BOTH = bs.grad(loss), bs.value_and_grad(loss, wrt=("w", "x"))
CASES: dict[str, tuple[Callable[..., Any], Any, tuple[Any, ...]]] = {
    "numbers": (loss, (None, 0, 0), (W, X, Y)),
    "strided": (loss, (None, 0, 0), (W, X[::2], Y[::2])),
    "last axis": (loss, (None, -1, 1), (W, X.T.copy(), Y.T)),
    "gradients": (SLOPE, (None, 0, 0), (W, X, Y)),
    "values and gradients": (BOTH, (None, 0, 0), (W, X, Y)),
    "hessians": (bs.hessian(loss, 1), (None, 0, 0), (W, X, Y)),
    "while": (steps, (0, None), (X[0], 1.5)),
    "extent by a number": (ramp, (0,), (X[0], 3)),
    "extent that is computed": (lambda x: np.cumsum(x)[1:], 0, (X,)),
    "extent that the run decides": (lambda x: x[x > -10.0] * 2.0, 0, (X,)),
    "tuple": (pair, 0, ((X[:, 0], X[:, 1]), X[:, 2])),
    "items of a tuple": (pair, ((0, None), None), ((X[:, 0], 2.0), 1.0)),
    "dtypes": (lambda x: (x > 0, x * 1j, np.float32(x)), 0, (X[0],)),
    "default": (lambda x, k=2.0: x * k, (0,), (X[0],)),
    "names of ours": (lambda each, k, out, count, first: each * k + out + count * first, 0, tuple(X[:5])),
    "any number of arguments": (lambda *each: np.sum(each[0]) * each[1], 0, (X, Y[:, 0])),
    "closure": (local, 0, (X[0],)),
    "an argument returned": (lambda x: (x * 2.0, x), 0, (X,)),
}


def example(argument: Any, axis: Any, k: int) -> Any:
    """The argument of an example."""
    if axis is None:
        return argument
    if isinstance(argument, tuple):
        axes = axis if isinstance(axis, tuple) else (axis,) * len(argument)
        return tuple(example(part, one, k) for part, one in zip(argument, axes, strict=True))
    return np.take(argument, k, axis)


def one_by_one(function: Callable[..., Any], axes: Any, args: tuple[Any, ...]) -> Any:
    """What the batch gives, by a call for each example."""
    each = axes if isinstance(axes, tuple) else (axes,) * len(args)
    each = (*each, *(None,) * (len(args) - len(each)))
    found = []
    for k in range(100):
        try:
            given = [example(argument, axis, k) for argument, axis in zip(args, each, strict=True)]
        except IndexError:
            break
        found.append(function(*given))
    return joined(found)


def joined(results: list[Any]) -> Any:
    """The results of examples, as arrays."""
    if isinstance(results[0], tuple):
        return tuple(joined([result[k] for result in results]) for k in range(len(results[0])))
    return np.array(results)


@pytest.mark.parametrize("name", CASES)
def test_as_one_by_one(name: str) -> None:
    function, axes, args = CASES[name]
    got, expected = bs.batch(function, axes, jit=False)(*args), one_by_one(function, axes, args)
    for one, other in zip(checking.leaves(got), checking.leaves(expected), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.compiles
@pytest.mark.turns(8)
def test_compiled() -> None:
    got = bs.batch(BOTH, (None, 0, 0))(W, X, Y)
    assert type(got[1])._fields == ("w", "x")
    checking.assert_close(got, one_by_one(BOTH, (None, 0, 0), (W, X, Y)))


def test_derivatives_of_batches() -> None:
    """Gradients, tangents and Jacobians of a batch, which may be made in the function; a batch of a batch."""
    losses = bs.batch(loss, (None, 0, 0))

    def total(w, x, y):
        return np.sum(losses(w, x, y))

    def squares(w, x, y):
        return np.sum(bs.batch(loss, (None, 0, 0))(w, x, y) ** 2)

    slopes = one_by_one(SLOPE, (None, 0, 0), (W, X, Y))
    values = one_by_one(loss, (None, 0, 0), (W, X, Y))
    np.testing.assert_allclose(bs.grad(total, jit=False)(W, X, Y), slopes.sum(0))
    expected = np.sum(2.0 * values[:, None, None] * slopes, 0)
    np.testing.assert_allclose(bs.grad(squares, jit=False)(W, X, Y), expected)
    np.testing.assert_allclose(bs.jacobian(losses, jit=False)(W, X, Y), slopes)
    _, tangent = bs.jvp(losses, (W, X, Y), (np.ones_like(W), 0.0 * X, 0.0 * Y), jit=False)
    np.testing.assert_allclose(tangent, slopes.sum((1, 2)))
    products = bs.batch(bs.batch(lambda a, b: a * b, (0, None)), (None, 0), jit=False)(X[0], Y[0])
    np.testing.assert_array_equal(products, np.outer(Y[0], X[0]))
    np.testing.assert_array_equal(bs.batch(np.exp, -1, 1, jit=False)(X.T), np.exp(X.T))


@dataclasses.dataclass
class Layer:
    w: Any
    b: Any


class Named(NamedTuple):
    w: Any
    b: Any


def of_attributes(p, x):
    return np.tanh(p.w @ x + p.b)


def of_keys(p, x):
    return np.tanh(p["w"] @ x + p["b"])


def of_items(p, x):
    return np.tanh(p[0] @ x + p[1])


def parts(given: Any) -> list[Any]:
    if isinstance(given, dict):
        return list(given.values())
    return list(vars(given).values()) if dataclasses.is_dataclass(given) else list(given)


@pytest.mark.parametrize(
    ("function", "made"),
    [
        (of_attributes, Layer),
        (of_attributes, Named),
        (of_keys, lambda w, b: {"w": w, "b": b}),
        (of_items, lambda w, b: [w, b]),
        (of_items, lambda w, b: (w, b)),
    ],
    ids=["dataclass", "namedtuple", "dict", "list", "tuple"],
)
def test_objects(function: Callable[..., Any], made: Callable[..., Any]) -> None:
    """Parameters that all examples share, or that each has of its own, in any structure; gradients have it, too."""
    shared, own, slopes = made(W[0], 0.3), made(X, X[:, 0]), bs.grad(function, jit=False)
    each = [slopes(shared, x) for x in X]
    got = bs.batch(bs.grad(function), (None, 0), jit=False)(shared, X)
    assert type(got) is type(shared)
    for part, expected in zip(parts(got), zip(*map(parts, each), strict=True), strict=True):
        np.testing.assert_allclose(part, expected)
    values = bs.batch(function, jit=False)(own, X)
    np.testing.assert_allclose(values, [function(made(x, x[0]), x) for x in X])

    def total(p, x):
        return np.sum(bs.batch(function, (None, 0))(p, x))

    for part, expected in zip(parts(bs.grad(total, jit=False)(shared, X)), parts(got), strict=True):
        np.testing.assert_allclose(part, np.sum(expected, 0))
    assert "example.shape" not in str(bs.batch(bs.grad(function), (None, 0), jit=False).source(shared, X))


def test_batches_without_examples() -> None:
    assert bs.batch(lambda x: 2.0 * x, jit=False)(np.zeros(0)).shape == (0,)
    assert bs.batch(lambda x: 2.0 * x, jit=False)(np.zeros((0, 3))).shape == (0, 3)
    with pytest.raises(ValueError, match="a batch without an example has no shape"):
        bs.batch(lambda x: x[x > 0.0], jit=False)(np.zeros((0, 3)))


def test_shapes_that_differ() -> None:
    """No example is stretched to the shape of the first one."""
    beginnings = bs.batch(lambda x, n: x[:n] * 2.0, jit=False)
    assert beginnings(X, np.full(6, 2)).shape == (6, 2)
    with pytest.raises(ValueError, match="returns arrays of different shapes for the examples"):
        beginnings(X, np.array([3, 1, 1, 1, 1, 1]))
    pairs = bs.batch(lambda x, n: (x[0], x[:n]), jit=False)
    with pytest.raises(ValueError, match="returns arrays of different shapes for the examples"):
        pairs(X, np.array([3, 1, 1, 1, 1, 1]))


def test_extents_are_assumed() -> None:
    """As those of a function without a batch are: nothing is stretched, and small products are loops of known length."""
    slopes = bs.batch(SLOPE, (None, 0, 0))
    text = str(slopes.source(W, X, Y))
    assert "stretched" not in text
    assert "this code is for x.shape[1] == w.shape[1]" in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bs.batch(loss, (None, 0, 0))(W, X, Y[:3]), "y.shape.0. is another number of examples"),
        (lambda: bs.batch(loss, None)(W, X[0], Y[0]), "in_axes is None for every argument"),
        (lambda: bs.batch(loss, (0, 0, 2))(W, X, Y), "in_axes has 2 for `y`, which is an array with 2 axes"),
        (lambda: bs.batch(loss, "rows"), "in_axes holds 'rows'"),
        (lambda: bs.batch(loss, out_axes=1.0), "out_axes is 1.0"),
        (lambda: bs.batch(loss, (None, 0, 0), (0, 0))(W, X, Y), "out_axes is a tuple where"),
        (lambda: bs.batch(np.sin, (0, None))(X), "in_axes has 2 entries, and the function has 1 argument"),
        (lambda: bs.batch(steps, (0, None), (0, 0, 0))(X[0], 2.0), "out_axes has 3 entries, and `steps`"),
        (lambda: bs.batch(steps, (0, None), 1)(X[0], 2.0), "out_axes has 1, and the results of all examples"),
    ],
)
def test_what_does_not_fit(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, bs.ArgumentError), match=message):
        call()


def test_explained() -> None:
    """A batch is no derivative: its explanation tells of its loop alone."""
    explained = bs.batch(loss, (None, 0, 0)).explain(W, X, Y)
    assert [loop.parallel for loop in explained.loops] == [True]
    assert str(explained).startswith("loss (test_batch.py:")
    assert "runs on all cores: each writes where no other does" in str(explained)


def test_products_of_batches() -> None:
    """`jvp` is called from Python only, so it stands around the batch; the error says so."""
    with pytest.raises(bs.BacksweepError, match=r"bs\.jvp\(bs\.batch\(f\)\)"):
        bs.batch(bs.jvp(loss), (None, 0, 0))
