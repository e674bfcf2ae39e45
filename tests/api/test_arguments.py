"""What a call hands over beside numbers and arrays: functions and strings are fixed, dataclasses taken apart."""

from __future__ import annotations

import dataclasses
import enum
import pickle
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.specialise import arguments
from tests.support import checking


@dataclasses.dataclass
class Layer:
    weights: np.ndarray
    bias: float
    kind: str = "plain"
    power: int = 2


class Pair(NamedTuple):
    first: Layer
    scale: float


class Unit(enum.Enum):
    METRE = 1
    FOOT = 2


def square(t: Any) -> Any:
    return t * t


def applied(layer: Any, activation: Any, x: Any, *, scale: float = 2.0) -> Any:
    y = activation(layer.weights @ x + layer.bias) * scale
    if layer.kind == "squared":
        y = y**layer.power
    return y


def layer(kind: str = "plain") -> Layer:
    return Layer(np.array([0.3, 0.5, -0.2]), 0.1, kind)


X = np.array([0.7, 0.2, 1.1])


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("kind", ["plain", "squared"])
@pytest.mark.parametrize("activation", [np.tanh, square, lambda t: t * 3.0])
def test_gradient_is_a_dataclass(activation: Any, kind: str, jit: bool) -> None:
    value, gradient = bs.value_and_grad(applied, jit=jit)(layer(kind), activation, X)
    assert value == pytest.approx(applied(layer(kind), activation, X))
    assert isinstance(gradient, Layer) and gradient.kind == kind
    checking.assert_gradient(gradient, applied, (layer(kind), activation, X), 0)


@pytest.mark.parametrize("jit", [False, True])
def test_several_gradients(jit: bool) -> None:
    found = bs.grad(applied, wrt=("layer", "x"), jit=jit)(layer(), np.tanh, x=X, scale=3.0)
    assert found._fields == ("layer", "x") and isinstance(found.layer, Layer)
    expected = bs.grad(lambda w, b, x: np.tanh(w @ x + b) * 3.0, argnums=(0, 1, 2))(layer().weights, 0.1, X)
    checking.assert_close((found.layer.weights, found.layer.bias, found.x), expected)


@pytest.mark.parametrize("jit", [False, True])
def test_pullback_of_a_dataclass(jit: bool) -> None:
    value, pullback = bs.vjp(applied, layer(), np.tanh, X, jit=jit)
    first, of_x = pullback(1.0)
    assert isinstance(first, Layer)
    assert pullback(2.0)[0].bias == pytest.approx(2.0 * first.bias)
    assert of_x.shape == X.shape and value == pytest.approx(applied(layer(), np.tanh, X))


def test_dataclass_within_a_namedtuple() -> None:
    def loss(pair: Any) -> Any:
        return pair.scale * pair.first.bias * pair.first.weights.sum()

    args = (Pair(layer(), 0.4),)
    checking.assert_gradient(bs.grad(loss)(*args), loss, args, 0)


def test_gradient_of_a_gradient_with_functions_and_strings() -> None:
    def f(x: Any, g: Any, kind: Any) -> Any:
        return g(x) * x if kind == "times" else g(x)

    second = bs.grad(bs.grad(f))
    assert second(0.5, square, "times") == pytest.approx(3.0)
    assert second(0.5, square, "plain") == pytest.approx(2.0)


def test_each_string_and_enum_has_its_own_code() -> None:
    def f(x: Any, kind: Any, unit: Any) -> Any:
        y = x * x if kind == "square" else x
        return y * 0.3 if unit == Unit.FOOT else y

    df = bs.grad(f)
    assert [df(3.0, "square", Unit.METRE), df(3.0, "plain", Unit.METRE)] == [6.0, 1.0]
    assert df(3.0, "square", unit=Unit.FOOT) == pytest.approx(1.8)
    assert "    if " not in df.source(3.0, "square", Unit.FOOT)
    assert df.source() == df.source(3.0, "square", Unit.FOOT)


@pytest.mark.compiles_many("each set of fixed arguments has code of its own")
def test_numbers_before_and_after_strings() -> None:
    def f(x: Any, scale: Any = None) -> Any:
        if scale == "twice":
            return 2.0 * x * x
        return x * x if scale is None else scale * x * x

    df = bs.grad(f)
    assert [df(1.0), df(1.0, "twice"), df(1.0, 3.0), df(1.0, None), df(1.0)] == [2.0, 4.0, 6.0, 2.0, 2.0]


@pytest.mark.compiles_many("each number of arguments has code of its own")
@pytest.mark.parametrize("jit", [False, True])
def test_star_arguments_are_one_tuple(jit: bool) -> None:
    def f(x: Any, *items: Any) -> Any:
        for item in items:
            x = x * item
        return x

    assert bs.grad(f, jit=jit)(2.0) == 1.0
    assert bs.grad(f, jit=jit)(2.0, 3.0, 4.0) == 12.0
    assert bs.grad(f, wrt="items", jit=jit)(2.0, 3.0, 4.0) == (8.0, 6.0)
    _, pullback = bs.vjp(f, 2.0, 3.0, 4.0, jit=jit)
    assert pullback(1.0) == (12.0, (8.0, 6.0))
    _, pullback = bs.vjp(f, 2.0, 3, 4.0, jit=jit)
    assert pullback(1.0) == (12.0, (0, 6.0))
    _, pullback = bs.vjp(f, 2, 3, 4.0, jit=jit)
    assert pullback(1.0) == (0, 6.0)
    assert bs.jvp(f, (2.0, 3, 4.0), (1.0, (0, 1.0)), jit=jit) == (24.0, 18.0)


def test_keyword_only_parameters() -> None:
    def f(x: Any, *, scale: float = 2.0, kind: str = "plain") -> Any:
        return x * x * scale if kind == "plain" else x * scale

    df = bs.grad(f)
    assert [df(1.0), df(1.0, scale=3.0), df(1.0, kind="linear")] == [4.0, 6.0, 2.0]
    assert bs.grad(f, wrt="scale")(3.0, scale=2.0) == 9.0


def test_compiled_functions_as_arguments_from_compiled_code() -> None:
    compiled_square = numba.njit(square)
    df = bs.grad(lambda f, x: f(x) * x, argnums=1)

    @numba.njit
    def user(x):  # type: ignore[no-untyped-def]
        return df(compiled_square, x)

    assert user(2.0) == pytest.approx(12.0)
    assert df(compiled_square, 2.0) == pytest.approx(12.0)


def test_cotangent_of_a_namedtuple() -> None:
    class Point(NamedTuple):
        x: float
        y: float

    def f(x: Any) -> Any:
        return Point(x * x, 3.0 * x)

    for jit in (False, True):
        _, pullback = bs.vjp(f, 2.0, jit=jit)
        assert pullback((1.0, 10.0)) == pullback(Point(1.0, 10.0)) == 34.0


def loss(model: Layer, f: Any) -> Any:
    return f(model.bias) * model.weights.sum()


def test_pickled() -> None:
    again = pickle.loads(pickle.dumps(bs.grad(loss)))
    assert again(layer(), np.sin).bias == bs.grad(loss)(layer(), np.sin).bias


def test_saved_module(tmp_path: Any) -> None:
    df = bs.grad(loss)
    df.save(str(tmp_path / "saved.py"), layer(), np.sin)
    namespace: dict[str, Any] = {}
    exec((tmp_path / "saved.py").read_text(), namespace)
    assert "Layer = namedtuple" in (tmp_path / "saved.py").read_text()


def test_a_dataclass_is_no_result() -> None:
    def f(model: Any, x: Any) -> Any:
        return Layer(model.weights * x, model.bias)

    with pytest.raises(bs.UnsupportedError, match="dataclass"):
        bs.vjp(f, layer(), 2.0)


def test_a_list_without_floats_beside_others_has_the_gradient_zero() -> None:
    found = bs.grad(lambda a: np.sum(a[1]) * a[0][1], jit=False)(([1, 2], np.ones(2)))
    assert found[0] == 0.0
    assert found[1].tolist() == [2.0, 2.0]


def test_a_list_that_is_written_stays_the_callers() -> None:
    def f(items: Any, x: Any) -> Any:
        items[0] = x * items[1]
        t = items[0] * items[1]
        for item in items:
            t += item * x
            items[1] = x
        return t

    for jit in (False, True):
        given = [1.0, 2.0]
        slope, _ = checking.difference(lambda step: f([1.0, 2.0], 3.0 + step))
        assert bs.grad(f, argnums=1, jit=jit)(given, 3.0) == pytest.approx(slope)
        assert given == [1.0, 2.0]


def test_items_of_items_of_a_list_that_are_written_stay_the_callers() -> None:
    def f(rows: Any, x: Any) -> Any:
        rows[0][1] = x * rows[1][0]
        rows[1][0] = x
        return rows[0][1] * x * rows[1][0]

    given = [[1.0, 2.0], [4.0]]
    slopes, slope = bs.grad(f, argnums=(0, 1), jit=False)(given, 3.0)
    assert (slopes, slope) == ([[0.0, 0.0], [27.0]], 108.0)
    assert given == [[1.0, 2.0], [4.0]]


def test_conversions_keep_the_precision_of_the_argument() -> None:
    def converted(x: Any) -> Any:
        return float(np.sum(x.astype(np.float32)))

    def written_beside_a_copy(x: Any) -> Any:
        a = x.copy()
        b = np.asarray(a, np.float32)
        c = np.asarray(a, dtype=np.float64)
        c[1] = a[2] * 3.0
        return float(np.sum(b)) + np.sum(a)

    for f, expected in ((converted, [1.0, 1.0, 1.0]), (written_beside_a_copy, [2.0, 1.0, 5.0])):
        for jit in (False, True):
            gradient = bs.grad(f, jit=jit)(np.ones(3))
            assert gradient.dtype == np.float64
            np.testing.assert_allclose(gradient, expected)


def scaled_in_place(x, y):
    for i in range(x.size):
        x[i] = x[i] * y[i]
    return np.sum(x * y)


@pytest.mark.parametrize("jit", [False, True])
def test_written_arguments_that_share_memory(jit: bool) -> None:
    a = np.array([0.9, 0.7, 0.55, 0.8, 0.3, 0.2])
    gradient = bs.grad(scaled_in_place, (0, 1), jit=jit)
    for x, y in ((a, a), (a[1:], a[:-1]), (a[::-1], a), (a.reshape(2, 3)[0], a[:3])):
        with pytest.raises(ValueError, match=r"`x` is written and shares memory with `y`  \[BS416\]"):
            gradient(x, y)
    rows = a.reshape(3, 2)
    for x, y in ((a, a.copy()), (a[:3], a[3:]), (a[::2], a[1::2]), (rows[:, 0], rows[:, 1]), (a[:0], a[:0])):
        for found, expected in zip(gradient(x, y), gradient(x.copy(), y.copy()), strict=True):
            np.testing.assert_array_equal(found, expected)
    assert a[0] == 0.9


@pytest.mark.parametrize("jit", [False])
def test_each_request_refuses_arguments_that_share_memory(jit: bool) -> None:
    """With the place of the write, whatever the derivative; a ValueError of the function itself stays as it is."""
    a = np.array([0.9, 0.7, 0.55, 0.8])
    x, y = a[:3], a[1:]
    for call in (
        lambda: bs.value_and_grad(scaled_in_place, (0, 1), jit=jit)(x, y=y),
        lambda: bs.vjp(scaled_in_place, x, y, jit=jit),
        lambda: bs.jvp(scaled_in_place, (x, y), (x, y), jit=jit),
        lambda: bs.hvp(scaled_in_place, (x, y), (x,), jit=jit),
    ):
        with pytest.raises(bs.ArgumentError, match=r"BS416(.|\n)*x\[i\] = x\[i\] \* y\[i\]") as caught:
            call()
        assert isinstance(caught.value, ValueError)


def first_read_as_parts(z, r):
    z[0] = 2.0 * r[1]
    return r[0] * r[0] + r[1]


@pytest.mark.parametrize("jit", [False, True])
def test_written_complex_numbers_that_share_memory_with_their_parts(jit: bool) -> None:
    z = np.array([1.0 + 2.0j, 2.0 - 1.0j, 0.5j])
    gradient = bs.grad(first_read_as_parts, (0, 1), jit=jit)
    for x, y in ((z, z.real), (z, z.imag), (z[1:], z[:2].imag), (z[1:], z[:2].real)):
        with pytest.raises(ValueError, match=r"`z` is written and shares memory with `r`  \[BS416\]"):
            gradient(x, y)
    for x, y in ((z, z.real.copy()), (z[:1], z[1:].imag), (z[2:], z[:2].real)):
        for found, expected in zip(gradient(x, y), gradient(x.copy(), y.copy()), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_numba_is_not_asked_for_types_of_arrays_in_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(arguments, "has_form", asked.append)
    layers = [(np.ones((2, 2)), np.ones(2, np.float32)), {"bias": np.arange(3)}]
    arguments.given_for("layers", layers)
    assert not asked
