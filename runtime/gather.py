"""The adjoint of reading an array at positions that an index array holds, where positions may repeat."""

from __future__ import annotations

from typing import Any

from backsweep.runtime.compiled import kernel


@kernel
def scatter_add(x_bar: Any, index: Any, y_bar: Any) -> None:
    """Add `y_bar[k]` to `x_bar[index[k]]` for every k, one after the other; a mask adds to where it is true."""
    for position in range(index.shape[0]):
        x_bar[index[position]] += y_bar[position]


scatter_add.writes = True  # type: ignore[attr-defined]  # it changes its first operand, so it is not dead code
