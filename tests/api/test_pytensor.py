"""Functions of NumPy within PyTensor: their derivatives are those that PyTensor finds for the same formulas."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import backsweep as bs

pytensor = pytest.importorskip("pytensor", reason="PyTensor is not installed")
import pytensor.tensor as pt  # noqa: E402
from pytensor.gradient import DisconnectedInputError, hessian, pushforward, verify_grad  # noqa: E402

from backsweep.pytensor import op  # noqa: E402

X = np.array([0.3, -0.8, 1.1])
PLAIN = "FAST_COMPILE"


def wave(x, k, w):
    """Sums in place, a count, and a number."""
    h, t, out = 0.0, 0, np.zeros(x.size)
    while t < x.size:
        h = np.sin(w * h + x[t])
        out[t] = k * h
        t += 1
    return out, x.size, h


def ripple(x, w):
    return np.sum(np.sin(w * x) * x)


def derivatives(cost: Any, mode: str) -> list[Any]:
    """All kinds, at one place."""
    x, w, v = pt.dvector("x"), pt.dscalar("w"), pt.dvector("v")
    value = cost(x, w)
    by_w = pytensor.grad(value, w)
    wanted = [value, by_w, pytensor.grad(value, x), hessian(value, x), pytensor.grad(by_w, w)]
    wanted.append(pushforward(value, x, v))
    run = pytensor.function([x, w, v], wanted, mode=mode)
    found: list[Any] = run(X, 0.5, X[::-1])
    return found


def theirs(x: Any, w: Any) -> Any:
    return pt.sum(pt.sin(w * x) * x)


def test_derivatives_of_any_order() -> None:
    for one, other in zip(derivatives(op(ripple, jit=False), PLAIN), derivatives(theirs, PLAIN), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.turns(3)
@pytest.mark.compiles_many("PyTensor compiles what calls them")
def test_compiled_in_the_mode_of_numba() -> None:
    for one, other in zip(derivatives(op(ripple), "NUMBA"), derivatives(theirs, PLAIN), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    x, w = pt.dvector("x"), pt.dscalar("w")
    run = pytensor.function([x, w], op(wave)(x, 2, w), mode="NUMBA")
    for one, other in zip(run(X, 0.5), wave(X, 2, 0.5), strict=True):
        np.testing.assert_allclose(one, other)


def test_several_results() -> None:
    fn = op(wave, jit=False)
    x = pt.dvector("x", shape=(3,))
    out, count, h = fn(x, 2, 0.5)
    assert [each.type.shape for each in (out, count, h)] == [(None,), (), ()]
    assert [each.type.dtype for each in (out, count, h)] == ["float64", "int64", "float64"]
    known = op(wave, result=lambda x, k, w: (x, k, x[0]), jit=False)(x, 2, 0.5)
    assert known[0].type.shape == (3,)
    verify_grad(lambda x: fn(x, 2, 0.5)[0], [X], rng=np.random.default_rng(0), mode=PLAIN)
    verify_grad(lambda x: fn(x, 2, 0.5)[2], [X], rng=np.random.default_rng(0), mode=PLAIN)
    with pytest.raises(DisconnectedInputError):
        pytensor.grad(pt.sum(count) * 1.0, x)


class Pair(NamedTuple):
    """Two results."""

    total: Any
    scaled: Any


def test_arguments_and_results_of_parts() -> None:
    def energy(parameters, x, factor=2.0):
        first, second = parameters["pair"]
        return Pair(np.sum(first * x) * parameters["rate"] + second, factor * x)

    x, rate = pt.dvector("x"), pt.dscalar("rate")
    found = op(energy, jit=False)({"rate": rate, "pair": (X, 4.0)}, x=x)
    assert isinstance(found, Pair)
    slope = pytensor.function([rate, x], pytensor.grad(found.total, x), mode=PLAIN)
    np.testing.assert_allclose(slope(3.0, X), 3.0 * X)


def test_what_pytensor_does_not_hand_on() -> None:
    with pytest.raises(bs.ArgumentError, match="is given an object of type str"):
        op(ripple)("x", 0.5)
    with pytest.raises(bs.ArgumentError, match="is complex"):
        op(ripple)(pt.zvector("x"), 0.5)
    wrong = op(ripple, result=pt.dvector("y"), jit=False)
    with pytest.raises(bs.ArgumentError, match="`result` has 1 axes for a result of `ripple`, which has 0"):
        wrong(pt.dvector("x"), 0.5)
