"""Arrays in another arrangement: padded, repeated, joined in blocks, spread over a grid, with other axes."""

from __future__ import annotations

import numpy as np
from numba.core import types

from backsweep.runtime.overloads.forms import is_array, literal, refused
from backsweep.runtime.overloads.texts import stands_for
from backsweep.runtime.support.marks import seen_as_view


@stands_for(np.reshape, seen_as_view=seen_as_view)
def reshape(a, shape, order="C"):
    """The entries in another shape, in Fortran's order, or of a part of an array; Numba has C's of whole arrays."""
    if not is_array(a):
        return None
    if isinstance(order, str | types.Omitted):
        # NumPy has a view where the strides let it
        copied = "return seen_as_view(np.reshape(np.ascontiguousarray(a), shape), a)"
        return copied if a.layout == "A" else None
    if literal(order) == "C":
        return "return np.reshape(np.ascontiguousarray(a), shape)"
    if literal(order) != "F":
        raise refused("`order=` of `np.reshape` is 'C' or 'F'", "write one of them.")
    if isinstance(shape, types.Integer):
        return "return np.reshape(np.ascontiguousarray(np.transpose(a)), shape)"
    turned = ", ".join(f"shape[{k}]" for k in reversed(range(len(shape))))
    return f"return np.transpose(np.reshape(np.ascontiguousarray(np.transpose(a)), ({turned},)))"


@stands_for(np.ravel, first=True)
def ravel(a, order="C"):
    """The entries in one dimension, in Fortran's order; Numba has C's."""
    if not is_array(a) or isinstance(order, str | types.Omitted):
        return None
    if literal(order) != "F":
        raise refused("`order=` of `np.ravel` is left out or 'F'", "write one of them.")
    return "return np.ravel(np.transpose(a).copy())"


@stands_for(float)
def of_flag(x):
    """`float(flag)`, which Numba lacks."""
    return "return 1.0 if x else 0.0" if isinstance(x, types.Boolean) else None


@stands_for(abs)
def absolute(x):
    """Absolute values by the builtin function; Numba has those of numbers."""
    return "return np.abs(x)" if is_array(x) else None
