"""Programs with arrays run at extents 0, 1 and 2, too: as far as the function itself runs there, its gradient is right."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from tests import zoo
from tests.fuzz.outcome import UnfitError
from tests.support import checking
from tests.support.sampled import turning
from tests.zoo import empty_slices
from tests.zoo.case import Case

SIZES = (0, 1, 2)
OWN = (ArithmeticError, LookupError, ValueError, RuntimeWarning, np.linalg.LinAlgError, UnboundLocalError)
"""What a function raises of its own."""
CASES = list({case.function: case for case in reversed(zoo.load())}.values())[::-1]
WITH_ARRAYS = [
    case
    for case in CASES
    if any(isinstance(leaf, np.ndarray) and leaf.ndim for leaf in checking.leaves(case.stored))
    and not case.name.startswith("recursion.")  # in machine code, recursion that never ends is no error
]


def cut(args: Any, size: int) -> Any:
    """The arguments with the first entries of each array along each axis, in the order in memory that they had."""

    def first(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray) or not leaf.ndim:
            return leaf
        part = leaf[(slice(size),) * leaf.ndim]
        if leaf.flags.c_contiguous:
            return np.ascontiguousarray(part)
        return np.asfortranarray(part) if leaf.flags.f_contiguous else part

    return checking.map_leaves(first, args)


@contextmanager
def ended(seconds: float = 2.0) -> Iterator[None]:
    """Raise UnfitError in Python code that goes on for longer: a loop may wait for entries that are not there."""

    def stop(*_: Any) -> None:
        raise UnfitError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def value_of(function: Callable[..., Any], args: Any) -> Any:
    """What the function returns; None where it raises, warns or is not finite, and where that is no number or array."""
    try:
        with warnings.catch_warnings(), ended():
            warnings.simplefilter("error")
            value = function(*checking.clone(args))
    except (*OWN, UnfitError):
        return None
    leaves = checking.leaves(value)
    return value if all(np.all(np.isfinite(leaf)) for leaf in leaves if checking.is_active(leaf)) else None


def check(case: Case, size: int) -> None:
    """Compare value and gradient with arrays of that extent, for one call of several transformed functions."""
    function, args = getattr(case.function, "py_func", case.function), cut(case.args, size)
    value = value_of(function, args)
    if value is None or not isinstance(value, float):
        return
    try:
        found, gradient = bs.value_and_grad(case.function, argnums=case.argnums, jit=False)(
            *checking.clone(args)
        )
    except np.linalg.LinAlgError as error:
        if str(error) != "Arrays cannot be empty":  # Numba raises this, where NumPy has determinants
            raise
        return
    np.testing.assert_allclose(found, value, rtol=1e-5 if _is_single(args) else 1e-10, atol=1e-12)
    expected = checking.reference(function, args, case.argnums)
    checking.assert_structure(gradient, tuple(args[k] for k in case.argnums))
    if all(np.all(np.abs(error) < 1e-6) for error in expected.errors):
        checking.assert_close(
            gradient, expected.gradient, expected.errors, tuple(args[k] for k in case.argnums)
        )


def _is_single(args: Any) -> bool:
    return any(np.asarray(leaf).dtype == np.float32 for leaf in checking.leaves(args))


@pytest.mark.parametrize("case", turning(18, WITH_ARRAYS), ids=lambda case: case.name)
def test_zoo(case: Case) -> None:
    for size in SIZES:
        check(case, size)


EMPTY = [case for case in WITH_ARRAYS if case.name.startswith("empty_slices.")]


@pytest.mark.parametrize("case", EMPTY, ids=lambda case: case.name)
def test_slices_that_may_be_empty(case: Case) -> None:
    for size in (*SIZES, 3):
        check(case, size)


@pytest.mark.parametrize("case", EMPTY, ids=lambda case: case.name)
def test_code_that_assumes_nothing_of_extents(case: Case) -> None:
    """The code for types alone, as compiled functions call it."""
    transformed = bs.value_and_grad(case.function, argnums=case.argnums, jit=False)
    emitted = transformed.emitted_types(tuple(map(numba.typeof, case.args)))
    for size in (*SIZES, 3):
        args = cut(case.args, size)
        value = value_of(case.function, args)
        if value is not None:
            found, gradient = emitted.functions[emitted.names[0]](*args)
            np.testing.assert_allclose(found, value, rtol=1e-10, atol=1e-12)
            checking.assert_gradient(gradient, case.function, args, case.argnums)


@pytest.mark.parametrize("size", SIZES)
def test_compiled(size: int) -> None:
    args = cut((np.arange(1.0, 5.0), np.arange(2.0, 6.0)), size)
    found, gradient = bs.value_and_grad(empty_slices.joined_with_another, argnums=(0, 1))(*args)
    assert found == pytest.approx(empty_slices.joined_with_another(*args))
    checking.assert_gradient(gradient, empty_slices.joined_with_another, args, (0, 1))
