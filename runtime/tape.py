"""Storage that the forward sweep fills and the reverse sweep reads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.typed import List as ReferenceList

from backsweep.runtime.support.compiled import kernel

__all__ = ["ReferenceList", "grown", "reserved"]


@kernel
def grown(tape: Any) -> Any:
    """A copy of `tape` with room for twice as many entries; those to come are zero."""
    larger = np.zeros((2 * tape.shape[0], *tape.shape[1:]), tape.dtype)
    larger[: tape.shape[0]] = tape
    return larger


@kernel
def reserved(tape: Any, count: int) -> Any:
    """`tape` itself if it has room for `count` entries, else a larger copy; those to come are zero."""
    if count <= tape.shape[0]:
        return tape
    larger = np.zeros((max(count, 2 * tape.shape[0]), *tape.shape[1:]), tape.dtype)
    larger[: tape.shape[0]] = tape
    return larger
