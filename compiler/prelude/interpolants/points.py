"""What all interpolants ask of their arguments, and how they are evaluated at arrays."""

from __future__ import annotations

import math

import numpy as np

from backsweep.prelude.declare import early, is_complex, is_known, refuse
from backsweep.runtime.interpolants.cubic import checked

INSTEAD = "call it in a function of yours, as in lambda x: s(x), its derivative or its integral"
"""What to do in place of what an interpolant does not know here."""


def literal(option, name: str):
    """An option, which must be known while compiling."""
    if not is_known(option):
        refuse(f"`{name}` is known only when the program runs", "write it as a literal", "BS115")
    return option


def order_of(number, name: str):
    """The order of a derivative or an antiderivative."""
    literal(number, name)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        refuse("the order is not one of 0, 1, 2, ...", "give a whole number that is not negative")
    return number


def floats(values, called: str, name: str):
    """An argument as an array of floats of one or two axes."""
    if isinstance(values, (list, tuple)):
        values = np.array(values)
    if not isinstance(values, np.ndarray) or is_complex(values) or np.ndim(values) > 2:
        refuse(
            f"`{called}` of computed values takes arrays of real numbers of one or two axes as `{name}`",
            "reshape the array, or take its real part",
        )
    return early(_as_floats, values)


def _as_floats(values):
    return values if np.result_type(values) in ("float64", "d") else values.astype(np.float64)


def vector(values, called: str, name: str):
    """An argument as a vector of floats."""
    values = floats(values, called, name)
    if np.ndim(values) != 1:
        refuse(f"`{called}` takes a vector as `{name}`", "call it once for each row")
    return values


def points_and_values(x, y, axis, called: str):
    """Points that increase, and their values."""
    if axis != 0:
        refuse(
            f"`{called}` of computed values takes these along the axis 0 alone",
            "give the points along the first axis, as in y.T",
        )
    return early(checked, vector(x, called, "x")), floats(y, called, "y")


def real(x, called: str):
    """What a curve is evaluated at: a real number or an array of these."""
    if isinstance(x, (list, tuple)):
        x = np.array(x)
    if is_complex(x):
        refuse(
            f"`{called}` is evaluated at something other than real numbers",
            "call it with a real number or an array of these",
        )
    return x


def values_at(curve, x, order):
    """The values of a curve, or of a derivative: those at the points, with the curve's columns from its `axis` on."""
    x = real(x, curve.called)
    if np.ndim(x) == 0:
        return _at_number(curve, x, order)
    flat = x if np.ndim(x) == 1 else np.ravel(x)
    if curve.columns == ():
        y = np.empty(flat.size)
        for j in range(flat.size):
            at = flat[j]
            y[j] = curve.at(at, order)
        return y if np.ndim(x) == 1 else np.reshape(y, np.shape(x))
    columns = curve.count
    y = np.empty((flat.size, columns))
    for j in range(flat.size):
        at = flat[j]
        curve.put(y, j, at, order)
    if np.ndim(x) > 1 or len(_extents(curve)) > 1:
        y = np.reshape(y, (*np.shape(x), *_extents(curve)))
    return y if curve.axis == 0 else np.transpose(y, _places(np.ndim(x), curve.axis, np.ndim(y)))


def _at_number(curve, x, order):
    if curve.columns == ():
        return curve.at(x, order)
    y = np.empty((1, curve.count))
    curve.put(y, 0, x, order)
    return y[0] if len(_extents(curve)) == 1 else np.reshape(y, _extents(curve))


def _extents(curve):
    """The extents of the columns; those that are not known have one axis."""
    return (curve.count,) if curve.columns is None else curve.columns


def _places(points, axis, ndim):
    """The order of the axes in which those of the columns before `axis` stand before those of the points."""
    places = tuple(range(ndim))
    return (*places[points : points + axis], *places[:points], *places[points + axis :])


def held(x, first, last):
    """The nearest number between two others; at these its slope is 1."""
    if x < first:
        inside = first
    elif x > last:
        inside = last
    else:
        inside = x
    return inside


def piece(breaks, x, side):
    """Which piece a number is in, or next to."""
    return min(max(np.searchsorted(breaks, x, side) - 1, 0), breaks.size - 2)


def fill(value, x, q=None):
    """What is taken outside of the domain, of a column; where that is nan, so is the slope."""
    if isinstance(value, np.ndarray):
        return value[q]
    return value * x if is_known(value) and early(math.isnan, value) else value
