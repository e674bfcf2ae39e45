"""`ufunc.at` against NumPy: indices of every kind, and values that broadcast to what they read, the last axes first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.support.sampled import turning

REPEATED = np.array([0, 2, 2])
TWO_AXES = np.array([[0, 1], [2, 2]])
COLUMN = np.array([[0], [1]])
MASK = np.array([True, False, True, False])
ENTRIES = np.arange(12).reshape(4, 3) % 2 == 0
NONE = np.zeros(0, np.int64)
MATRIX, BLOCK, VECTOR = (4, 3), (3, 4, 2), (4,)


def rows(f: Any, a: Any, v: Any) -> None:
    f.at(a, REPEATED, v)


def rows_of_a_list(f: Any, a: Any, v: Any) -> None:
    f.at(a, [0, 2, 2], v)


def no_rows(f: Any, a: Any, v: Any) -> None:
    f.at(a, NONE, v)


def one_row(f: Any, a: Any, v: Any) -> None:
    f.at(a, 2, v)


def column(f: Any, a: Any, v: Any) -> None:
    f.at(a, (REPEATED, 1), v)


def last_row(f: Any, a: Any, v: Any) -> None:
    f.at(a, (-1, REPEATED), v)


def pairs(f: Any, a: Any, v: Any) -> None:
    f.at(a, (REPEATED, REPEATED), v)


def crossed(f: Any, a: Any, v: Any) -> None:
    f.at(a, (COLUMN, REPEATED), v)


def two_axes(f: Any, a: Any, v: Any) -> None:
    f.at(a, TWO_AXES, v)


def part(f: Any, a: Any, v: Any) -> None:
    f.at(a, slice(1, 3), v)


def every_second(f: Any, a: Any, v: Any) -> None:
    f.at(a, slice(None, None, 2), v)


def in_a_part(f: Any, a: Any, v: Any) -> None:
    f.at(a, np.s_[0:2, REPEATED], v)


def apart(f: Any, a: Any, v: Any) -> None:
    f.at(a, (REPEATED, slice(1, 3), 1), v)


def apart_by_arrays(f: Any, a: Any, v: Any) -> None:
    f.at(a, (REPEATED, slice(None), np.array([0, 1, 1])), v)


def in_the_last(f: Any, a: Any, v: Any) -> None:
    f.at(a, (..., np.array([0, 0])), v)


def behind_a_new_axis(f: Any, a: Any, v: Any) -> None:
    f.at(a, (None, REPEATED), v)


def where_true(f: Any, a: Any, v: Any) -> None:
    f.at(a, MASK, v)


def entries(f: Any, a: Any, v: Any) -> None:
    f.at(a, ENTRIES, v)


CASES: list[tuple[Any, tuple[int, ...], list[tuple[int, ...]]]] = [
    (rows, MATRIX, [(3,), (1, 3), (3, 1), (3, 3), (1,), ()]),
    (rows_of_a_list, MATRIX, [(3,), (3, 1)]),
    (no_rows, MATRIX, [(3,), (0, 3), (1, 3)]),
    (one_row, MATRIX, [(3,), (1,), ()]),
    (column, MATRIX, [(3,), (1,), ()]),
    (last_row, MATRIX, [(3,), ()]),
    (pairs, MATRIX, [(3,), (1,), ()]),
    (crossed, MATRIX, [(3,), (2, 1), (2, 3), ()]),
    (two_axes, MATRIX, [(2, 2, 3), (3,), (2, 1, 1), (2, 3)]),
    (part, VECTOR, [(2,), (1,), ()]),
    (every_second, MATRIX, [(3,), (2, 1), (2, 3)]),
    (in_a_part, BLOCK, [(2,), (3, 1), (2, 3, 2), (3, 2)]),
    (apart, BLOCK, [(3, 2), (2,), ()]),
    (apart_by_arrays, BLOCK, [(3, 4), (4,), (3, 1)]),
    (in_the_last, BLOCK, [(2,), (3, 4, 2), (4, 1)]),
    (behind_a_new_axis, MATRIX, [(3, 3), (1, 3, 3), (3,)]),
    (where_true, MATRIX, [(3,), (2, 1), (2, 3), ()]),
    (entries, MATRIX, [(6,), (1,), ()]),
]
FORMS = [(change, shape, given) for change, shape, shapes in CASES for given in shapes]
UFUNCS = (np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.fmax, np.power)


def named(form: Any) -> str:
    """The name of a case."""
    return form.__name__ if callable(form) else str(form)


def check(ufunc: Any, change: Any, shape: tuple[int, ...], given: tuple[int, ...], *, jit: bool) -> None:
    """Compare the value, and the gradients by the values and by what is changed."""
    draw = np.random.default_rng(3)
    weights = draw.normal(size=shape)

    def f(v: Any, m: Any) -> Any:
        a = m.copy()
        change(ufunc, a, v)
        return np.sum(a**2 * weights)

    v = draw.uniform(0.5, 1.5, given) if given else 0.7
    m = draw.uniform(0.5, 1.5, shape)
    value, (v_bar, m_bar) = bs.value_and_grad(f, argnums=(0, 1), jit=jit)(v, m)
    assert value == pytest.approx(f(v, m), rel=1e-12)
    for bar, vary in ((v_bar, lambda d: f(v + d, m)), (m_bar, lambda d: f(v, m + d))):
        for place in np.ndindex(np.shape(bar)):
            step = np.zeros(np.shape(bar))
            step[place] = 1e-6
            slope = (vary(step) - vary(-step)) / 2e-6
            assert np.asarray(bar)[place] == pytest.approx(slope, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(("change", "shape", "given"), FORMS, ids=named)
def test_values_broadcast_as_in_numpy(change, shape, given):
    check(UFUNCS[len(change.__name__) % 3], change, shape, given, jit=False)


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda each: each.__name__)
def test_every_ufunc(ufunc):
    check(ufunc, rows, MATRIX, (3,), jit=False)


@pytest.mark.parametrize(("change", "shape", "given"), turning(12, FORMS), ids=named)
def test_compiled(change, shape, given):
    check(np.add, change, shape, given, jit=True)


def test_values_with_more_axes_are_refused():
    with pytest.raises(bs.UnsupportedError, match="is a method of a ufunc"):
        bs.grad(_summed, jit=False)(np.ones((1, 3, 3)))


def _summed(v: Any) -> Any:
    a = np.zeros(MATRIX)
    np.add.at(a, (REPEATED, 1), v)
    return np.sum(a)
