"""The lines of an array along an axis."""

from __future__ import annotations

import numpy as np
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload

from backsweep.runtime.support.compiled import declared, kernel


def with_extent(shape: tuple[int, ...], axis: int, extent: int) -> tuple[int, ...]:
    """The shape with another extent along an axis."""
    place = axis % len(shape)
    return (*shape[:place], extent, *shape[place + 1 :])


@overload(with_extent)
def _with_extent(shape, axis, extent):  # noqa: ARG001  Numba goes by the names
    def replaced(shape, axis, extent):
        return tuple_setitem(shape, axis % len(shape), extent)

    return replaced


@kernel
def split_at(x, axis: int):
    """The array with three axes: those before the axis as one, the axis, those behind it as one."""
    place = axis % x.ndim
    before = 1
    for k in range(place):
        before *= x.shape[k]
    count = x.shape[place]
    behind = x.size // max(before * count, 1)
    return np.ascontiguousarray(x).reshape((before, count, behind))


@kernel
def steps_along(x, axis: int) -> tuple[int, int]:
    """How many parts an array has before an axis, and how far apart the entries of a line are, in the order of rows."""
    before, apart = 1, 1
    for k in range(x.ndim):
        if k < axis:
            before *= x.shape[k]
        elif k > axis:
            apart *= x.shape[k]
    return before, apart


@declared(along="axis", length="length")
@kernel
def placed(x, axis: int, length: int, taken: tuple[int, int], given: tuple[int, int]):
    """Zeros, `length` along an axis, with entries of each line: from where on these are taken and stored, and how far apart."""
    before, behind = steps_along(x, axis)
    entries, result = x.ravel(), np.zeros(before * length * behind, x.dtype)
    n, (first, step), (start, apart) = x.shape[axis], taken, given
    count = min((n - first + step - 1) // step, (length - start + apart - 1) // apart)
    for i in range(before):
        for k in range(count):
            one, other = i * n + first + k * step, i * length + start + k * apart
            for j in range(behind):
                result[other * behind + j] = entries[one * behind + j]
    return result.reshape(with_extent(x.shape, axis, length))


@declared(along="axis", length="length")
@kernel
def doubled(x, axis: int, length: int, period: int):
    """The first half of each line of that period, in zeros: what is its own conjugate once, the others twice, for their conjugates, too."""
    before, behind = steps_along(x, axis)
    entries, result = x.ravel(), np.zeros(before * length * behind, x.dtype)
    n = x.shape[axis]
    for i in range(before):
        for k in range(min(n, length, period // 2 + 1)):
            times = 1.0 if k == 0 or 2 * k == period else 2.0
            for j in range(behind):
                result[(i * length + k) * behind + j] = times * entries[(i * n + k) * behind + j]
    return result.reshape(with_extent(x.shape, axis, length))
