"""Functions of arrays that are given a number, which NumPy takes for an array without axes; Numba has them of arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba.core import types

from backsweep.runtime.overloads.forms import is_array, is_none
from backsweep.runtime.overloads.texts import stands_for

OF_VECTORS = {
    name: name
    for name in ("var", "median", "count_nonzero", "argmax", "argmin", "cumsum", "cumprod", "ravel")
}
OF_VECTORS |= {name: name for name in ("nansum", "nanprod", "nancumsum", "nancumprod")}
OF_VECTORS |= {f"nan{name}": name for name in ("mean", "median", "var", "std")}
"""What NumPy does with a number as with a vector of one entry; nan alone is a mean of nothing, which is nan, too."""


def _is_number(*given) -> bool:
    """Whether all are types of numbers."""
    return all(isinstance(types.unliteral(each), types.Number | types.Boolean) for each in given)


def _of_one(name: str) -> Callable[..., str | None]:
    """What stands for a function of an array that is given a number."""

    def of_one(a, axis=None):
        return f"return np.{name}(np.array([a]))" if _is_number(a) and is_none(axis) else None

    return of_one


def _of_one_at(name: str) -> Callable[..., str | None]:
    """Likewise for what it gives for each of the parts that are asked for."""

    def of_one_at(a, q, axis=None):
        return f"return np.{name}(np.array([a]), q)" if _is_number(a) and is_none(axis) else None

    return of_one_at


for _name, _same in OF_VECTORS.items():
    stands_for(getattr(np, _name), first=True)(_of_one(_same))
for _name in ("percentile", "quantile", "nanpercentile", "nanquantile"):
    stands_for(getattr(np, _name), first=True)(_of_one_at(_name))


@stands_for(np.linalg.norm)
def norm(x):
    """The absolute value."""
    return "return np.abs(x)" if _is_number(x) else None


@stands_for(np.reshape)
def reshape(a, newshape):
    """An array with this one entry."""
    return "return np.reshape(np.array([a]), newshape)" if _is_number(a) else None


@stands_for(np.expand_dims)
def expand_dims(a, axis):
    """A vector with this one entry."""
    return "return np.array([a])" if _is_number(a) and isinstance(axis, types.Integer) else None


@stands_for(np.transpose)
def transpose(a):
    """The number itself."""
    return "return a" if _is_number(a) else None


@stands_for(np.dot)
def dot(a, b):
    """Products with a number."""
    pair = (_is_number(a) or _is_number(b)) and all(_is_number(each) or is_array(each) for each in (a, b))
    return "return a * b" if pair else None


@stands_for(np.vdot)
def vdot(a, b):
    """The product of two numbers, the first conjugated; that of two arrays is of all their entries."""
    if _is_number(a, b):
        return "return np.conj(a) * b"
    if not (is_array(a) and is_array(b)):
        return None
    if a.ndim > 1 or b.ndim > 1:
        return "return np.vdot(np.ravel(a), np.ravel(b))"
    return None if a.dtype == b.dtype else "return np.dot(np.conj(a), b)"


@stands_for(np.hstack)
def hstack(tup):
    """A vector of numbers."""
    return (
        "return np.array(tup)" if isinstance(tup, types.BaseTuple) and len(tup) and _is_number(*tup) else None
    )


@stands_for(np.vstack)
def vstack(tup):
    """A column of numbers."""
    of_numbers = isinstance(tup, types.BaseTuple) and len(tup) and _is_number(*tup)
    return "return np.expand_dims(np.array(tup), 1)" if of_numbers else None


@stands_for(np.stack)
def stack(arrays, axis=0):
    """A vector of numbers."""
    of_numbers = isinstance(arrays, types.BaseTuple) and len(arrays) and _is_number(*arrays)
    return "return np.array(arrays)" if of_numbers else None
