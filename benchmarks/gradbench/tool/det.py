"""The eval `det`: a determinant by expansion along rows, as a recursion."""

from __future__ import annotations

from numba import njit
from timed import Function, floats

import backsweep as bs


@njit
def minor(a, row, left):
    """The determinant of the rows from `row` on and of the columns whose bits are set in `left`."""
    n = a.shape[0]
    total = 0.0
    sign = 1.0
    for j in range(n):
        if left >> j & 1:
            below = 1.0 if row == n - 1 else minor(a, row + 1, left ^ 1 << j)
            total += sign * a[row, j] * below
            sign = -sign
    return total


@njit
def determinant(a):
    return minor(a, 0, (1 << a.shape[0]) - 1)


def arguments(given):
    n = given["ell"]
    return (floats(given["A"]).reshape(n, n),)


FUNCTIONS = {
    "primal": Function(determinant, arguments),
    "gradient": Function(bs.grad(determinant), arguments, lambda bar: bar.ravel().tolist()),
}
