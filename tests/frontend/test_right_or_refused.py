"""What the compiler may not know: each program is differentiated right, or refused; never a silent zero."""

# ruff: noqa: NPY002  what compiled code draws comes from the legacy generator

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from backsweep.rules import REGISTRY
from tests.support import checking
from tests.support.sampled import every, turning

X = np.array([0.3, 0.8, 1.1, 0.5])


def split_list(x):
    return np.sum(np.split(x, 2)[0] ** 2)


def filled_by_keyword(x):
    return np.sum(np.full(3, fill_value=x[0]) ** 2)


def summed_by_keyword(x):
    return np.sum(a=x * x)


def copied_by_keyword(x):
    return np.sum(np.copy(a=x) ** 2)


def outer_by_keyword(x):
    return np.sum(np.outer(a=x, b=x) ** 2)


def dot_by_keyword(x):
    return np.dot(a=x, b=x) + np.sum(np.expand_dims(x, axis=0) ** 2)


def mantissa(x):
    return math.frexp(x[0])[0]


def least_squares(x):
    return np.sum(np.linalg.lstsq(np.outer(x, x) + np.eye(4), x)[0])


def triangular_factor(x):
    return np.sum(np.linalg.qr(np.outer(x, x) + np.eye(4))[1])


def log_determinant(x):
    return np.linalg.slogdet(np.outer(x, x) + np.eye(4))[1]


def singular_values(x):
    _u, s, _v = np.linalg.svd(np.outer(x, x) + np.eye(4))
    return s[0]


def eigenvalues(x):
    values, _vectors = np.linalg.eigh(np.outer(x, x) + np.eye(4))
    return values[3]


def array_of_tuple(x):
    return np.sum(np.asarray((x[0], x[1])) * 2.0)


def sorted_entries(x):
    return np.sum(np.unique(x) ** 2)


def copied_into(x):
    y = np.zeros(4)
    np.copyto(y, x)
    return np.sum(y * y)


def output_by_position(x):
    y = np.empty(4)
    np.multiply(x, x, y)
    return np.sum(y)


def shuffled(x):
    y = x.copy()
    np.random.seed(3)
    np.random.shuffle(y)
    return y[0] * y[0] + y[1]


def drawn(x):
    np.random.seed(3)
    return x[0] * np.random.normal()


def matrix_power(x):
    return np.sum(np.linalg.matrix_power(np.outer(x, x), 3))


def repeated_index_store(x):
    y = x.copy()
    y[np.array([0, 0, 2])] += x[1]
    return np.sum(y * y)


def masked_update(x):
    y = x.copy()
    y[y > 0.6] *= 2.0
    return np.sum(y * y)


def diagonal_written(x):
    y = np.outer(x, x)
    np.fill_diagonal(y, x[0])
    return np.sum(y * y)


def put_into(x):
    y = x.copy()
    np.put(y, np.array([1]), x[0] * x[0])
    return np.sum(y * y)


def broadcast_pair(x):
    return np.sum(np.broadcast_arrays(x, x[:1])[1] * x)


def tree_written_later(x):
    t = -(x * x[0])
    t[...] += x
    return np.sum(t * x)


def tree_updated_later(x):
    t = -(x * x[0])
    t += x * x
    return np.sum(t * x)


def two_contributions(x):
    u = x * x[0]
    return np.sin(u)[0] + np.sum(np.cos(u))


PROGRAMS = [thing for thing in list(globals().values()) if getattr(thing, "__module__", "") == __name__]


@pytest.mark.parametrize("function", every(2, PROGRAMS), ids=lambda function: function.__name__)
def test_right_or_refused(function: Any) -> None:
    try:
        value, gradient = bs.value_and_grad(function, jit=False)(X.copy())
    except bs.BacksweepError:
        return
    checking.assert_close(value, function(X.copy()))
    checking.assert_gradient(gradient, function, (X,), 0)


def squared_by_eigenvectors(a):
    w, v = np.linalg.eigh(a)
    return np.sum(((v * w**2) @ v.T) * np.array([[0.3, 0.5], [0.7, 0.2]]))


def squared_by_singular_vectors(a):
    u, s, vt = np.linalg.svd(a)
    return np.sum(((u * s**2) @ vt) * np.array([[0.3, 0.5], [0.7, 0.2]]))


def cubes_of_eigenvalues(a):
    w, _v = np.linalg.eigh(a)
    return np.sum(w**3)


def all_left_vectors(a):
    u, _s, _vt = np.linalg.svd(a, True)
    return np.sum(u * np.arange(u.size).reshape(u.shape))


def all_right_vectors(a):
    _u, _s, vt = np.linalg.svd(a.T, True)
    return np.sum(vt * np.arange(vt.size).reshape(vt.shape))


@pytest.mark.parametrize("shape", [(4, 1), (7, 1), (4, 2)])
@pytest.mark.parametrize("function", [all_left_vectors, all_right_vectors])
def test_several_vectors_without_values_have_no_adjoint(function: Any, shape: tuple[int, int]) -> None:
    with pytest.raises(np.linalg.LinAlgError, match=r"have no singular values.*full_matrices=False"):
        bs.grad(function, jit=False)(np.random.default_rng(0).normal(size=shape))


def shares_of_a_rest(a):
    rest = np.linalg.svd(a * (1.0 + 0.3j) + 1j * a**2)[0][:, 1:]
    return np.sum((rest @ rest.conj().T).real * np.arange(16.0).reshape(4, 4))


def test_nor_have_complex_ones() -> None:
    a = np.random.default_rng(0).normal(size=(4, 1))
    with pytest.raises(np.linalg.LinAlgError, match=r"have no singular values.*conj\(\)"):
        bs.grad(lambda a: np.linalg.svd(a + 1j * a**2)[0][1, 2].real, jit=False)(a)
    step = 1e-4 * np.cos(a)
    wanted = (shares_of_a_rest(a + step) - shares_of_a_rest(a - step)) / 2.0
    np.testing.assert_allclose(np.sum(bs.grad(shares_of_a_rest, jit=False)(a) * step), wanted, rtol=1e-6)


@pytest.mark.turns(5)
@pytest.mark.compiles
@pytest.mark.parametrize("function", turning(3, [all_left_vectors, all_right_vectors]))
def test_compiled_likewise(function: Any) -> None:
    with pytest.raises(np.linalg.LinAlgError, match=r"have no singular values.*full_matrices=False"):
        bs.grad(function)(np.random.default_rng(0).normal(size=(4, 1)))


BY_VECTORS = [squared_by_eigenvectors, squared_by_singular_vectors]


@pytest.mark.parametrize(
    ("function", "jit"),
    [
        *((function, False) for function in BY_VECTORS),
        *((function, True) for function in turning(9, BY_VECTORS)),
    ],
)
def test_vectors_of_equal_values_have_no_adjoint(function: Any, jit: bool) -> None:
    gradient = bs.grad(function, jit=jit)(2.0 * np.eye(2))
    assert np.isnan(gradient).any()


@pytest.mark.compiles
def test_second_derivatives_at_equal_eigenvalues_are_nan() -> None:
    gradient = bs.grad(cubes_of_eigenvalues, jit=True)
    np.testing.assert_allclose(gradient(2.0 * np.eye(2)), 12.0 * np.eye(2))
    _, pullback = bs.vjp(gradient, 2.0 * np.eye(2), wrt="a")
    assert np.isnan(pullback(np.array([[0.3, 0.0], [0.5, 0.2]]))).any()


def diagonal_read_after_a_write(a):
    b = a.copy()
    d = np.diag(b)
    b[0, 0] = 5.0 * b[1, 1]
    return np.sum(d * d)


def diagonal_copied_before_a_write(a):
    b = a.copy()
    d = np.diag(b).copy()
    b[0, 0] = 5.0 * b[1, 1]
    return np.sum(d * d) + np.sum(b)


def test_a_diagonal_that_numpy_and_numba_read_differently_is_refused() -> None:
    a = np.arange(1.0, 10.0).reshape(3, 3)
    with pytest.raises(bs.UnsupportedError, match="a view in NumPy and a copy in Numba"):
        bs.grad(diagonal_read_after_a_write, jit=False)(a)
    value, gradient = bs.value_and_grad(diagonal_copied_before_a_write, jit=False)(a)
    assert value == diagonal_copied_before_a_write(a)
    checking.assert_gradient(gradient, diagonal_copied_before_a_write, (a,), 0)


def tuple_of_a_number(x):
    return tuple(x)


def tuple_of_two(x):
    return tuple(x, x)


def power_that_no_word_holds(x):
    return np.linalg.matrix_power(x, 2**100)


@pytest.mark.parametrize(
    ("function", "args", "code"),
    [
        (tuple_of_a_number, (1.0,), "BS113"),
        (tuple_of_two, (1.0,), "BS113"),
        (power_that_no_word_holds, (np.eye(2),), "BS301"),
    ],
)
def test_what_would_be_dropped_is_refused(function, args, code) -> None:
    with pytest.raises(bs.BacksweepError) as caught:
        bs.vjp(function, *args, jit=False)
    assert caught.value.problems[0].code == code
    assert caught.value.problems[0].remedy


def a_number_or_part_of_an_array(x, k):
    y = x * 1.0
    y[k:] *= x[k:] if k > 1 else 3.0
    return np.sum(y * y)


def an_array_on_both_sides(x, k):
    y = x * 1.0
    y[k:] *= x[k:] if k > 1 else np.full(x[k:].shape, 3.0)
    return np.sum(y * y)


def test_a_value_without_a_name_is_not_called_by_one() -> None:
    with pytest.raises(
        bs.BacksweepError, match="this is a number on one path and an array on another"
    ) as caught:
        bs.grad(a_number_or_part_of_an_array, jit=False)(X, 2)
    assert "np.full(x.shape, 1.0)" in str(caught.value)
    for k in (1, 2):
        bs.check_grads(an_array_on_both_sides, (X, k))


area = bs.pure_python(lambda sides: sides[0] * sides[1], result=0.0)


def area_of_a_tuple(x):
    return area((x, 2.0 * x))


def test_a_rule_for_arrays_is_not_given_a_tuple() -> None:
    rules = list(REGISTRY)

    @bs.rule(area)
    def of_area(sides):
        y = area(sides)
        return y, lambda y_bar: y_bar * np.array(sides)[::-1]

    with pytest.raises(bs.UnsupportedError, match="given a tuple"):
        bs.grad(area_of_a_tuple, jit=False)(3.0)
    REGISTRY[:] = rules


RECORDS = np.zeros(2, np.dtype([("mass", "f8"), ("place", "f8")]))


def of_a_field(records, x):
    return records[1].mass + x * len(records)


def of_a_column(records, x):
    return np.nanmean(records["mass"]) * x


def test_records_are_given_or_refused_in_words() -> None:
    assert bs.grad(of_a_field, wrt="x", jit=False)(RECORDS, 1.5) == 2.0
    with pytest.raises(bs.TypingError):
        bs.grad(of_a_column, wrt="x", jit=False)(RECORDS, 1.5)


def mean_of(z):
    return np.mean(z)


@pytest.mark.compiles
def test_the_mean_of_no_complex_numbers_is_no_error() -> None:
    value, pullback = bs.vjp(mean_of, np.zeros(0, complex))
    assert np.isnan(value)
    assert pullback(1.0).shape == (0,)


def volume(width=1.0, height=2.0, depth=3.0):
    return width * height * depth


def with_a_tuple_that_grows(x):
    sides = ()
    for k in range(3):
        sides = sides + (x * k + 1.0,)  # noqa: RUF005  the concatenation is what is tested
    return x * volume(*sides)


def with_starred_arguments_that_grow(x, *rest):
    sides = ()
    for k in range(len(rest)):
        sides = sides + (rest[k] * x,)  # noqa: RUF005  the concatenation is what is tested
    return volume(*sides)


def with_a_tuple_of_two_lengths(x):
    sides = (x,) if x < 0.0 else (x, x)
    return volume(*sides)


def with_a_tuple_that_is_replaced(x):
    sides = (x,)
    while sides[0] > 0.0:
        sides = (-x, x)
    return volume(*sides)


def with_rows_after_the_first(x):
    table = np.zeros(2)
    for _ in range(2):
        table = np.zeros((2, 2)) * x
    return x * table.ndim


def with_what_is_made_of_it(x):
    table = np.zeros(2)
    for _ in range(2):
        table = np.zeros((2, 2)) * x
    doubled = table * 2.0
    return x * len(doubled.shape)


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (with_a_tuple_that_grows, (2.0,)),
        (with_starred_arguments_that_grow, (2.0, 3.0, 4.0)),
        (with_a_tuple_of_two_lengths, (2.0,)),
        (with_a_tuple_that_is_replaced, (2.0,)),
        (with_rows_after_the_first, (2.0,)),
        (with_what_is_made_of_it, (2.0,)),
    ],
)
def test_a_type_that_depends_on_the_path_is_refused(function: Any, given: tuple[float, ...]) -> None:
    """Nobody reads the variable itself, so that Numba does not refuse it: the value was that of one path."""
    with pytest.raises(bs.BacksweepError, match=r"on one path|not known before|Numba cannot type|chooses"):
        bs.vjp(function, *given, jit=False)


@pytest.mark.parametrize("join", [np.hstack, np.vstack, np.column_stack])
def test_what_is_joined_may_be_given_by_keyword(join: Any) -> None:
    def joined(x: Any) -> Any:
        return np.sum(join(tup=[x * k for k in range(2)]))

    assert list(bs.grad(joined, jit=False)(np.ones(3))) == [1.0, 1.0, 1.0]
