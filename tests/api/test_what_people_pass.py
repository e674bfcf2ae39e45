"""Dicts, lists and objects as arguments: the gradient has the argument's structure."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest
from numba.typed import List

import backsweep as bs
from tests.support.refused import refused

P = {"rate": 2.0, "table": np.array([1.0, 2.0]), "count": 3}


def by_key(p: Any, x: float) -> float:
    return p["rate"] ** p["count"] * x + np.sum(p["table"] ** 2)


@pytest.mark.parametrize("jit", [False, True])
def test_a_dict(jit: bool) -> None:
    gradient = bs.grad(by_key, jit=jit)(P, 0.5)
    assert list(gradient) == ["rate", "table", "count"]
    assert gradient["rate"] == 6.0
    assert gradient["table"].tolist() == [2.0, 4.0]
    value, (of_p, of_x) = bs.value_and_grad(by_key, argnums=(0, 1), jit=jit)(P, 0.5)
    assert (value, of_p["rate"], of_x) == (9.0, 6.0, 8.0)


def by_other_keys(p: Any, x: float) -> float:
    return p["rate of growth"] ** 3 * x + np.sum(p["more"][0] ** 2)


def test_products_with_the_hessian_have_the_structure_of_the_argument() -> None:
    direction = {"rate": 1.0, "table": np.array([1.0, 3.0]), "count": 0}
    product, of_x = bs.hvp(by_key, argnums=(0, 1), jit=False)((P, 0.5), (direction, 2.0))
    assert list(product) == ["rate", "table", "count"]
    assert (product["rate"], of_x) == (6.0 * 2.0 * 0.5 + 12.0 * 2.0, 12.0)
    assert product["table"].tolist() == [2.0, 6.0]
    p = {"rate of growth": 2.0, "more": [np.array([1.0])]}
    nested = bs.hvp(by_other_keys, jit=False)((p, 0.5), ({"rate of growth": 1.0, "more": [np.array([3.0])]},))
    assert nested["rate of growth"] == 6.0
    assert nested["more"][0].tolist() == [6.0]


def by_lookups(p: Any, x: float) -> float:
    total = 0.0
    for key in p:
        total += p[key]
    for key, value in p.items():
        if key == "a":
            total += value * value
    for value in p.values():
        total *= value
    if "c" in p:
        total += 100.0
    return total * p.get("c", x) + len(p) + (1.0 if "a" in p.keys() else 0.0)  # noqa: SIM118  as people write it


def test_what_dicts_are_asked_for() -> None:
    p = {"a": 2.0, "b": 3.0}
    value, gradient = bs.value_and_grad(by_lookups, jit=False)(p, 0.5)
    assert value == by_lookups(p, 0.5)
    step = 1e-6
    for key, item in p.items():
        more, less = ({**p, key: item + sign * step} for sign in (1, -1))
        slope = (by_lookups(more, 0.5) - by_lookups(less, 0.5)) / (2 * step)
        assert gradient[key] == pytest.approx(slope, rel=1e-7)


def keywords_taken(rate: float, offset: float) -> float:
    return rate * rate + offset


def by_keywords(p: Any) -> float:
    return keywords_taken(**p) + keywords_taken(**{**p, "offset": 2.0 * p["offset"]})


def local_dict(x: float) -> float:
    parts = {"a": x * x, "b": 3.0 * x, 2: x}
    more = {**parts, "b": x**3}
    return parts["a"] + more["b"] + more[2]


def test_keywords_and_dicts_of_the_function() -> None:
    assert bs.grad(by_keywords, jit=False)({"rate": 3.0, "offset": 1.0}) == {"rate": 12.0, "offset": 3.0}
    assert bs.grad(local_dict, jit=False)(2.0) == 17.0


def layers(params: Any, x: Any) -> float:
    for layer in params:
        x = np.tanh(layer["W"] @ x + layer["b"])
    return np.sum(x)


@pytest.mark.parametrize("jit", [False, True])
def test_a_network(jit: bool) -> None:
    rng = np.random.default_rng(0)
    params = [
        {"W": rng.normal(size=(3, 2)), "b": rng.normal(size=3)},
        {"W": rng.normal(size=(1, 3)), "b": np.zeros(1)},
    ]
    x = np.array([0.3, -0.4])
    gradient = bs.grad(layers, jit=jit)(params, x)
    assert isinstance(gradient, list)
    for k, key in ((0, "W"), (0, "b"), (1, "W"), (1, "b")):
        assert gradient[k][key].shape == params[k][key].shape
        direction = rng.normal(size=params[k][key].shape)
        slopes = []
        for sign in (1, -1):
            moved = [dict(layer) for layer in params]
            moved[k][key] = params[k][key] + sign * 1e-6 * direction
            slopes.append(layers(moved, x))
        assert np.sum(gradient[k][key] * direction) == pytest.approx((slopes[0] - slopes[1]) / 2e-6, rel=1e-6)


def of_list(p: Any, x: float) -> float:
    total = 0.0
    for i in range(len(p)):
        total += p[i] * x**i
    q = p + [x]  # noqa: RUF005  as people write it
    q.append(p[0] * 2.0)
    return total + q[-1] * q[-2] + sum(p)


@pytest.mark.parametrize("jit", [False, True])
def test_a_list(jit: bool) -> None:
    gradient = bs.grad(of_list, jit=jit)([1.0, 2.0, 3.0], 2.0)
    assert gradient == [1.0 + 4.0 + 1.0, 3.0, 5.0]


class Parameters(dict[str, float]):
    """Numbers by name, with more to them, as packages that fit models have them."""

    def __init__(self, *items: Any, scale: float = 2.0, **named: float) -> None:
        super().__init__(*items, **named)
        self.scale = scale

    def total(self, weight: float) -> float:
        return self["a"] + self["b"] * self.scale * weight


PARAMETERS = Parameters(a=1.5, b=2.5)


def of_parameters(p: Any, x: float) -> float:
    return sum(p.values()) * x + p["a"] ** 2


def of_global_parameters(x: float) -> Any:
    return PARAMETERS.total(x) * PARAMETERS.scale + PARAMETERS["b"]


def attribute_of_parameters(p: Any, x: float) -> Any:
    return p["a"] * x * p.scale


def method_of_parameters(p: Any, x: float) -> Any:
    return p.total(x)


def test_a_class_derived_from_dict() -> None:
    assert bs.grad(of_parameters, jit=False)(PARAMETERS, 2.0) == {"a": 5.0, "b": 2.0}
    assert bs.grad(of_global_parameters, jit=False)(3.0) == 10.0
    for function in (attribute_of_parameters, method_of_parameters):
        with pytest.raises(bs.UnsupportedError, match="derived from dict, the items are passed alone"):
            bs.grad(function, jit=False)(PARAMETERS, 2.0)


def squared(x: Any) -> Any:
    return x * x


class Shape(enum.Enum):
    FLAT = 1
    ROUND = 2


def shaped(x: float, kernel: Any = squared, outer: Any = np.sin, shape: Shape = Shape.ROUND) -> Any:
    return outer(kernel(x)) if shape is Shape.ROUND else kernel(x)


@pytest.mark.parametrize("jit", [False, True])
def test_functions_as_defaults(jit: bool) -> None:
    gradient = bs.grad(shaped, jit=jit)
    assert gradient(0.7) == pytest.approx(2.0 * 0.7 * np.cos(0.7**2))
    assert gradient(0.7, np.exp) == pytest.approx(np.exp(0.7) * np.cos(np.exp(0.7)))
    assert gradient(0.7, squared, np.sin, Shape.FLAT) == pytest.approx(1.4)


ROWS = np.arange(6.0).reshape(3, 2)
STORAGE = np.zeros(3)


def buffered(beta: Any, storage: Any = STORAGE) -> Any:
    np.dot(ROWS, beta, storage)
    storage[0] += beta[0]
    return np.sum(storage**2)


@pytest.mark.parametrize("jit", [False, True])
def test_a_buffer_as_default(jit: bool) -> None:
    """It is an array that the call gets: the gradient leaves it as it is, and reads what it holds at the call."""
    beta = np.array([0.5, -1.0])
    rows = ROWS + np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(bs.grad(buffered, jit=jit)(beta), 2.0 * rows.T @ (rows @ beta))
    assert not STORAGE.any()


MEMORY = np.ones(1)


def kept(x: float, memory: Any = MEMORY) -> float:
    memory[0] = memory[0] * x
    return memory[0] * x


def test_what_a_default_holds_is_read_at_each_call() -> None:
    gradient = bs.grad(kept, jit=False)
    assert gradient(3.0) == 6.0
    assert kept(3.0) == 9.0
    assert gradient(3.0) == 18.0


LONG = [0.1 * k for k in range(70)]


@pytest.mark.compiles
@pytest.mark.parametrize("given", [LONG, List(LONG[:3])], ids=["long", "typed"])
@pytest.mark.parametrize("jit", [False, True])
def test_a_list_of_any_length(given: Any, jit: bool) -> None:
    gradient = bs.grad(of_list, jit=jit)(given, 0.5)
    assert type(gradient) is type(given)
    wanted = [1.0 + 0.5**i for i in range(len(given))]
    wanted[0] += 1.0
    np.testing.assert_allclose(list(gradient), wanted, rtol=1e-12)


def scaled(p: Any, x: float) -> list[float]:
    return [v * v * x for v in p]


@pytest.mark.compiles
@pytest.mark.parametrize("given", [LONG, List(LONG[:3])], ids=["long", "typed"])
def test_pullbacks_and_products_of_a_list_of_any_length(given: Any) -> None:
    y, pullback = bs.vjp(scaled, given, 3.0)
    p_bar, x_bar = pullback(y)
    squares = [v * v for v in given]
    assert type(p_bar) is type(given)
    np.testing.assert_allclose(list(p_bar), [6.0 * a * b for a, b in zip(given, y, strict=True)], rtol=1e-12)
    assert x_bar == pytest.approx(sum(a * b for a, b in zip(squares, y, strict=True)))
    value, slope = bs.jvp(of_list, (given, 0.5), (given, 0.0))
    assert value == pytest.approx(of_list(list(given), 0.5))
    assert slope == pytest.approx(value)  # it is linear in the list
    rows = bs.jacobian(scaled)(given, 3.0)
    assert len(rows) == len(given)
    np.testing.assert_allclose(rows[2], [0.0, 0.0, 6.0 * given[2], *[0.0] * (len(given) - 3)], rtol=1e-12)
    curved = bs.hvp(lambda p: sum([v * v * v for v in p]))((given,), (given,))
    np.testing.assert_allclose(list(curved), [6.0 * v * v for v in given], rtol=1e-12)


def test_a_typed_list_of_other_things_is_refused() -> None:
    nested = List([List([1.0, 2.0])])
    with pytest.raises(bs.ArgumentError, match="is a list, which has no gradient"):
        bs.grad(lambda p: p[0][1] ** 2)(nested)
    with pytest.raises(bs.ArgumentError, match="without a type"):
        bs.grad(lambda p, x: x * len(p), argnums=1)(List(), 2.0)


class Spring:
    factor = 2.0

    def __init__(self, stiffness: float, length: float) -> None:
        self.stiffness = stiffness
        self.length = length
        self._private = object()

    def energy(self, x: float) -> float:
        return 0.5 * self.stiffness * (x - self.length) ** 2

    @property
    def half(self) -> float:
        return 0.5 * self.length


def of_object(spring: Any, x: float) -> float:
    return spring.energy(x) + spring.stiffness * spring.half * spring.factor


@pytest.mark.parametrize("jit", [False, True])
def test_an_object(jit: bool) -> None:
    gradient = bs.grad(of_object, jit=jit)(Spring(3.0, 1.0), 2.0)
    assert (gradient.stiffness, gradient.length) == (0.5 + 1.0, -3.0 + 3.0)
    assert bs.grad(Spring.energy, jit=jit)(Spring(3.0, 1.0), 2.0).stiffness == 0.5


def test_every_mode() -> None:
    _, pullback = bs.vjp(by_key, P, 0.5)
    assert pullback(1.0)[0]["rate"] == 6.0
    _, moved = bs.jvp(by_key, (P, 0.5), ({"rate": 1.0, "table": np.zeros(2), "count": 0}, 0.0))
    assert moved == 6.0
    bs.check_grads(by_key, (P, 0.5))


def test_other_keys_are_other_code() -> None:
    gradient = bs.grad(by_lookups, jit=False)
    assert list(gradient({"a": 2.0, "b": 3.0}, 0.5)) == ["a", "b"]
    assert list(gradient({"b": 2.0}, 0.5)) == ["b"]
    assert list(gradient({"odd key": 2.0, "class": 1.0, "_x": 3.0}, 0.5)) == ["odd key", "class", "_x"]


def test_refusals() -> None:
    def missing(p: Any) -> float:
        return p["rat"]

    def chosen(p: Any, x: float) -> float:
        q = {"rate": x} if x > 0.0 else p
        q["rate"] *= 2.0
        return q["rate"] + p["rate"]

    def compared(p: Any, x: float) -> float:
        return x if p == {"rate": x} else -x

    for function, args, message in (
        (compared, ({"rate": 2.0}, 2.0), "a dict is compared"),
        (missing, (P,), "has no key 'rat'"),
        (chosen, ({"rate": 2.0}, 1.0), "under another name"),
    ):
        with refused(message, bs.BacksweepError):
            bs.grad(function)(*args)


class Series:
    """What Backsweep asks of the series of pandas; without attributes that it could take apart."""

    __slots__ = ("data", "index")

    def __init__(self, data: Any, index: Any = None) -> None:
        self.data = np.asarray(data)
        self.index = index

    def to_numpy(self) -> Any:
        return self.data


def squares(x: Any) -> Any:
    return (x * x).sum()


def by_columns(d: Any) -> Any:
    return (d["a"] * d["b"]).sum()


def test_series_are_refused_and_what_is_told_works() -> None:
    x = Series([1.0, 2.0, 4.0], index=["a", "b", "c"])
    with pytest.raises(bs.ArgumentError) as caught:
        bs.grad(squares, jit=False)(x)
    remedy = caught.value.problems[0].remedy
    assert "x.to_numpy()" in remedy
    gradient = bs.grad(squares, jit=False)(x.to_numpy())
    again = Series(gradient, index=x.index)
    assert "Series(gradient, index=x.index)" in remedy
    assert again.to_numpy().tolist() == [2.0, 4.0, 8.0]


def test_series_and_frames_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    d = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    with pytest.raises(bs.ArgumentError, match=r"name: d\[name\].to_numpy\(\) for name in d"):
        bs.grad(by_columns, jit=False)(d)
    found = bs.grad(by_columns, jit=False)({name: d[name].to_numpy() for name in d})
    assert pandas.DataFrame(found).equals(pandas.DataFrame({"a": [3.0, 4.0], "b": [1.0, 2.0]}))
    with pytest.raises(bs.ArgumentError, match=r"Series\(gradient, index=x.index\)"):
        bs.grad(squares, jit=False)(d["a"])


def test_arrays_of_xarray() -> None:
    xarray = pytest.importorskip("xarray")
    x = xarray.DataArray(np.arange(3.0), dims="t")
    with pytest.raises(bs.ArgumentError, match=r"x.copy\(data=gradient\)"):
        bs.grad(squares, jit=False)(x)
    assert x.copy(data=bs.grad(squares, jit=False)(x.to_numpy())).sum() == 6.0
