"""The directions of a Jacobian advance together: the same numbers as one after the other, however many they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import backsweep as bs
from backsweep.specialise import build
from tests import zoo
from tests.firing import called
from tests.support.sampled import turning

RNG = np.random.default_rng(3)
CASES = {case.name: case for case in zoo.load()}
FIRED = (
    "aliases.carried_then_written",
    "branches.array_set_in_a_loop",
    "calls.callee_returns_early-1",
    "charted.read_of_the_row_after",
    "counts.ragged",
    "perhaps_none.while_there_is_one",
    "repeated.quadratic_forms",
    "waiting.downwards",
)
"""Programs of the zoo with Jacobians or Hessians of such directions, and some whose directions stay apart."""


def orbit(p: Any, n: int) -> Any:
    """A recurrence that carries numbers, stores each, and may leave early."""
    x, y = 1.0, 0.5
    out = np.zeros(n)
    for i in range(n):
        k = i % p.size
        if x > 1.5:
            x, y = x - 0.1 * y * p[k], y + p[k] * p[k]
        else:
            x += 0.1 * p[k] * x
        out[i] = x * y
        if y > 40.0:
            break
    return out


def filtered(p: Any, z: Any) -> float:
    """A likelihood with arrays that each step writes."""
    states = np.array([0.2, 0.3, 0.5])
    following = np.empty(3)
    total = 0.0
    for t in range(z.size):
        norm = 0.0
        for j in range(3):
            following[j] = 0.0
            for i in range(3):
                following[j] += states[i] * p[3 * i + j]
            following[j] *= np.exp(-((z[t] - p[9 + j]) ** 2))
            norm += following[j]
        states[:] = following / norm
        total += np.log(norm)
    return total


def one_after_the_other(
    make: Callable[..., Any], f: Callable[..., Any], args: tuple[Any, ...], **options: Any
) -> Any:
    other = mock.patch.object(build.cache, "sources_mark", return_value="without directions")
    with other, called(lambda each, before, after: before if each.name == "directions" else after):
        apart = make(f, jit=False, **options)
        assert ", 32)" not in apart.source(*args)
        return apart(*args)


@pytest.mark.parametrize("size", [1, 5, 32, 33, 70])
def test_any_number_of_directions(size: int) -> None:
    p = RNG.uniform(0.5, 1.5, size)
    by_columns = bs.jacfwd(orbit)
    found = by_columns(p, 12)
    assert "x_dots = np.empty(32)" in by_columns.source(p, 12)
    np.testing.assert_allclose(found, one_after_the_other(bs.jacfwd, orbit, (p, 12)), rtol=1e-13, atol=1e-15)
    exact = np.stack([orbit_shifted(p, 12, k) for k in range(size)], axis=-1)
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(bs.jacrev(orbit)(p, 12), exact, rtol=1e-12, atol=1e-15)


def orbit_shifted(p: Any, n: int, k: int) -> Any:
    """The derivative along one entry, by complex step."""
    step = np.zeros(p.size, complex)
    step[k] = 1e-30j
    x, y = 1.0 + 0j, 0.5 + 0j
    out = np.zeros(n)
    for i in range(n):
        a = (p + step)[i % p.size]
        if x.real > 1.5:
            x, y = x - 0.1 * y * a, y + a * a
        else:
            x += 0.1 * a * x
        out[i] = (x * y).imag / 1e-30
        if y.real > 40.0:
            break
    return out


def test_no_direction() -> None:
    found = bs.jacfwd(orbit, jit=False)(np.empty(0), 0)
    assert found.shape == (0, 0)


def test_arrays_of_a_step_have_an_axis_more() -> None:
    p, z = RNG.uniform(0.2, 1.0, 12), RNG.normal(size=9)
    hessian = bs.hessian(filtered, jit=False)
    text = hessian.source(p, z)
    assert "range(0, n, 32)" in text or "range(0, p_size0, 32)" in text
    np.testing.assert_allclose(
        hessian(p, z), one_after_the_other(bs.hessian, filtered, (p, z)), rtol=1e-11, atol=1e-13
    )


@pytest.mark.parametrize("make", [bs.jacfwd, bs.jacrev], ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", turning(2, FIRED))
def test_zoo(name: str, make: Callable[..., Any]) -> None:
    case = CASES[name]
    together = make(case.function, argnums=case.argnums, jit=False)(*case.args)
    apart = one_after_the_other(make, case.function, case.args, argnums=case.argnums)
    for one, other in zip(leaves(together), leaves(apart), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, tuple) else [value]
