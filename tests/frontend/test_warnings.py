"""What warns in Python warns once in a derivative: in the forward sweep, with the same class and text."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from tests.support.refused import refused


class RangeWarning(UserWarning):
    """A class of the user's."""


def by_value(x: Any) -> Any:
    s = 0.0
    for k in range(4):
        if k * x[0] > 2.0:
            warnings.warn(f"large: {k * x[0]:.1f}", RuntimeWarning, stacklevel=2)
        s += k * x[0] * x[1]
    return s


def of_a_class(x: Any) -> Any:
    warnings.warn(RangeWarning("a warning that is made"), stacklevel=1)
    text = "a text " + "with a name"
    warnings.warn(text, category=DeprecationWarning)  # noqa: B028  that is tried here
    return np.sum(x * x)


@numba.njit(parallel=True)
def in_parallel(x: Any) -> Any:
    s = 0.0
    for k in numba.prange(x.size):
        s += x[k] * x[k]
    return s


def beside_a_loop_on_all_cores(x: Any) -> Any:
    s = in_parallel(x)
    if s > 1.0:
        warnings.warn("behind the loop", stacklevel=2)
    return s


def heard(call: Callable[[], Any]) -> list[tuple[type, str]]:
    """The warnings that a call issues."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [(each.category, str(each.message)) for each in found]


X = np.array([1.0, 2.0])
TRANSFORMED: dict[str, Callable[[Any], Any]] = {
    "plain": lambda f: bs.value_and_grad(f, jit=False)(X),
    "compiled": lambda f: bs.value_and_grad(f)(X),
    "tangents": lambda f: bs.jvp(f, (X,), (X,), jit=False),
    "second": lambda f: bs.hvp(f, jit=False)((X,), (X,)),
    "hessian": lambda f: bs.hessian(f, jit=False)(X),
}


@pytest.mark.parametrize("how", TRANSFORMED)
@pytest.mark.parametrize("function", [by_value, of_a_class])
def test_warnings_are_those_of_python(function: Any, how: str) -> None:
    assert heard(lambda: TRANSFORMED[how](function)) == heard(lambda: function(X)) != []


@pytest.mark.compiles
def test_warnings_beside_loops_on_all_cores() -> None:
    assert heard(lambda: bs.grad(beside_a_loop_on_all_cores)(X)) == [(UserWarning, "behind the loop")]


@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
def test_a_filter_makes_an_error_of_a_warning(jit: bool) -> None:
    gradient = bs.grad(by_value, jit=jit)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="large: 3"):
            gradient(X)
        np.testing.assert_allclose(gradient(0.1 * X), [1.2, 0.6])


def test_classes_that_no_module_defines_are_refused() -> None:
    class Inside(UserWarning):
        pass

    def warns(x: Any) -> Any:
        warnings.warn("text", Inside, stacklevel=2)
        return x

    with refused("the class of this warning is not one that a module defines"):
        bs.grad(warns)(1.0)
