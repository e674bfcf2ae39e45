"""The eval `det`: a determinant by expansion along rows, as a recursion.

The factors are passed down instead of multiplied on the way back: a sum of what the calls return is linear in them, so that the adjoint
need not know their values, and calls itself alone.
"""

from __future__ import annotations

import backsweep as bs
from timed import Function, floats


@bs.njit
def expanded(a, row, left, factor):
    """The determinant of the rows from `row` on and of the columns whose bits are set in `left`, times a factor."""
    n = a.shape[0]
    total = 0.0
    for j in range(n):
        if left >> j & 1:
            if row == n - 1:
                total += factor * a[row, j]
            else:
                total += expanded(a, row + 1, left ^ 1 << j, factor * a[row, j])
            factor = -factor
    return total


@bs.njit
def determinant(a):
    return expanded(a, 0, (1 << a.shape[0]) - 1, 1.0)


def arguments(given):
    n = given["ell"]
    return (floats(given["A"]).reshape(n, n),)


FUNCTIONS = {
    "primal": Function(determinant, arguments),
    "gradient": Function(
        bs.grad(determinant), arguments, lambda bar: bar.ravel().tolist()
    ),
}
