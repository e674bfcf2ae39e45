"""Constant arrays as operands, where a number might stand: exponents on a side of a branch, the start of a sum."""

import numpy as np

from tests.zoo.case import case, matrix

POWERS = np.array([0.0, 1.0, 2.0, 3.0])
WHOLE = np.array([1, 2, 0, 3])
NOTHING = np.zeros(4)


@case(0.4, 0.7)
@case(-0.4, 0.7)
def series_on_one_side(x, y):
    if x > 0.0:
        return np.sum(x**POWERS * (y + 0.1) ** WHOLE)
    return x * y


@case(0.15, 0.7)
def series_in_some_iterations(x, y):
    total = x
    for k in range(3):
        if x > 0.1 * k:
            total += np.sum((x + k) ** WHOLE * y**POWERS)
        else:
            total -= y * total
    return total


@case(0.4, 0.7)
def sum_from_a_start(x, y):
    return np.sum(sum([x * POWERS, y * POWERS * POWERS], NOTHING) ** 2)


OUTSIDE = np.linspace(0.1, 1.2, 5)
OUTSIDE_ROWS = np.linspace(0.3, 2.0, 12).reshape(3, 4)
OUTSIDE_COUNTS = np.arange(12).reshape(3, 4)
AXES = (1, 0)
SIDES = (1.0, 2.0)


@case(matrix(3, 4))
def given_to_library_functions(x):
    """What these mean asks how long a tuple is, and of which kind an array, also of those that have names outside."""
    padded = np.pad(OUTSIDE, (1, 2), constant_values=SIDES)
    weight = np.sum(np.inner(OUTSIDE_ROWS, OUTSIDE_COUNTS)) + padded[-1] + np.poly(OUTSIDE)[1]
    kind = 2.0 if OUTSIDE.dtype == np.float64 and OUTSIDE_COUNTS.dtype.kind in "iu" else 3.0
    turned = np.rot90(x, 1, AXES) * np.arange(3)
    around = np.pad(x, 1, constant_values=SIDES) ** 2
    return np.sum(turned**2) * weight * kind + np.sum(around) + np.sum(np.inner(x, OUTSIDE_ROWS) ** 2)
