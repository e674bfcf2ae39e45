"""Library calls in the core language: gradients of what `expand` rewrites, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.support import checking
from tests.support.sampled import turning

X = np.array([0.3, 0.9, 0.5])
Y = np.array([0.7, 0.2, 1.1])
A = np.array([[0.3, 0.9, 0.5], [0.8, 0.1, 0.6]])
B = np.array([[1.3, 0.2, 0.4], [0.5, 0.7, 0.9]])
CUBE = np.linspace(0.1, 1.3, 24).reshape(2, 3, 4)


def literal_vector(x, y):
    return np.sum(np.array([x, y, x * y, 2]) ** 2)


def literal_matrix(x, y):
    a = np.array([[x, 1.0], [y * y, x]])
    return a[0, 0] * a[1, 0] + np.sum(a[1] * a[0])


def literal_tuple(x, y):
    return np.sum(np.asarray((x * y, y)) ** 2)


def stacked(x, y):
    return np.sum(np.stack((x, y * x)) ** 2) + np.sum(np.stack((x, y), axis=-1)[1] ** 3)


def columns(x, y):
    return np.sum(np.column_stack((x, y * x))[1] ** 2)


def depths(a, b):
    return np.sum(np.dstack((a, b * a))[0, 1] ** 2)


def concatenated(a, b):
    c = np.concatenate((a, b * a), axis=1)
    d = np.concatenate((a[:1], b))
    return np.sum(c * c) + d[1, 0] * d[0, 1] + np.sum(np.hstack((a, b)) ** 3) + np.sum(np.vstack((a, b)) ** 2)


def appended(x, y):
    z = np.append(x, y)
    return np.sum(z * z) * np.append(x, 0.5)[1] + np.append(x, x[0] * y[0])[3]


def appended_rows(a, b):
    return np.sum(np.append(a, b, axis=0) ** 2) + np.append(a, b)[7] ** 2


def in_a_loop(x, y):
    total = 0.0
    for i in range(x.size):
        p = np.array([x[i], y[i], x[i] * y[i]])
        total += np.sum(p * p) * p[0]
    return total


def extremes(x, y):
    return max(x, y, 0.1) * min(2.0 * x, y, x + y) + max((x, y)) + min((x, 0.2, y))


def chosen(x, y):
    return np.where(x > y, x * x, 3.0 * y) * np.where(x < y, x, 1)


def clipped(x):
    low = np.clip(x, 0.4, None) * np.clip(x, None, a_max=0.7)
    return np.sum(low * x) + np.sum(np.clip(x, a_min=0.4, a_max=0.8) ** 2)


def negative_powers(x):
    return x**-1 + x**-2 + x**-1.5


def tuples_joined(x, y):
    p = (x, y)
    p = p + (x * y,)  # noqa: RUF005  the sum of tuples is what is tested
    return p[0] * p[2] * len(p) + sum(p) + sum((x, y), 1.0)


def real_parts(x):
    y = np.conj(x)
    y[0] = 0.5
    return np.sum(x.real * y) + np.sum(np.imag(x))


def masked(x, y):
    return np.sum(x[y > 0.5] ** 2) + np.sum(x[x < y])


def rows_gathered(a, b):
    rows = np.array([1, 1, 0])
    return np.sum(a[rows] ** 2) + np.sum(b[rows] * a[rows])


def rows_masked(a):
    keep = np.array([False, True])
    return np.sum(a[keep] ** 2)


def taken(x, y):
    where = np.array([0, 2, 2])
    return np.sum(np.take(x, where) * y) + np.take(x, 1) * y[0]


def transposed(cube):
    a = np.transpose(cube, (1, 2, 0))
    b = cube.transpose(2, 0, 1)
    c = np.transpose(cube, (0, 2, 1))
    return np.sum(a * a) * b[1, 1, 2] + np.sum(c[0] ** 3) + np.sum(np.swapaxes(cube, 0, 2)[1] ** 2)


def reshaped_transpose(a, b):
    c = a.copy().reshape((3, 2)).T
    return np.sum(c * b)


def sorted_entries(x, y):
    return np.sum(np.sort(x) * y) + np.median(x) * np.sort(y)[0]


def repeated(x):
    return np.sum(np.repeat(x, 2)[1:4] ** 2)


def flipped(a):
    return np.sum(np.flip(a) * a) + np.sum(np.fliplr(a) * a**2) + np.sum(np.flipud(a) * a**3)


def interpolated(x, y):
    points = np.array([0.0, 0.4, 1.2])
    return np.sum(np.interp(x, points, y) * x)


def norms_by_name(a):
    return np.linalg.norm(a, "fro") + 2.0 * np.linalg.norm(a.T, ord="nuc")


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (norms_by_name, (np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.5]]),)),
    (norms_by_name, (np.eye(3),)),
    (literal_vector, (0.7, 0.3)),
    (literal_matrix, (0.7, 0.3)),
    (literal_tuple, (0.7, 0.3)),
    (stacked, (X, Y)),
    (columns, (X, Y)),
    (depths, (A, B)),
    (concatenated, (A, B)),
    (appended, (X, Y)),
    (appended_rows, (A, B)),
    (in_a_loop, (X, Y)),
    (extremes, (0.7, 0.3)),
    (extremes, (0.3, 0.7)),
    (chosen, (0.7, 0.3)),
    (chosen, (0.3, 0.7)),
    (clipped, (X,)),
    (negative_powers, (0.7,)),
    (tuples_joined, (0.7, 0.3)),
    (real_parts, (X,)),
    (masked, (X, Y)),
    (rows_gathered, (A, B)),
    (rows_masked, (A,)),
    (taken, (X, Y)),
    (transposed, (CUBE,)),
    (reshaped_transpose, (A, B)),
    (sorted_entries, (X, Y)),
    (repeated, (X,)),
    (flipped, (A,)),
    (interpolated, (X, Y)),
]


def check(function: Callable[..., Any], arguments: tuple[Any, ...], *, jit: bool) -> None:
    """The gradient agrees with differences, and the arguments stay as they are."""
    places = tuple(range(len(arguments)))
    given = checking.clone(arguments)
    value, gradient = bs.value_and_grad(function, argnums=places, jit=jit)(*given)
    checking.assert_unchanged(arguments, given)
    checking.assert_close(value, function(*checking.clone(arguments)))
    checking.assert_gradient(gradient, function, arguments, places)


def name_of(item: Any) -> str:
    """How a case is called."""
    return getattr(item, "__name__", "")


@pytest.mark.parametrize(("function", "arguments"), CASES, ids=name_of)
def test_plain(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    check(function, arguments, jit=False)


@pytest.mark.compiles
@pytest.mark.parametrize(("function", "arguments"), turning(18, CASES), ids=name_of)
def test_compiled(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    check(function, arguments, jit=True)


@pytest.mark.compiles
def test_single_precision() -> None:
    """Gradients of float32 arrays are float32, whatever the array is joined with."""

    def joined(x, y):
        z = np.concatenate((x, y))
        return np.sum(z * z) + np.sum(np.stack((x, x)) ** 2) + np.sum(np.clip(x, 0.4, 0.8) * x)

    single = X.astype(np.float32)
    for jit in (False, True):
        x_bar, y_bar = bs.grad(joined, argnums=(0, 1), jit=jit)(single, Y)
        assert x_bar.dtype == np.float32
        assert y_bar.dtype == np.float64


def test_norms_that_matrices_do_not_have() -> None:
    """What the function raises."""
    with pytest.raises(ValueError, match="Invalid norm order"):
        bs.grad(lambda a: np.linalg.norm(a, "max"), jit=False)(np.eye(3))
