"""Small matrices: the runtime's functions, the sizes that code assumes for them, and types that Numba need not be asked."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core import types
from numba.core.registry import cpu_target

import backsweep as bs
from backsweep.runtime import linalg
from backsweep.specialise.variants import MOST_SIZES
from backsweep.typing.known_results import RESULTS, type_returned
from tests.zoo.small_matrices import filtered

RNG = np.random.default_rng(3)
LAYOUTS = {"C": np.ascontiguousarray, "F": np.asfortranarray, "A": lambda a: np.repeat(a, 2, axis=0)[::2]}


@pytest.mark.parametrize(
    ("count", "layout"), [(1, "C"), (2, "C"), (3, "C"), (3, "F"), (3, "A"), (4, "C"), (8, "C")]
)
def test_functions_of_small_matrices(count: int, layout: str) -> None:
    x = LAYOUTS[layout](RNG.normal(size=(count, count)))
    y, sides = RNG.normal(size=count), RNG.normal(size=(count, 3))
    np.testing.assert_allclose(linalg.small_inverse(x) @ x, np.eye(count), atol=1e-10)
    np.testing.assert_allclose(linalg.small_solution(x, y), np.linalg.solve(x, y), rtol=1e-8)
    np.testing.assert_allclose(linalg.small_solutions(x, sides), np.linalg.solve(x, sides), rtol=1e-8)
    np.testing.assert_allclose(linalg.small_determinant(x), np.linalg.det(x), rtol=1e-10)
    if count <= 4:
        np.testing.assert_allclose(
            linalg.small_cofactors(x), np.linalg.inv(x).T * np.linalg.det(x), rtol=1e-8
        )


def test_the_first_column_may_begin_with_zero() -> None:
    x = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 3.0]])
    np.testing.assert_allclose(linalg.small_inverse(x), np.linalg.inv(x))
    np.testing.assert_allclose(linalg.small_determinant(x), np.linalg.det(x))


def test_what_is_singular_or_not_finite_raises_as_in_compiled_code() -> None:
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert linalg.small_determinant(singular) == 0.0
    for call in (linalg.small_inverse, lambda x: linalg.small_solution(x, np.ones(2))):
        with pytest.raises(np.linalg.LinAlgError, match="singular"):
            call(singular)
        with pytest.raises(np.linalg.LinAlgError, match="infs or NaNs"):
            call(np.array([[1.0, np.nan], [0.0, 1.0]]))
    with pytest.raises(np.linalg.LinAlgError, match="infs or NaNs"):
        linalg.small_determinant(np.array([[1.0, np.inf], [0.0, 1.0]]))
    with pytest.raises(np.linalg.LinAlgError, match="infs or NaNs"):
        linalg.small_solution(np.eye(2), np.array([1.0, np.nan]))


def code(text: str) -> str:
    """The text without its comments."""
    return "\n".join(line for line in text.splitlines() if not line.strip().startswith("#"))


def filter_arguments(states: int, seen: int) -> tuple[np.ndarray, ...]:
    return (
        RNG.normal(size=(states, states)) / states,
        RNG.normal(size=(seen, states)),
        RNG.normal(size=(seen, seen)),
        RNG.normal(size=(4, seen)),
    )


def test_sizes_are_assumed_for_few_calls_only() -> None:
    """Code for a third size assumes none, and serves the others."""

    def chain(a, steps):
        b = a
        for _ in range(steps):
            b = b @ a
        return np.sum(b)

    gradient = bs.grad(chain)
    for n in (2, 3, 4, 20):
        a = RNG.normal(size=(n, n)) / n
        expected = sum(
            np.linalg.matrix_power(a.T, k) @ np.ones((n, n)) @ np.linalg.matrix_power(a.T, 2 - k)
            for k in range(3)
        )
        np.testing.assert_allclose(gradient(a, 2), expected)
    sources = [gradient.source(np.eye(n), 2) for n in (2, 3, 4)]
    assert ["@" in code(each) for each in sources] == [False] * MOST_SIZES + [True]


def test_no_library_is_called_for_small_matrices() -> None:
    text = code(bs.grad(filtered).source(*filter_arguments(3, 2)))
    assert "@" not in text
    assert "np.linalg" not in text


@pytest.mark.turns(9)
@pytest.mark.parametrize(
    ("function", "ranks"),
    [
        pytest.param(function, ranks, id=f"{function.__name__}{ranks}")
        for function, known in RESULTS.items()
        for ranks in known
        if function is not np.linalg.matrix_power  # Numba thinks that it may be None
    ],
)
def test_known_types_are_numba_s(function: object, ranks: tuple[int, ...]) -> None:
    context = cpu_target.typing_context
    asked = context.resolve_value_type(function)
    given = tuple(types.Array(types.float64, ndim, "F" if ndim > 1 else "C") for ndim in ranks)
    assert type_returned(asked, given) == context.resolve_function_type(asked, given, {}).return_type


def test_numba_is_asked_for_other_types() -> None:
    matrix, single = types.Array(types.float64, 2, "C"), types.Array(types.float32, 2, "C")
    assert type_returned(np.dot, (matrix, single)) is None
    assert type_returned(np.dot, (matrix, types.Array(types.float64, 3, "C"))) is None
    assert type_returned(np.linalg.inv, (types.Array(types.int64, 2, "C"),)) is None
    assert type_returned(np.sin, (matrix,)) is None
    assert type_returned(np.outer, (matrix, matrix)) is None
