"""What arrays tell of their memory: flags, strides, and complex numbers seen as their parts."""

from __future__ import annotations

import numpy as np

from backsweep.prelude.declare import early, is_compiled, layout, refuse
from backsweep.runtime.support.marks import seen_as_view


def strides(a):
    """`a.strides` of an array in rows, or in columns."""
    order = _order(a, "strides")
    return tuple([a.dtype.itemsize * _extents(a, order, k) for k in tuple(range(a.ndim))])


def _extents(a, order, axis):
    """The product of the extents of the axes within an axis."""
    inner = axis + 1 if order == "C" else axis - 1
    if inner < 0 or inner == a.ndim:
        return 1
    return _extents(a, order, inner) * np.shape(a)[inner]


def _order(a, name):
    """The order in memory, which the type tells, as it tells Numba."""
    order = layout(a)
    if order == "A":
        refuse(
            f"the attribute `{name}` is about memory, which derivatives lay out otherwise",
            "ask before the call, and pass the answer, as in f(x, x.flags.c_contiguous) or f(x, x.strides[0])",
            "BS109",
        )
    return order


class Flags:
    """`a.flags`: an array, and the order in memory that its type tells."""

    def __init__(self, a) -> None:
        self.a = a
        self.order = _order(a, "flags")

    @property
    def c_contiguous(self):
        """Whether the array is in rows."""
        return True if self.order == "C" else self._is_one_long_axis()

    contiguous = c_contiguous

    @property
    def f_contiguous(self):
        """Whether the array is in columns."""
        return True if self.order == "F" or self.a.ndim < 2 else self._is_one_long_axis()

    @property
    def forc(self):
        """Whether the array is in rows or in columns."""
        return True

    @property
    def fnc(self):
        """Whether the array is in columns, and not in rows."""
        return self.f_contiguous and not self.c_contiguous

    def __getitem__(self, key):
        return getattr(self, early(_attribute, key))

    def _is_one_long_axis(self):
        """An array in rows is in columns, too, if it is no more than one long axis."""
        a = self.a
        long = 0
        for axis in range(a.ndim):
            long = long + (np.shape(a)[axis] > 1)
        if is_compiled():  # Numba has a rule of its own for empty arrays
            return long == 0 if np.size(a) == 0 else long < 2
        return np.size(a) == 0 or long < 2

    def _about_memory(self):
        refuse(
            "this flag is about memory, which derivatives lay out otherwise",
            "ask before the call, and pass the answer",
            "BS109",
        )

    owndata = writeable = aligned = writebackifcopy = behaved = carray = farray = property(_about_memory)


def _attribute(key: str) -> str:
    """The attribute for a flag by name."""
    return {"C": "c_contiguous", "F": "f_contiguous"}.get(key, key.lower())


def flags(a) -> Flags:
    """`a.flags`."""
    return Flags(a)


def parts_of_complex(a, kind):
    """Complex numbers seen as their parts."""
    y = np.empty((*np.shape(a)[:-1], 2 * np.shape(a)[-1]), kind)
    y[..., 0::2] = a.real
    y[..., 1::2] = a.imag
    return seen_as_view(y, a)


def complex_of_parts(a, kind):
    """Floats seen as complex numbers, two for each."""
    if np.shape(a)[-1] % 2 != 0:
        raise ValueError("the last axis has an odd number of floats, which are no complex numbers")
    y = np.empty((*np.shape(a)[:-1], np.shape(a)[-1] // 2), kind)
    y.real[...] = a[..., 0::2]
    y.imag[...] = a[..., 1::2]
    return seen_as_view(y, a)
