"""Whether arrays are the same memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backsweep.runtime.support.compiled import kernel


@kernel
def overlap(x: Any, y: Any) -> bool:
    """Whether an element of one array may have memory in common with an element of the other.

    Elements that lie within one range, but between one another (`a[::2]` and `a[1::2]`), are none of the other's. A
    complex number has memory in common with its parts.
    """
    if x.size == 0 or y.size == 0:
        return False
    distance = np.int64(y.ctypes.data) - np.int64(x.ctypes.data)
    x_low = x_high = y_low = y_high = grid = 0
    for count, stride in zip(x.shape, x.strides):  # noqa: B905  Numba has no `strict`
        x_low, x_high = x_low + min(0, stride * (count - 1)), x_high + max(0, stride * (count - 1))
        grid = math.gcd(grid, abs(stride)) if count > 1 else grid
    for count, stride in zip(y.shape, y.strides):  # noqa: B905
        y_low, y_high = y_low + min(0, stride * (count - 1)), y_high + max(0, stride * (count - 1))
        grid = math.gcd(grid, abs(stride)) if count > 1 else grid
    if distance + y_low >= x_high + x.itemsize or distance + y_high + y.itemsize <= x_low:
        return False
    if grid == 0:
        return True
    behind = distance % grid  # so far an element of y begins behind the nearest place of one of x
    return bool(behind < x.itemsize or grid - behind < y.itemsize)
