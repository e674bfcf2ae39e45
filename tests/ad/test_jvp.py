"""Forward mode: every function of the zoo, its tangent against its gradient by the dot product, which agree to rounding.

For a cotangent `c` of the result and a tangent `d` of the arguments, `<c, J d> = <J^T c, d>`: forward and reverse mode
are written by different passes, so that a fault of either shows.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests import zoo
from tests.support import checking
from tests.support.sampled import turning
from tests.zoo.case import Case

CASES = zoo.load()
COMPILED = turning(480, {case.function: case for case in CASES}.values())
"""Every ninetieth function, others in each turn: compiling takes seconds."""


UNDETERMINED = {"decompositions.equal_eigenvalues"}
"""Cases of vectors of equal values, which have no tangent: that the result depends on none of them shows in reverse only."""


def dots_of(args: Any, seed: int = 3) -> Any:
    """Tangents for arguments."""
    return checking.cotangent_like(args, seed)


def names_of(case: Case) -> tuple[str, ...]:
    """The names of the arguments that a case is differentiated for."""
    names = tuple(inspect.signature(getattr(case.function, "py_func", case.function)).parameters)
    return tuple(names[i] for i in case.argnums)


def check(case: Case, *, jit: bool) -> None:
    """The value, the structure of the tangent, and the dot product with the pullback."""
    wrt, args = names_of(case), case.args
    active = tuple(args[i] for i in case.argnums)
    dots = dots_of(active)
    given = checking.clone(dots)
    value, pullback = bs.vjp(case.function, *case.args, wrt=wrt, jit=False)
    got, got_dot = bs.jvp(case.function, args, given, wrt=wrt, jit=jit)
    checking.assert_unchanged(case.stored, args)
    checking.assert_unchanged(dots, given)
    checking.assert_own(got_dot, args, got)
    checking.assert_close(got, value)
    checking.assert_structure(got_dot, value, "tangent")
    cotangent = checking.cotangent_like(value)
    forward = checking.inner(cotangent, got_dot)
    if case.name in UNDETERMINED:
        assert np.isnan(forward)
        return
    backward = checking.inner(pullback(cotangent), dots)
    single = "float32" in inspect.getsource(getattr(case.function, "py_func", case.function)) or any(
        np.asarray(leaf).dtype == np.float32 for leaf in (*checking.leaves(value), *checking.leaves(active))
    )
    np.testing.assert_allclose(forward, backward, rtol=1e-4 if single else 1e-9, atol=1e-9)


# Every 24th, others in each turn; the fuzzer compares both modes, too, but for complex numbers: a ninth of these
@pytest.mark.parametrize(
    "case",
    [
        *turning(135, [case for case in CASES if "complex_" not in case.name]),
        *turning(21, [case for case in CASES if "complex_" in case.name]),
    ],
    ids=lambda case: case.name,
)
def test_plain(case: Case) -> None:
    check(case, jit=False)


@pytest.mark.compiles
@pytest.mark.parametrize("case", COMPILED, ids=lambda case: case.name)
def test_compiled(case: Case) -> None:
    check(case, jit=True)


def product(x: Any, y: Any, n: int) -> Any:
    for _ in range(n):
        y = y * x
    return y


def test_some_arguments() -> None:
    assert bs.jvp(product, (3.0, 2.0, 2), (1.0, 10.0), jit=False) == (18.0, 12.0 + 90.0)
    assert bs.jvp(product, (3.0, 2.0, 2), (1.0,), wrt="x", jit=False) == (18.0, 12.0)
    assert bs.jvp(product, (3.0, 2.0, 2), (10.0, 1.0), wrt=("y", "x"), jit=False) == (18.0, 102.0)


def test_tangents_of_other_layouts_and_types() -> None:
    x = np.arange(12.0).reshape(3, 4)

    def total(x: Any) -> Any:
        return np.sum(x * x)

    wanted = 2.0 * np.sum(x)
    for dot in (np.ones((4, 3)).T, np.ones((3, 4), dtype=np.int64), np.ones((3, 4)).tolist()):
        assert bs.jvp(total, (x,), (dot,), jit=False)[1] == wanted


def written_through_views(x: Any) -> Any:
    y = x * 2.0
    turned, flat = y.T, y.reshape(-1)
    turned[0, 1] = x[0, 0] * x[1, 1]
    flat[3] = flat[0] * flat[3]
    return np.sum(turned * x.T) + flat[1]


def written_after_a_sum(x: Any) -> Any:
    y = x + 1.0  # its tangent is that of x, and must not be its memory
    y[0, 0] = 3.0 * x[0, 1]
    return np.sum(x * x * y)


def several_at_once(x: Any) -> Any:
    _, logarithm = np.linalg.slogdet(x)
    return logarithm, (x[0, 0] * x[1, 1], x.T * 2.0)


@pytest.mark.parametrize("function", [written_through_views, written_after_a_sum, several_at_once])
def test_views_and_tuples(function: Any) -> None:
    check(Case(function, (np.array([[1.0, 0.4], [-0.3, 2.0]]),), (0,), function.__name__), jit=False)


def test_tangent_of_a_number_in_single_precision() -> None:
    def square(w: Any, x: Any) -> Any:
        return w * w if x > 0.0 else x

    primals = (np.float32(1.1), np.float32(2.0))
    for wrt, wanted in (("w", 0.22), ("x", 0.0)):
        value, dot = bs.jvp(square, primals, (np.float32(0.1),), wrt=wrt, jit=False)
        assert type(value) is type(dot) is np.float32
        np.testing.assert_allclose(dot, wanted, rtol=1e-6)


def twice(x: Any) -> Any:
    return x + x


@pytest.mark.parametrize(
    ("primals", "tangents", "message"),
    [
        (1.0, (1.0,), "`primals` must be a tuple, not a number"),
        ((1.0,), 1.0, "`tangents` must be a tuple, not a number"),
        ((1.0,), (1.0, 2.0), "there are 2 tangents for 1 arguments: x"),
        (
            (1.0,),
            (np.ones(2),),
            "of `x` must have the structure of the argument: a number, not an array of shape",
        ),
        ((1.0,), (1j,), "a number, not a complex number"),
        ((1.0,), (None,), "a number, not an object of the class `NoneType`"),
        ((np.ones(3),), (np.ones(2),), r"an array of shape \(3,\), not an array of shape \(2,\)"),
        ((np.ones(3),), (1.0,), r"an array of shape \(3,\), not a number"),
        (
            (np.ones(3),),
            ([1.0, [2.0, 3.0]],),
            r"an array of shape \(3,\), not a list of lists of several lengths",
        ),
        ((np.ones(3),), ((1.0, (2.0, 3.0)),), r"an array of shape \(3,\), not a tuple of 2"),
        ((np.ones(3),), (np.ones(3) * 1j,), "real, an array of shape .* not a complex array"),
    ],
)
def test_misfits(primals: Any, tangents: Any, message: str) -> None:
    with pytest.raises(bs.ArgumentError, match=message):
        bs.jvp(twice, primals, tangents, jit=False)


def test_tuples_fit() -> None:
    def first(pair: Any) -> Any:
        return pair[0] * pair[1]

    assert bs.jvp(first, ((2.0, 3.0),), ((1.0, 0.0),), jit=False) == (6.0, 3.0)
    with pytest.raises(bs.ArgumentError, match=r"of `pair` must have .* a tuple of 2, not a tuple of 3"):
        bs.jvp(first, ((2.0, 3.0),), ((1.0, 0.0, 1.0),), jit=False)
    with pytest.raises(bs.ArgumentError, match=r"of `pair`\[1\]"):
        bs.jvp(first, ((2.0, 3.0),), ((1.0, np.ones(1)),), jit=False)


def test_code_is_found_again() -> None:
    from backsweep.api.gradients import transformed_for

    bs.jvp(twice, (1.0,), (1.0,), jit=False)
    before = transformed_for.results(twice).cache_info().misses
    bs.jvp(twice, (2.0,), (3.0,), jit=False)
    assert transformed_for.results(twice).cache_info().misses == before


def spread_out(*xs: Any) -> Any:
    return xs[0] * xs[0]


@pytest.mark.compiles
def test_compiled_calls_take_what_does_not_fit_at_once() -> None:
    x = np.arange(12.0).reshape(3, 4)
    value, moved = bs.jvp(twice, (x,), (np.ones((3, 4)),))
    assert np.array_equal(value, 2.0 * x)
    assert np.array_equal(moved, np.full((3, 4), 2.0))
    still = np.ones((3, 4))
    still.flags.writeable = False
    for dot in (np.ones((4, 3)).T, np.ones((3, 4), dtype=np.int64), np.ones((3, 4)).tolist(), still):
        assert np.array_equal(bs.jvp(twice, (x,), (dot,))[1], moved)
    assert np.array_equal(bs.jvp(twice, (x.T,), (np.ones((4, 3)),))[1], moved.T)
    assert np.array_equal(bs.jvp(twice, (x[:, ::2],), (np.ones((3, 2)),))[1], moved[:, :2])
    single = bs.jvp(twice, (x.astype(np.float32),), (np.ones((3, 4)),))[1]
    assert single.dtype == np.float32
    assert bs.jvp(twice, (3.0,), (1,)) == (6.0, 2.0)
    assert bs.jvp(twice, (np.float64(3.0),), (1.0,)) == (6.0, 2.0)
    assert bs.jvp(twice, (3j,), (1.0,)) == (6j, 2.0 + 0j)
    assert bs.jvp(spread_out, (3.0,), ((1.0,),), wrt="xs") == (9.0, 6.0)
    for dot in (np.ones((4, 3)), 1.0, np.ones(4), np.ones((3, 4)) * 1j):
        with pytest.raises(bs.ArgumentError, match=r"of `x` must have the structure of the argument"):
            bs.jvp(twice, (x,), (dot,))
    with pytest.raises(bs.ArgumentError, match="there are 2 tangents for 1 arguments"):
        bs.jvp(twice, (x,), (x, x))
    with pytest.raises(bs.ArgumentError, match="no gradient"):
        bs.jvp(twice, (3,), (1.0,), wrt="x")


@pytest.mark.compiles
def test_calls_that_fit_are_numbas_own() -> None:
    product_ = bs.hvp(lambda x, k: np.sum(x**3) * k)
    x, v = np.arange(3.0), np.ones(3)
    for k in (2, 2.5):
        assert np.array_equal(product_((x, k), (v,)), 6.0 * k * x * v)
        assert np.array_equal(product_((x, k), (v.tolist(),)), 6.0 * k * x * v)
    with pytest.raises(bs.ArgumentError, match="of `x`"):
        product_((x, 2), (np.ones(4),))
    assert np.array_equal(product_((x, 2), (v,)), 12.0 * x)


def test_a_number_and_an_array_without_derivative() -> None:
    fixed = np.array([0.5, 2.0, 3.0])
    _, slope = bs.jvp(
        lambda a: np.sum((a + fixed) ** 2) + np.sum(np.maximum(a, fixed)), (1.2,), (1.0,), jit=False
    )
    assert slope == pytest.approx(np.sum(2.0 * (1.2 + fixed)) + 1.0)


@pytest.mark.compiles
def test_single_precision_stays_when_compiled() -> None:
    x = np.array([0.3, 0.7], np.float32)
    value, slope = bs.jvp(lambda x: np.arctan2(np.sqrt(x), x), (x,), (np.ones_like(x),))
    assert (value.dtype, slope.dtype) == (np.float32, np.float32)


def test_a_tangent_is_no_array_of_the_callers() -> None:
    def moved(x, y):
        return x + 1.0, y * 1.0

    x, direction = np.ones(3), np.arange(3.0)
    _, found = bs.jvp(moved, (x, x), (direction, direction), jit=False)
    checking.assert_own(found, direction)
    checking.assert_close(found, (direction, direction))
    _, same = bs.jvp(lambda x: x, (x,), (direction,), jit=False)
    checking.assert_own(same, direction)
