"""Transformed functions as ordinary citizens of compiled code: called, passed, pickled, shared by threads."""

from __future__ import annotations

import math
import pickle
import threading
import warnings

import numba
import numpy as np
import pytest

import backsweep as bs


def wave(x, w):
    return math.sin(x) * w + x * x


def energy(x):
    s = 0.0
    for i in range(1, x.size):
        s += (x[i] - x[i - 1]) ** 2
    return s


slope = bs.grad(wave)
both = bs.value_and_grad(wave, argnums=(0, 1))
forces = bs.grad(energy)


@numba.njit
def descend(x, w, steps):
    for _ in range(steps):
        x = x - 0.1 * slope(x, w)
    return x


@numba.njit
def relaxed(x, steps):
    for _ in range(steps):
        x = x - 0.1 * forces(x)
    return x


@numba.njit
def applied(function, x, w):
    return function(x, w)


@numba.njit
def pair(x, w):
    value, (x_bar, w_bar) = both(x, w)
    return value + x_bar * w_bar


def test_scalars_from_compiled_code() -> None:
    x = 2.0
    for _ in range(5):
        x = x - 0.1 * (math.cos(x) * 0.5 + 2.0 * x)
    assert descend(2.0, 0.5, 5) == pytest.approx(x, rel=1e-14)


def test_arrays_from_compiled_code() -> None:
    x = np.array([0.0, 1.0, -1.0, 2.0])
    expected = x.copy()
    for _ in range(3):
        expected = expected - 0.1 * forces(expected)
    np.testing.assert_allclose(relaxed(x, 3), expected, rtol=1e-14)
    np.testing.assert_array_equal(x, [0.0, 1.0, -1.0, 2.0])


def test_tuples_from_compiled_code() -> None:
    expected = wave(0.3, 0.7) + (math.cos(0.3) * 0.7 + 0.6) * math.sin(0.3)
    assert pair(0.3, 0.7) == pytest.approx(expected, rel=1e-14)


def test_as_an_argument_of_compiled_code() -> None:
    assert applied(slope, 0.3, 0.7) == pytest.approx(math.cos(0.3) * 0.7 + 0.6, rel=1e-14)


def test_inside_of_a_differentiated_function() -> None:
    def penalised(x, w):
        return wave(x, w) + slope(x, w) ** 2

    first = math.cos(0.3) * 0.7 + 2.0 * 0.3
    second = -math.sin(0.3) * 0.7 + 2.0
    assert bs.grad(penalised)(0.3, 0.7) == pytest.approx(first + 2.0 * first * second, rel=1e-12)


def test_of_compiled_code() -> None:
    @numba.njit(fastmath=True)
    def cube(x):
        return x * x * x

    gradient = bs.grad(cube)
    assert gradient(2.0) == pytest.approx(12.0)
    assert gradient.build.options.fastmath


@pytest.mark.parametrize("transformed", [slope, both, forces], ids=["grad", "value_and_grad", "of arrays"])
def test_pickled(transformed) -> None:
    args = (np.array([0.0, 1.0, -1.0]),) if transformed is forces else (0.3, 0.7)
    again = pickle.loads(pickle.dumps(transformed))
    np.testing.assert_equal(again(*args), transformed(*args))
    assert again.source(*args) == transformed.source(*args)


def test_pickled_with_names() -> None:
    named = bs.grad(wave, wrt=("x", "w"))
    again = pickle.loads(pickle.dumps(named))
    assert again(0.3, 0.7)._asdict() == named(0.3, 0.7)._asdict()


def test_two_threads_call_first_at_once() -> None:
    def curve(x, w):
        return math.exp(-x * w) * x

    gradient, start = bs.grad(curve), threading.Barrier(2)
    found: list[float] = []

    def call() -> None:
        start.wait()
        found.append(gradient(0.3, 0.7))

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = math.exp(-0.21) * (1.0 - 0.21)
    assert found == [pytest.approx(expected, rel=1e-14)] * 2


def test_several_signatures() -> None:
    def doubled(x):
        return 2.0 * x * x

    gradient = bs.grad(doubled)
    assert gradient(3.0) == pytest.approx(12.0)
    assert gradient(np.float32(3.0)) == pytest.approx(12.0)
    with pytest.raises(bs.NotScalarError):
        gradient(np.ones(2))
    with pytest.raises(bs.ArgumentError):
        gradient(3)


def test_keywords_and_defaults() -> None:
    def scaled(x, factor=2.0, power=3.0):
        return factor * x**power

    gradient = bs.grad(scaled)
    assert gradient(2.0) == pytest.approx(24.0)
    assert gradient(2.0, 3.0) == pytest.approx(36.0)
    assert gradient(2.0, factor=3.0) == pytest.approx(36.0)
    assert gradient(x=2.0, factor=3.0, power=2.0) == pytest.approx(12.0)


def square_of_a_product(a):
    return np.sum((a[:, 1] @ a) ** 2)


def test_users_are_not_told_how_the_derivative_lays_out_what_it_multiplies():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        bs.grad(square_of_a_product)(np.eye(3))
    assert not found
