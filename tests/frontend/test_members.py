"""Methods and attributes that packages give to arrays in compiled code, by `@overload_method` and `@overload_attribute`."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from numba.extending import overload_attribute, overload_method, register_jitable

import backsweep as bs


@register_jitable
def times(a, by):
    return a * by


@overload_method(numba.types.Array, "scaled_sum")
def _scaled_sum(a, by=2.0):
    def of_array(a, by=2.0):
        s = 0.0
        for i in range(len(a)):
            s += times(a[i], by)
        return s

    return of_array


@overload_attribute(numba.types.Array, "energy")
def _energy(a):
    def of_array(a):
        return 0.5 * np.sum(a * a)

    return of_array


@overload_method(numba.types.Array, "in_object_mode")
def _in_object_mode(a):
    def of_array(a):
        with numba.objmode(s="float64"):
            s = float(a.sum())
        return 2.0 * s

    return of_array


@numba.njit
def of_argument(x, c):
    return x.scaled_sum(c) * x.energy + x.scaled_sum()


@numba.njit
def of_local(x, c):
    y = np.empty(2)
    for i in range(2):
        y[i] = x[i] * c
    z = 2.0 * y
    return z.scaled_sum(by=c) * z.energy


@pytest.mark.compiles_many("members are found alike by Numba in each function")
@pytest.mark.parametrize("function", [of_argument, of_local])
def test_members(function) -> None:
    x, c, step = np.array([0.3, 0.4]), 3.0, 1e-6
    value, (x_bar, c_bar) = bs.value_and_grad(function, argnums=(0, 1), jit=False)(x, c)
    assert value == pytest.approx(function(x, c))
    assert c_bar == pytest.approx((function(x, c + step) - function(x, c - step)) / (2 * step), rel=1e-7)
    for k in range(2):
        moved = step * np.eye(2)[k]
        slope = (function(x + moved, c) - function(x - moved, c)) / (2 * step)
        assert x_bar[k] == pytest.approx(slope, rel=1e-7)


def test_refused() -> None:
    """What nobody has given to arrays is refused as before; an implementation that is refused, too."""

    @numba.njit
    def unknown(x):
        return x.sum_of_none()

    @numba.njit
    def in_object_mode(x):
        return x.in_object_mode()

    for function in (unknown, in_object_mode):
        with pytest.raises(bs.UnsupportedError, match="BS109"):
            bs.grad(function, jit=False)(np.array([0.3, 0.4]))

    def plain(x):
        return x.scaled_sum()

    with pytest.raises(bs.UnsupportedError, match="the method `scaled_sum` cannot be differentiated"):
        bs.grad(plain, jit=False)(np.array([0.3, 0.4]))
