"""The two ways to call `vjp`, `jvp` and `hvp`, and calls that are refused: never a fault of Backsweep, never an error without words."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.support.refused import refused

X, V = np.array([1.0, 2.0]), np.array([0.5, -1.0])
vjp, jvp, hvp, grad = (functools.partial(each, jit=False) for each in (bs.vjp, bs.jvp, bs.hvp, bs.grad))


def cost(x, y=2.0):
    return np.sum(x * x) * y


def square(x):
    return x * x


def pair(x):
    return x[0] * x[1], x[0]


def constant():
    return 2.0


def test_vjp_in_both_ways() -> None:
    value, pullback = vjp(square)(3.0)
    assert (value, pullback(10.0)) == (9.0, 60.0)
    named = vjp(cost, wrt=("y",))(X, 3.0)
    assert named[1](1.0) == vjp(cost, X, 3.0, wrt=("y",))[1](1.0) == (5.0,)
    assert vjp(constant)[0] == 2.0  # a function without arguments is called


def test_jvp_in_both_ways() -> None:
    assert jvp(cost)((X, 3.0), (V, 1.0)) == jvp(cost, (X, 3.0), (V, 1.0)) == (15.0, -4.0)
    assert jvp(cost, wrt="x")([X], [V]) == jvp(cost, (X,), (V,), wrt="x") == (10.0, -6.0)
    assert jvp(cost, primals=(X,), tangents=(V,)) == (10.0, -6.0)


def test_hvp_in_both_ways() -> None:
    wanted = [2.0, -4.0]
    assert hvp(cost)((X,), (V,)).tolist() == hvp(cost, (X,), (V,)).tolist() == wanted
    assert (
        hvp(cost, primals=(X,), tangents=(V,)).tolist() == hvp(cost, (X,), tangents=(V,)).tolist() == wanted
    )
    both = [hvp(cost, (0, 1))((X, 2.0), (V, 1.0)), hvp(cost, (X, 2.0), (V, 1.0), argnums=(0, 1))]
    for by_x, by_y in both:
        assert by_x.tolist() == [4.0, 0.0]
        assert by_y == -3.0
    assert hvp(cost, (X, 2.0), (1.0,), wrt="y") == 0.0


def test_what_waits_for_its_arguments() -> None:
    waiting = bs.vjp(square)
    assert (repr(waiting), waiting.__name__) == ("<backsweep vjp of square>", "square")
    again = pickle.loads(pickle.dumps(vjp(square)))
    assert again(3.0)[1](1.0) == 6.0
    with pytest.raises(bs.SourceError, match="can be called from Python only"):
        grad(waiting)(1.0)


MISUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "BS113 no argument": (grad(cost), "missing a required argument"),
    "BS113 too many arguments": (lambda: grad(cost)(X, 1.0, 2.0), "too many positional arguments"),
    "BS113 another name": (lambda: grad(cost)(X, z=1.0), "unexpected keyword argument 'z'"),
    "BS113 twice": (lambda: grad(cost)(X, x=X), "multiple values for argument 'x'"),
    "BS113 of a pullback": (lambda: vjp(square, 1.0, 2.0), "too many positional arguments"),
    "BS113 of a tangent": (lambda: jvp(square, (1.0, 2.0), (1.0,)), "too many positional arguments"),
    "BS113 no primals": (lambda: jvp(square, (), ()), "missing a required argument"),
    "BS113 of a product": (lambda: hvp(square)((), ()), "missing a required argument"),
    "BS113 of a Jacobian": (bs.jacobian(square, jit=False), "missing a required argument"),
    "BS113 of a check": (lambda: bs.check_grads(cost, (X, 2.0, 3.0)), "too many positional arguments"),
    "BS113 of the source": (lambda: grad(cost).source(X, 1.0, 2.0), "too many positional arguments"),
    "BS404 an array for positions": (lambda: hvp(cost, (X,)), "argnums"),
    "BS404 no name": (lambda: vjp(cost, wrt=()), "nothing to differentiate"),
    "BS404 a name of nothing": (lambda: jvp(cost, wrt="q"), "no argument or variable `q`"),
    "BS406 no option": (lambda: jvp(cost, argnums=0), "no option `argnums`"),
    "BS407 several cotangents": (lambda: vjp(pair, X)[1](1.0, 1.0), "takes one cotangent.* got 2"),
    "BS407 no cotangent": (vjp(pair, X)[1], "takes one cotangent.* got none"),
    "BS407 words": (lambda: vjp(square, X)[1](np.array(["a", "b"])), "numbers.* not an array of `str_`"),
    "BS410 no tangents": (lambda: jvp(square, (1.0,)), "`tangents`, a tuple, is left out"),
    "BS410 no tangents of a product": (lambda: hvp(square)((1.0,)), "`tangents`, a tuple, is left out"),
    "BS410 three tuples": (lambda: jvp(square)((1.0,), (1.0,), ()), "got 3 arguments"),
    "BS410 numbers": (lambda: hvp(square, 1.0, 1.0), "`primals` must be a tuple, not a number"),
    "BS410 objects": (
        lambda: jvp(square, (X,), (np.array([None, None]),)),
        "numbers.* not an array of `object_`",
    ),
    "BS410 no floats": (lambda: jvp(square, (1,), (1,)), "no argument that is made of floats"),
    "BS001 None": (lambda: bs.hessian(None), "`None` has no Python source"),  # type: ignore[arg-type]
    "BS001 None for a product": (lambda: bs.hvp(None), "`None` has no Python source"),  # type: ignore[call-overload]
    "BS001 a number": (lambda: bs.vjp(3), "`3` has no Python source"),  # type: ignore[call-overload]
}


@pytest.mark.parametrize("case", MISUSED)
def test_misuse_is_refused_in_words(case: str) -> None:
    call, said = MISUSED[case]
    with refused(said, bs.BacksweepError) as caught:
        call()
    assert caught.value.problems[0].code == case.split(maxsplit=1)[0]
    assert caught.value.problems[0].remedy


@pytest.mark.compiles
def test_a_compiled_call_that_does_not_fit() -> None:
    slope = bs.grad(square)
    for given in ((), (1.0, 2.0)):
        with pytest.raises(bs.ArgumentError, match="the call does not fit `square`"):
            slope(*given)
    assert slope(3.0) == 6.0
