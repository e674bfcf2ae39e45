"""Arrays that do not fit: a gradient raises ValueError as the function does, even if it does not need what the function computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs

THREE, FOUR = np.arange(1.0, 4.0), np.arange(1.0, 5.0)
MATRIX = np.arange(6.0).reshape(2, 3)
FREE = np.array([2.0])


def dot(a, b):
    return np.dot(a, b)


def product(a, b):
    return a @ b


def scaled(a, b):
    return 2.0 * np.vdot(a, b) + 1.0


def squares(a, b):
    return (a * a) @ b


def form(a, b):
    return b @ (a.T @ a) @ b


def nested(a, b):
    return np.dot(b, np.dot(a, b))


def own_square(a, b):
    return np.dot(a, a)[0, 0] + b[0]


def guarded(a, b):
    s = 0.0
    for i in range(3):
        if a[i] > 0.0:
            s += np.dot(a, b)
    return s


def helper(a, b):
    return product(a, b) + product(b, a)


def interpolated(a, b):
    return np.interp(1.5, a, b)


def into_buffer(a, b):
    c = np.zeros((2, 2))
    np.dot(a, a, c)
    return c.sum() + b[0]


def into_all(a, b):
    c = np.zeros(a.shape)
    c[:] = b * a[0]
    return c.sum()


def into_row(a, b):
    c = np.zeros((2, 3))
    c[0] = a
    c[1] = b
    return c.sum()


def into_slice(a, b):
    c = np.zeros((2, 3))
    c[:, 1:] = a[1:]
    c[0, :2] = b
    return c[0, 0]


def taken_away(a, b):
    c = np.zeros(3)
    c += a
    c -= b
    return c[0]


def overwritten(a, b):
    c = np.empty(3)
    c[:] = a
    c[:] = b
    return c.sum()


def in_place(a, b):
    c = a.copy()
    c *= b
    return c.sum()


def tanh_and_product(a, b):
    return np.sum(np.tanh(b) + a @ b)


def tanh_and_dot(a, b):
    return np.sum(np.tanh(b) + np.dot(a, b))


def tanh_and_solution(a, b):
    return np.sum(np.tanh(b) + np.linalg.solve(b, a @ b))


def sines_and_product_of_three(a, b):
    return np.sum(np.sin(b) + a @ b @ b) + np.sum(a)


def two_rows_into_one(a, b):
    c = np.zeros((2, 4))
    c[0] = b.reshape(1, 4) * a[0]
    c[1] = c[:2]
    return c.sum()


def a_row_added_to_a_vector(a, b):
    c = np.zeros((2, 4))
    c[0] += b.reshape(1, 4) * a[0]
    return c.sum()


def refused(function: Callable[..., Any], first: Any) -> bool:
    """Whether the function raises ValueError for a second argument of four numbers."""
    try:
        function(first, FOUR)
    except ValueError:
        return True
    return False


def named(parameter: Any) -> str | None:
    """A name for a test: that of the function."""
    return getattr(parameter, "__name__", None)


VECTORS = [
    dot,
    product,
    scaled,
    squares,
    guarded,
    helper,
    interpolated,
    into_all,
    into_row,
    into_slice,
    taken_away,
    overwritten,
    in_place,
    two_rows_into_one,
    a_row_added_to_a_vector,
]
UNFIT = [(function, THREE) for function in VECTORS] + [
    (function, MATRIX) for function in (form, nested, own_square, into_buffer)
]


@pytest.mark.parametrize("argnums", [0, 1, (0, 1)])
@pytest.mark.parametrize("transformation", [bs.grad, bs.value_and_grad])
@pytest.mark.parametrize(("function", "first"), UNFIT, ids=named)
def test_plain(
    function: Callable[..., Any], first: Any, transformation: Callable[..., Any], argnums: Any
) -> None:
    assert refused(function, first.copy())
    assert refused(transformation(function, argnums=argnums, jit=False), first)


@pytest.mark.compiles
@pytest.mark.parametrize("function", [dot, scaled, interpolated, into_row, in_place])
def test_compiled(function: Callable[..., Any]) -> None:
    assert refused(bs.grad(function, argnums=(0, 1)), THREE)


@pytest.mark.parametrize("function", [in_place, into_row, overwritten, taken_away])
def test_what_broadcasts_fits(function: Callable[..., Any]) -> None:
    value, _ = bs.value_and_grad(function, argnums=(0, 1), jit=False)(THREE, FREE)
    assert value == pytest.approx(function(THREE.copy(), FREE))


@pytest.mark.parametrize("argnums", [0, 1, (0, 1)])
@pytest.mark.parametrize("transformation", [bs.grad, bs.value_and_grad])
@pytest.mark.parametrize(
    "function", [tanh_and_product, tanh_and_dot, tanh_and_solution, sines_and_product_of_three], ids=named
)
def test_product_of_which_the_gradient_needs_only_the_shape(
    function: Callable[..., Any], transformation: Callable[..., Any], argnums: Any
) -> None:
    column, square = np.ones((4, 1)), np.arange(16.0).reshape(4, 4) + np.eye(4)
    gradient = transformation(function, argnums=argnums, jit=False)
    for called in (function, gradient):
        with pytest.raises(ValueError, match=r"do not match|matmul|aligned"):
            called(column, square)
    gradient(square, square)


FIVE = np.arange(1.0, 6.0)
TABLE = np.arange(10.0).reshape(2, 5)


def rows_by_a_constant(a):
    total = 0.0
    for i in range(a.shape[0]):
        total += np.dot(a[i], FIVE) + np.dot(FIVE, a[i])
    return total


def rows_by_a_constant_table(a):
    total = 0.0
    for i in range(a.shape[0]):
        total += np.sum(TABLE @ a[i])
    return total


def rows_with_a_constant(a):
    total = 0.0
    for i in range(a.shape[0]):
        total += np.sum(a[i] * FIVE)
    return total


def unread_sum_with_a_constant(a):
    _b = a[0] + FIVE
    return np.sum(a)


@pytest.mark.parametrize(
    "function",
    [rows_by_a_constant, rows_by_a_constant_table, rows_with_a_constant, unread_sum_with_a_constant],
    ids=named,
)
def test_constant_tables(function: Callable[..., Any]) -> None:
    gradient = bs.grad(function, jit=False)
    for columns in (4, 6, 3):
        for called in (function, gradient):
            with pytest.raises(ValueError, match=r"do not match|matmul|aligned|broadcast"):
                called(np.ones((3, columns)))
    gradient(np.ones((3, 5)))


def unread_sum(a, b):
    _c = a + b
    return np.sum(a * a)


def unread_choice(a, b):
    _c = np.where(a > 0.0, np.sin(b), 1.0)
    return np.sum(a * a) + np.sum(b)


def unread_product(a, b):
    _c = np.where(b > 0.0, b * (a @ b), b)
    return np.sum(a * a)


def unread_in_a_loop(a, b):
    s = 0.0
    for i in range(3):
        _c = a * b[i:]
        s += a[i] ** 2
    return s


def unread_rows(a, b):
    _c = np.vstack((a, b))
    return np.sum(a * a)


def unread_comparison(a, b):
    c = 1.0 * (a > b)
    return np.sum(a * np.sum(c))


def unread_system(a, b):
    _c = np.linalg.solve(np.outer(b, b[1:]), b)
    return np.sum(a * a)


def unread_subscript(a, b):
    _c = b[3] / b[0]
    return np.sum(a * a)


def unread_column(a, b):
    _c = np.outer(a, b)[:, 3]
    return np.sum(a * a)


def unread_element(a, b):
    c = np.zeros(3)
    for i in range(b.size):
        c[i] = 1.0
    return np.sum(a * a)


def unread_quotient(a, b):
    _c = 3 // (b.size - 4)
    return np.sum(a * a)


@pytest.mark.parametrize("transformation", [bs.grad, bs.value_and_grad])
@pytest.mark.parametrize(
    "function",
    [
        unread_sum,
        unread_choice,
        unread_product,
        unread_in_a_loop,
        unread_rows,
        unread_comparison,
    ],
    ids=named,
)
def test_what_nobody_reads_is_checked(
    function: Callable[..., Any], transformation: Callable[..., Any]
) -> None:
    assert refused(function, THREE)
    assert refused(transformation(function, jit=False), THREE)


@pytest.mark.parametrize("function", [unread_element, unread_quotient, unread_system], ids=named)
def test_errors_of_what_nobody_reads(function: Callable[..., Any]) -> None:
    error = (IndexError, ZeroDivisionError, np.linalg.LinAlgError)
    with pytest.raises(error) as own:
        function(THREE, FOUR)
    with pytest.raises(error) as found:
        bs.value_and_grad(function, jit=False)(THREE, FOUR)
    assert found.type is own.type


@pytest.mark.parametrize("function", [unread_subscript, unread_column], ids=named)
def test_subscripts_of_what_nobody_reads(function: Callable[..., Any]) -> None:
    gradient = bs.grad(function, jit=False)
    np.testing.assert_allclose(gradient(THREE, FOUR), 2.0 * THREE)
    with pytest.raises(IndexError):
        gradient(THREE, THREE)


def test_checks_only_what_is_not_computed() -> None:
    vector = numba.typeof(THREE)  # types show no extents, so that none are assumed
    assert "ValueError" in bs.grad(dot, argnums=(0, 1)).source(vector, vector)
    assert "do not match" not in bs.value_and_grad(dot, argnums=(0, 1)).source(THREE, THREE)
    assert "do not match" in bs.grad(own_square).source(MATRIX, FOUR)  # what follows rests on it
