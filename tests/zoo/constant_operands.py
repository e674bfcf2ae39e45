"""Constant arrays as operands, where a number might stand: exponents on a side of a branch, the start of a sum."""

import numpy as np

from tests.zoo.case import case

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
