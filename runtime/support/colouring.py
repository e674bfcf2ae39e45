"""Colourings of the columns of a sparse matrix: columns of one colour are told apart in a single product.

The matrix is given by its rows and its columns as SciPy keeps them: `starts` and `places` of the entries of each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.runtime.support.compiled import kernel


@kernel
def column_colours(column_starts: Any, rows: Any, row_starts: Any, columns: Any, order: Any) -> Any:
    """Colours of the columns so that no row has entries in two columns of one colour, chosen greedily in an order."""
    count = column_starts.size - 1
    colours = np.full(count, -1)
    taken = np.full(count, -1)
    for column in order:
        for k in range(column_starts[column], column_starts[column + 1]):
            row = rows[k]
            for p in range(row_starts[row], row_starts[row + 1]):
                other = colours[columns[p]]
                if other >= 0:
                    taken[other] = column
        colour = 0
        while taken[colour] == column:
            colour += 1
        colours[column] = colour
    return colours


@kernel
def star_colours(starts: Any, places: Any, order: Any) -> Any:
    """Colours of the columns of a symmetric matrix so that each entry or its mirror image stands alone in its colour.

    Columns that share an entry differ, and no path over four columns has only two colours (a star colouring:
    Gebremedhin, Manne and Pothen, What color is your Jacobian?, section 4).
    """
    count = starts.size - 1
    colours = np.full(count, -1)
    taken = np.full(count, -1)
    for column in order:
        for k in range(starts[column], starts[column + 1]):
            near = places[k]
            if near == column:
                continue
            if colours[near] >= 0:
                taken[colours[near]] = column
            for p in range(starts[near], starts[near + 1]):
                far = places[p]
                if far in (column, near) or colours[far] < 0:
                    continue
                if colours[near] < 0:
                    taken[colours[far]] = column
                    continue
                for q in range(starts[far], starts[far + 1]):
                    last = places[q]
                    if last not in (far, near) and colours[last] == colours[near]:
                        taken[colours[far]] = column
                        break
        colour = 0
        while taken[colour] == column:
            colour += 1
        colours[column] = colour
    return colours
