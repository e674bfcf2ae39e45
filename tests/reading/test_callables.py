"""`functools.partial` and objects with `__call__` are differentiated like functions."""

from __future__ import annotations

import functools
import math
import operator
import pickle
from typing import Any

import numba
import numpy as np
import pytest
from scipy import special
from scipy.spatial import distance

import backsweep as bs


def scaled(x: Any, y: Any, *, power: int = 2, factor: Any = 1.0) -> Any:
    return np.sum(x**power * y * factor)


class Spring:
    """An object whose attribute the function reads."""

    def __init__(self, stiffness: float) -> None:
        self.stiffness = stiffness

    def __call__(self, x: float, rest: float = 0.5) -> float:
        return self.stiffness * (x - rest) ** 2

    def with_options(self, x: float, **options: float) -> float:
        return self.stiffness * x * x * options.get("factor", 1.0)


def with_options(x: Any, power: int = 2, **options: Any) -> Any:
    return np.sum(x**power) * options.get("factor", 2.0)


def doubled(f: Any) -> Any:
    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return 2.0 * f(*args, **kwargs)

    return wrapper


def by_option(f: Any) -> Any:
    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs) * (3.0 if kwargs.get("tripled", False) else 1.0)

    return wrapper


@doubled
def decorated(x: Any, y: Any, power: int = 2, *, shift: float = 0.0) -> Any:
    return np.sum(x**power * y) + shift


@by_option
@doubled
def decorated_twice(x: Any, *, tripled: bool = False) -> Any:
    return np.sum(x * x)


X = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("function", "args", "slope"),
    [
        (functools.partial(scaled, X), (3.0,), 5.0),
        (functools.partial(scaled, y=3.0), (X,), [6.0, 12.0]),
        (functools.partial(scaled, factor=2.0, power=3), (X, 3.0), [18.0, 72.0]),
        (functools.partial(functools.partial(scaled, factor=3.0), X), (4.0,), 15.0),
        (functools.partial(numba.njit(lambda a, x: a * x * x), 3.0), (2.0,), 12.0),
        (functools.partial(bs.grad(lambda x, a: a * x**3), a=2.0), (3.0,), 36.0),
        (Spring(3.0), (2.0,), 9.0),
        (functools.partial(Spring(3.0), rest=0.0), (2.0,), 12.0),
        (with_options, (X,), [4.0, 8.0]),
        (with_options, (X, 3), [6.0, 24.0]),
        (functools.partial(with_options, factor=3.0), (X,), [6.0, 12.0]),
        (functools.partial(with_options, power=1, factor=3.0), (X,), [3.0, 3.0]),
        (Spring(3.0).with_options, (2.0,), 12.0),
        (functools.partial(Spring(3.0).with_options, factor=2.0), (2.0,), 24.0),
        (decorated, (X, 3.0), [12.0, 24.0]),
        (decorated, (X, 3.0, 3), [18.0, 72.0]),
        (functools.partial(decorated, power=1, shift=1.0), (X, 3.0), [6.0, 6.0]),
        (decorated_twice, (X,), [4.0, 8.0]),
        (functools.partial(decorated_twice, tripled=True), (X,), [12.0, 24.0]),
    ],
)
def test_gradients(function: Any, args: tuple[Any, ...], slope: Any) -> None:
    np.testing.assert_allclose(bs.grad(function, jit=False)(*args), slope)
    value, pullback = bs.vjp(function, *args, jit=False)
    assert value == pytest.approx(function(*args))
    found = pullback(1.0)
    np.testing.assert_allclose(found[0] if isinstance(found, tuple) else found, slope)


@pytest.mark.compiles
def test_compiled() -> None:
    assert bs.grad(Spring(3.0))(2.0) == 9.0
    np.testing.assert_allclose(bs.grad(decorated)(X, 3.0), [12.0, 24.0])
    np.testing.assert_allclose(bs.grad(decorated, argnums=1)(X, 3.0, shift=2.0), 10.0)


def test_present_values_count() -> None:
    spring, weights = Spring(3.0), np.array([1.0, 2.0])
    slope = bs.grad(spring, jit=False)
    assert slope(2.0) == 9.0
    spring.stiffness = 1.0
    assert slope(2.0) == 3.0
    weighted = bs.grad(functools.partial(lambda w, x: np.sum(w) * x, weights), jit=False)
    assert weighted(1.0) == 3.0
    weights[0] = 5.0
    assert weighted(1.0) == 7.0


def test_by_name_and_checked() -> None:
    given = functools.partial(scaled, factor=2.0)
    assert bs.grad(given, wrt="y", jit=False)(X, 3.0) == 10.0
    assert bs.check_grads(given, (X, 3.0))
    assert bs.jvp(Spring(3.0), (2.0,), (1.0,), jit=False) == (6.75, 9.0)
    assert bs.hvp(Spring(3.0), jit=False)((2.0,), (1.0,)) == 6.0
    with pytest.raises(bs.ArgumentError, match="`scaled` has no argument or variable `x`"):
        bs.grad(functools.partial(scaled, X), wrt="x")


def test_what_is_differentiated_stays_as_it_is() -> None:
    given = functools.partial(scaled, factor=2.0)
    assert bs.grad(given, jit=False)(X, 3.0) is not None
    again = pickle.loads(pickle.dumps(given))
    assert (vars(again), again(X, 3.0)) == ({}, 30.0)


def test_text_names_what_was_given() -> None:
    text = bs.grad(functools.partial(scaled, factor=2.0), jit=False).source(X, 3.0)
    assert "factor = 2.0" in text
    assert "x_bar[i] = factor * y * 2.0 * x[i]" in text


@pytest.mark.parametrize(
    ("function", "args", "slopes"),
    [
        (np.sin, (0.3,), math.cos(0.3)),
        (math.exp, (1.0,), math.e),
        (np.hypot, (3.0, 4.0), 0.6),
        (operator.mul, (3.0, 4.0), 4.0),
        (np.linalg.norm, (np.array([3.0, 4.0]),), [0.6, 0.8]),
        (special.erf, (0.0,), 2.0 / math.sqrt(math.pi)),
        (abs, (-2.0,), -1.0),
        (distance.minkowski, (np.array([3.0, 4.0]), np.zeros(2)), [0.6, 0.8]),
    ],
)
def test_functions_of_libraries(function: Any, args: Any, slopes: Any) -> None:
    slope = bs.grad(function, jit=False)
    assert slope(*args) == pytest.approx(slopes)
    assert repr(slope) == f"<backsweep grad of {function.__name__}>"
    assert pickle.loads(pickle.dumps(slope))(*args) == pytest.approx(slopes)


def test_functions_of_libraries_with_options_alone() -> None:
    with pytest.raises(bs.SourceError, match="`einsum` has no Python source"):
        bs.grad(np.einsum)("i->", np.ones(2))


class Meter:
    """An object with attributes that other classes do not see."""

    def __init__(self, rate: float) -> None:
        self.__rate = rate

    def __call__(self, x: float) -> float:
        return self.__scaled(x) * x

    def __scaled(self, x: float) -> float:
        return self.__rate * x


def test_private_names() -> None:
    assert bs.grad(Meter(3.0), jit=False)(2.0) == 12.0
