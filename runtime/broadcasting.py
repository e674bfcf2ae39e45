"""Broadcasting and its adjoint, for arrays of any number of dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.runtime.compiled import kernel


@kernel
def sum_to(x_bar: Any, x: Any) -> Any:
    """Sum a cotangent over the axes along which array `x` was broadcast; fresh, of the shape and dtype of `x`."""
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
