"""Arrays that grow: what is to come is zero, for their shadows grow as they do."""

import numpy as np
import pytest

import backsweep as bs
from backsweep.runtime.tape import grown, reserved

POISON = 1e30


def poisoned() -> None:
    """Leave memory behind that holds anything but zeros."""
    for _ in range(50):
        np.full(40, POISON)


@pytest.mark.parametrize("compiled", [True, False])
def test_entries_to_come_are_zero(*, compiled: bool) -> None:
    for _ in range(20):
        poisoned()
        more = (reserved if compiled else reserved.py_func)(np.ones(16), 40)
        assert more.size == 40
        np.testing.assert_array_equal(more, [1.0] * 16 + [0.0] * 24)
        poisoned()
        twice = (grown if compiled else grown.py_func)(np.ones(20))
        np.testing.assert_array_equal(twice, [1.0] * 20 + [0.0] * 20)


def test_the_shadow_of_a_tape_that_grows_on_one_side_of_a_branch() -> None:
    def f(t, n, sure):
        if not sure:
            return t
        k = 0
        s = 0.0
        while k < n:
            k += 1
            for i in range(k, n):
                for _ in range(i):
                    s = np.exp(t**2)
        return s

    slope = bs.grad(f, jit=False)

    def weighted(t, n, sure):
        return 3.0 * slope(t, n, sure)

    t = 0.4
    for _ in range(10):
        poisoned()
        assert bs.grad(weighted, jit=False)(t, 5, True) == pytest.approx(
            3.0 * (2.0 + 4.0 * t * t) * np.exp(t * t), rel=1e-12
        )
