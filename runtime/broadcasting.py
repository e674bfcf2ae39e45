"""Broadcasting and its adjoint, for arrays of any number of dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from backsweep.runtime.compiled import kernel


def sum_to(x_bar: Any, x: Any) -> Any:
    """Sum a cotangent over the axes along which array `x` was broadcast; fresh, of the shape and dtype of `x`."""
    return x_bar.copy() if x_bar.shape == x.shape and x_bar.dtype == x.dtype else summed_to(x_bar, x)


@overload(sum_to)
def _sum_to(x_bar: Any, x: Any) -> Any:
    """A copy is quicker than a sum, and has the same type where the types agree."""
    if x_bar.ndim == x.ndim and x_bar.dtype == x.dtype:

        def perhaps_copied(x_bar: Any, x: Any) -> Any:
            return x_bar.copy() if x_bar.shape == x.shape else summed_to(x_bar, x)

        return perhaps_copied

    def implementation(x_bar: Any, x: Any) -> Any:
        return summed_to(x_bar, x)

    return implementation


@kernel
def summed_to(x_bar: Any, x: Any) -> Any:
    """As `sum_to`, whatever the shapes and dtypes."""
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
