"""The weights of samples in their integral."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.runtime.support.compiled import kernel


@kernel
def simpson_weights(count: int) -> Any:
    """The weights of Simpson's rule for equal steps of length 1; with an even number of points, Cartwright's for the last step."""
    weights = np.zeros(count)
    if count == 2:
        weights[:] = 0.5
        return weights
    odd = count if count % 2 == 1 else count - 1
    for k in range(0, odd - 2, 2):
        weights[k] += 1.0 / 3.0
        weights[k + 1] += 4.0 / 3.0
        weights[k + 2] += 1.0 / 3.0
    if odd < count:
        weights[count - 1] += 5.0 / 12.0
        weights[count - 2] += 2.0 / 3.0
        weights[count - 3] -= 1.0 / 12.0
    return weights


@kernel
def romberg_weights(count: int) -> Any:
    """The weights of Romberg's rule for steps of length 1."""
    intervals, order = 1, 0
    while intervals < count - 1:
        intervals *= 2
        order += 1
    if intervals != count - 1:
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    rows = np.zeros((order + 1, count))
    for i in range(order + 1):
        step = intervals >> i
        rows[i, ::step] = step
        rows[i, 0] = rows[i, count - 1] = 0.5 * step
    for j in range(1, order + 1):
        for i in range(order, j - 1, -1):
            rows[i] += (rows[i] - rows[i - 1]) / (4.0**j - 1.0)
    return rows[order]
