"""Systems of `scipy.linalg` with a Toeplitz matrix, which is written out for them."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numba.core import types

from backsweep.runtime.overloads.forms import refused
from backsweep.runtime.overloads.texts import stands_for
from backsweep.runtime.samples.lines import is_sampled, taken_note_of
from backsweep.runtime.support.compiled import kernel


def register() -> None:
    """Tell Numba of this function."""
    taken_note_of()


@kernel
def diagonals(column, row):
    """The matrix whose diagonals are constant, with this first column and first row, whose first entry is not read."""
    y = np.empty((column.size, row.size), (column[:1] + row[:1]).dtype)
    for i in range(column.size):
        for j in range(row.size):
            y[i, j] = column[i - j] if i >= j else row[j - i]
    return y


@stands_for(scipy.linalg.solve_toeplitz, diagonals=diagonals)
def solve_toeplitz(c_or_cr, b, check_finite=True):
    """The solution of a system whose matrix has constant diagonals."""
    name = "scipy.linalg.solve_toeplitz"
    given = list(c_or_cr) if isinstance(c_or_cr, types.BaseTuple) else [c_or_cr]
    if len(given) > 2 or not is_sampled(name, b) or not all(is_sampled(name, each) for each in given):
        return None
    if any(each.ndim != 1 for each in given):
        raise refused(
            f"`{name}` takes the first column, or a tuple of the first column and row", "give vectors."
        )
    if len(given) == 2:
        return "c, r = c_or_cr\nreturn np.linalg.solve(diagonals(c, r), b)"
    return "return np.linalg.solve(diagonals(c_or_cr, np.conj(c_or_cr)), b)"
