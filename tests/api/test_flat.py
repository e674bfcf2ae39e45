"""Functions of numbers and arrays for other libraries: what they return is found out by calling them, or of their types."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import backsweep as bs
from backsweep.api.flat import ARRAY, NUMBER, Flat, vector_of

X = np.array([0.3, -0.8, 1.1])


class Pair(NamedTuple):
    """Two results."""

    total: Any
    count: Any


def pair(x, w):
    return Pair(np.sum(x * w), x.size)


def written(x, w):
    x[0] += w
    return x


def code(f: Any) -> Flat:
    return Flat(f.__name__, lambda: f, (ARRAY, NUMBER), None, {"jit": False})


def test_results_are_found_out() -> None:
    called, asked = code(pair), code(pair)
    total, count = called.examples((), [X, np.array(2.0)])
    assert (total, count) == (pytest.approx(1.2), 3)
    assert asked.typed([np.ones(1), np.array(1.0)]) == [(0, "float64"), (0, "int64")]
    for each in (called, asked):
        assert (each.results, each.single) == ((NUMBER, NUMBER), False)
        assert isinstance(each.form([total, count]), Pair)


def test_examples_without_shapes() -> None:
    x = np.stack([X, 2.0 * X])
    (found,) = code(written).examples(((0, None), (None, 0)), [x, np.array([1.0, 2.0, 3.0])])
    assert found.shape == (2, 3, 3)
    assert found[1, 2] == pytest.approx([3.6, -1.6, 2.2])
    assert x[0] == pytest.approx(X)
    with pytest.raises(bs.ArgumentError, match="was promised"):
        code(lambda x, w: np.zeros(int(w))).examples(((None, 0),), [X, np.array([1.0, 2.0])])


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiles)])
def test_results_in_results_are_refused(jit: bool) -> None:
    def nested(x, w):
        return w, (x, w)

    refused = Flat("nested", lambda: nested, (ARRAY, NUMBER), None, {"jit": jit}, is_ready=not jit)
    for asked in (
        lambda: refused.examples((), [X, np.array(2.0)]),
        lambda: refused.typed([X, np.array(2.0)]),
    ):
        with pytest.raises(bs.ArgumentError, match="more than a number, an array, or a tuple of these"):
            asked()


@pytest.mark.parametrize(
    "f", [lambda x: x[0], lambda x: [x[0]], lambda x: (x[0],), lambda x: np.outer(x, x)[0, :1]]
)
def test_whatever_is_returned_becomes_a_vector(f: Any) -> None:
    assert bs.jacobian(vector_of(f, 0), jit=False)(X).shape == (1, 3)
