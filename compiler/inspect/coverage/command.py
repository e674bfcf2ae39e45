"""The command `coverage`: the page, or the rows of the functions that are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from backsweep.dispatch.known_functions import known_functions
from backsweep.inspect.coverage.page import listed, page
from backsweep.inspect.coverage.rows import row_of


def run(beginnings: Sequence[str]) -> int:
    """Print it, and return the exit code: 1 if a function is not classified, or none is found."""
    names = [name for name in known_functions() if not beginnings or name.startswith(tuple(beginnings))]
    found = [row_of(name) for name in names]
    if beginnings:
        print(*(listed(found) if found else ["Numba knows no function whose name begins so"]), sep="\n")
    else:
        print(page(found), end="")
    return 0 if found and all(row.kind is not None for row in found) else 1
