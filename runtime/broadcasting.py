"""Broadcasting and its adjoint, for arrays of any number of dimensions."""

from __future__ import annotations

import numpy as np
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload

from backsweep.runtime.support.compiled import declared, kernel


@declared(shaped_like="x", shape_only=["x"])
def sum_to(x_bar, x):
    """Sum a cotangent over the axes along which array `x` was broadcast; fresh, of the shape and dtype of `x`."""
    return x_bar.copy() if x_bar.shape == x.shape and x_bar.dtype == x.dtype else summed_to(x_bar, x)


@overload(sum_to)
def _sum_to(x_bar, x):
    """A copy is quicker than a sum, and has the same type where the types agree."""
    found = copied_or_summed if x_bar.ndim == x.ndim and x_bar.dtype == x.dtype else summed_to

    def implementation(x_bar, x):
        return found(x_bar, x)

    return implementation


@kernel
def copied_or_summed(x_bar, x):
    """`sum_to` for a cotangent and an array of one dtype and as many dimensions: a sum, or a copy if the shapes agree."""
    return x_bar.copy() if x_bar.shape == x.shape else summed_to(x_bar, x)


@kernel
def summed_to(x_bar, x):
    """`sum_to` for any shapes and dtypes."""
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


@declared(sharing="perhaps", checks=True)
@kernel
def stretched(x, shape):
    """`x` itself where it has the shape already, else a broadcast copy."""
    if x.ndim == len(shape):
        if x.shape == shape:
            return x
        return np.broadcast_to(x, shape).copy()
    return np.broadcast_to(x, shape).copy()


def joint_shape(one, other):
    """The shape that arrays of these two shapes broadcast to; Numba compiles NumPy's function for a second and longer."""
    return np.broadcast_shapes(one, other)


@overload(joint_shape)
def _joint_shape(one, other):
    """The longer shape goes first; a number has no extents to go through."""
    if not len(one) or not len(other):

        def longer(one, other):
            return one + other

        return longer
    swapped = len(one) < len(other)

    def implementation(one, other):
        return widened(other, one) if swapped else widened(one, other)

    return implementation


@kernel
def widened(shape, other):
    """`joint_shape` of a shape and another one of at most as many axes."""
    lead = len(shape) - len(other)
    for axis in range(len(other)):
        if shape[lead + axis] == 1:
            shape = tuple_setitem(shape, lead + axis, other[axis])
        elif other[axis] not in (1, shape[lead + axis]):
            raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    return shape


@declared(sharing="perhaps", shape_only=["like"])
def aligned(x, like):
    """`x` itself where its shape agrees with the last axes of what it and `like` broadcast to, else a stretched copy."""
    full = joint_shape(x.shape, like.shape)
    return stretched(x, full[len(full) - x.ndim :])


@overload(aligned)
def _aligned(x, like):  # noqa: ARG001  Numba wants the parameters of `aligned`
    """A number, which has no axes to go through, fits anything."""
    has_axes = x.ndim > 0

    def implementation(x, like):
        return last_axes_aligned(x, like) if has_axes else x

    return implementation


@kernel
def last_axes_aligned(x, like):
    """`aligned` of an array that has axes."""
    full, shape = joint_shape(x.shape, like.shape), x.shape
    lead = len(full) - len(shape)
    for axis in range(len(shape)):
        shape = tuple_setitem(shape, axis, full[lead + axis])
    return stretched(x, shape)
