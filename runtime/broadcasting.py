"""Broadcasting and its adjoint, for arrays of any number of dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from backsweep.runtime.compiled import kernel


def sum_to(x_bar: Any, x: Any) -> Any:
    """Sum a cotangent over the axes along which array `x` was broadcast; of the shape and dtype of `x`.

    Fresh memory, or `x_bar` itself where nothing was broadcast.
    """
    if x_bar.shape == x.shape and x_bar.dtype == x.dtype:
        return x_bar
    return summed_to(x_bar, x)


@overload(sum_to)
def _sum_to(x_bar: Any, x: Any) -> Any:
    """Returns its operand only where the types allow that."""
    if x_bar.ndim == x.ndim and x_bar.dtype == x.dtype and x_bar.layout == "C":

        def perhaps_itself(x_bar: Any, x: Any) -> Any:
            return x_bar if x_bar.shape == x.shape else summed_to(x_bar, x)

        return perhaps_itself

    def implementation(x_bar: Any, x: Any) -> Any:
        return summed_to(x_bar, x)

    return implementation


@kernel
def summed_to(x_bar: Any, x: Any) -> Any:
    """As `sum_to`, always fresh memory."""
    total = np.zeros(x.size, x.dtype)
    lead = x_bar.ndim - x.ndim
    for position, value in np.ndenumerate(x_bar):
        place = 0
        for axis in range(x.ndim):
            if x.shape[axis] == 1:
                continue
            place = place * x.shape[axis] + position[lead + axis]
        total[place] += value
    return total.reshape(x.shape)


@kernel
def stretched(x: Any, shape: Any) -> Any:
    """`x` itself where it has the shape already, else a broadcast copy."""
    if x.ndim == len(shape):
        if x.shape == shape:
            return x
        return np.broadcast_to(x, shape).copy()
    return np.broadcast_to(x, shape).copy()


def aligned(x: Any, like: Any) -> Any:
    """`x` itself where its shape agrees with the last axes of what it and `like` broadcast to, else a stretched copy."""
    full = np.broadcast_shapes(x.shape, like.shape)
    return stretched(x, full[len(full) - x.ndim :])


@overload(aligned)
def _aligned(x: Any, like: Any) -> Any:
    """Numba slices a tuple by constants only, and these follow from the types."""
    lead = max(x.ndim, like.ndim) - x.ndim

    def implementation(x: Any, like: Any) -> Any:
        full = np.broadcast_shapes(x.shape, like.shape)
        return stretched(x, full[lead:])

    return implementation
