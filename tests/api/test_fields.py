"""Gradients with respect to one field of an argument: of a dict, a namedtuple, a dataclass, an object."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import backsweep as bs

X = np.array([0.7, 0.2])


class Spring:
    def __init__(self, k: float, mass: float) -> None:
        self.k = k
        self.mass = mass

    def energy(self, x: Any) -> Any:
        return 0.5 * self.k * (x * x).sum() + self.mass * self.k


@dataclasses.dataclass
class Layer:
    w: Any
    b: float

    def of(self, x: Any) -> Any:
        return np.tanh(self.w * x + self.b)


@dataclasses.dataclass
class Net:
    first: Layer
    scale: float
    depth: int = 2


class Pair(NamedTuple):
    a: Any
    b: Any


def of_dict(params: Any, x: Any) -> Any:
    return params["rate"] * (x * x).sum() + params["rate"] * params["shift"]


def of_net(net: Any, x: Any) -> Any:
    return net.scale * net.first.of(x).sum() * net.first.w.sum() * net.depth + net.scale


def power(p: Any, n: Any) -> Any:
    if n == 0:
        return p.a
    return p.b * power(p, n - 1)


def handed_on(p: Any) -> Any:
    both = (p, 2.0)
    return both[0].a * p.b, p


NET = Net(Layer(np.array([0.3, 0.4]), 0.1), 1.5)


def test_a_field_of_an_object() -> None:
    spring = Spring(2.0, 3.0)
    whole = bs.grad(Spring.energy, wrt="self", jit=False)(spring, X)
    assert bs.grad(Spring.energy, wrt="self.k", jit=False)(spring, X) == pytest.approx(whole.k)
    assert whole.k == pytest.approx(0.5 * (X * X).sum() + 3.0)


def test_an_item_of_a_dict() -> None:
    params = {"rate": 2.0, "shift": 1.0}
    value, gradient = bs.value_and_grad(of_dict, wrt=("params.rate", "x"), jit=False)(params, X)
    assert value == pytest.approx(of_dict(params, X))
    assert gradient.params_rate == pytest.approx((X * X).sum() + 1.0)
    np.testing.assert_allclose(gradient.x, 4.0 * X)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiles)])
def test_fields_of_fields(jit: bool) -> None:
    whole = bs.grad(of_net, jit=False)(NET, X)
    w, scale = bs.grad(of_net, wrt=("net.first.w", "net.scale"), jit=jit)(NET, X)
    np.testing.assert_allclose(w, whole.first.w)
    assert scale == pytest.approx(whole.scale)


def test_the_whole_argument_is_used_too() -> None:
    assert bs.grad(power, wrt="p.b", jit=False)(Pair(2.0, 3.0), 3) == pytest.approx(54.0)
    _, pullback = bs.vjp(handed_on, Pair(2.0, 3.0), wrt="p.a", jit=False)
    assert pullback((1.0, Pair(10.0, 100.0))) == pytest.approx(13.0)
    both = bs.grad(power, wrt=("p.a", "p"), jit=False)(Pair(2.0, 3.0), 2)
    assert both == (9.0, Pair(9.0, 12.0))


def test_hooks_see_fields() -> None:
    doubled = bs.grad(power, wrt="p.a", hooks={"p.a": lambda adjoint: 2.0 * adjoint}, jit=False)
    assert doubled(Pair(2.0, 3.0), 1) == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("wrt", "message"), [("net.depth", "int64"), ("net.first", "name its items"), ("net.bias", "fields")]
)
def test_what_is_refused(wrt: str, message: str) -> None:
    with pytest.raises(bs.ArgumentError, match=message):
        bs.grad(of_net, wrt=wrt, jit=False)(NET, X)
    with pytest.raises(bs.ArgumentError, match="method of the class"):
        bs.grad(Spring(1.0, 2.0).energy, wrt="self.k", jit=False)(X)
