"""Adjoints of reading and reordering entries at positions that an index array holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.runtime.compiled import kernel


@kernel
def scatter_add(x_bar: Any, index: Any, y_bar: Any) -> None:
    """Add `y_bar[k]` to `x_bar[index[k]]` for every k, one after the other: positions may repeat.

    `index` holds whole numbers and has one dimension; where `x_bar` has more, whole rows are added.
    """
    for position in range(index.shape[0]):
        x_bar[index[position]] += y_bar[position]


scatter_add.writes = True  # type: ignore[attr-defined]  # it changes its first operand, so it is not dead code


@kernel
def sort_pullback(y_bar: Any, x: Any) -> Any:
    """The adjoint of `x` where `y = np.sort(x)` and `x` has one dimension."""
    order = np.argsort(x)
    x_bar = np.empty_like(x)
    for position in range(x.size):
        x_bar[order[position]] = y_bar[position]
    return x_bar


@kernel
def median_pullback(y_bar: Any, x: Any) -> Any:
    """The adjoint of `x` where `y = np.median(x)`: the middle entry's, or a half for each of the two."""
    order = np.argsort(x.ravel())
    x_bar = np.zeros(x.size, x.dtype)
    x_bar[order[(x.size - 1) // 2]] += 0.5 * y_bar
    x_bar[order[x.size // 2]] += 0.5 * y_bar
    return x_bar.reshape(x.shape)


@kernel
def repeat_pullback(y_bar: Any, x: Any, count: int) -> Any:
    """The adjoint of `x` where `y = np.repeat(x, count)`, every entry the same number of times."""
    x_bar = np.zeros(x.size, x.dtype)
    for position in range(y_bar.size):
        x_bar[position // count] += y_bar[position]
    return x_bar.reshape(x.shape)
