"""Functions of the zoo at points where something special happens: where both modes give a number, it is the same one.

At zeros, ties and infinities the two take different ways through a rule: what one multiplies by zero, the other may have as infinite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests import zoo
from tests.support.checking import clone
from tests.support.sampled import turning
from tests.zoo.case import Case

UNDEFINED = ("rearranged.interpolated",)
"""Functions that have no meaning at such points: NumPy interpolates between points in ascending order alone."""


def is_of_numbers(case: Case) -> bool:
    """Whether each argument is a number or an array in double precision, and varies."""
    return len(case.argnums) == len(case.stored) and all(
        isinstance(each, float) or getattr(each, "dtype", None) == np.float64 for each in case.stored
    )


CASES = turning(210, [case for case in zoo.load() if is_of_numbers(case) and case.name not in UNDEFINED])


def filled(value: float) -> Callable[[Any], Any]:
    """Arguments that are one number."""
    return lambda each: value if isinstance(each, float) else np.full_like(each, value)


def begun(value: float) -> Callable[[Any], Any]:
    """Arguments whose first entry is the number."""

    def given(each: Any) -> Any:
        if isinstance(each, float):
            return value
        if each.size:
            each.flat[0] = value
        return each

    return given


POINTS = {
    "zeros": filled(0.0),
    "ties": filled(0.5),
    "first zero": begun(0.0),
    "first infinite": begun(np.inf),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_of_both_modes_agree(case: Case) -> None:
    pushed = bs.jvp(case.function, jit=False)
    for change in POINTS.values():
        args = tuple(map(change, case.args))
        try:
            value = case.function(*clone(args))
            if not isinstance(value, float) or not np.isfinite(value):
                continue
            bars = bs.grad(case.function, argnums=case.argnums, jit=False)(*clone(args))
        except (ArithmeticError, ValueError, IndexError, np.linalg.LinAlgError):
            continue  # the function itself has no value there, or plain mathematics raises at infinity
        for number, bar in enumerate(bars):
            dots = [0.0 if isinstance(each, float) else np.zeros_like(each) for each in args]
            if isinstance(dots[number], float):
                dots[number] = 1.0
            elif dots[number].size:
                dots[number].flat[-1] = 1.0
            else:
                continue
            _, along = pushed(clone(args), tuple(dots))
            found = bar if isinstance(bar, float) else bar.flat[-1]
            if np.isfinite(found) and np.isfinite(along):
                assert along == pytest.approx(found, rel=1e-7, abs=1e-9), args
