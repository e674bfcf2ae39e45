"""`source` and `explain` take the arguments of a call, those that `*more` takes too."""

from __future__ import annotations

import numpy as np
from numba import types

import backsweep as bs


def inner(a, b, c):
    return a * b + c


def passing_on(x, *more):
    return inner(x, *more)


def summed(a, *more):
    total = a.sum()
    for each in more:
        total += (a * each).sum()
    return total


def test_the_text_is_that_of_the_call() -> None:
    called, asked = bs.grad(passing_on, jit=False), bs.grad(passing_on, jit=False)
    assert called(2.0, 3.0, 4.0) == 3.0
    text = called.source()
    assert asked.source(2.0, 3.0, 4.0) == text
    assert asked.source(types.float64, types.float64, types.float64) == text
    assert "more" in str(asked.explain(2.0, 3.0, 4.0))


def test_arrays_and_none() -> None:
    function, v = bs.grad(summed, jit=False), np.ones(3)
    assert "more[1]" in function.source(v, v, v + 1.0)
    assert function(v, v, v + 1.0).tolist() == [4.0, 4.0, 4.0]
    assert "more[0]" not in function.source(v)
    assert function(v).tolist() == [1.0, 1.0, 1.0]
