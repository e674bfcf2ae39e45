"""Arrays with parts joined, put in and taken out along an axis, and arrays with more axes."""

from __future__ import annotations

import numpy as np
from numba.core import types

from backsweep.runtime.overloads.forms import (
    is_array,
    is_none,
    literal,
    refused,
    reject,
)
from backsweep.runtime.overloads.texts import stands_for


@stands_for(np.concatenate)
def concatenate(arrays, axis=0, out=None, dtype=None):
    """Arrays and tuples of numbers joined along an axis, or all their entries for `axis=None`; Numba joins arrays."""
    if not isinstance(arrays, types.BaseTuple) or not len(arrays):
        return None
    flat = axis is not None and is_none(axis)
    if not flat and all(map(is_array, arrays)):
        return None
    reject("np.concatenate", out=out, dtype=dtype)
    parts = [_part("np.concatenate", f"arrays[{k}]", each) for k, each in enumerate(arrays)]
    if flat:
        return f"return np.concatenate(({', '.join(f'np.ravel({part})' for part in parts)},))"
    at = 0 if isinstance(axis, int) else literal(axis)
    return f"return np.concatenate(({', '.join(parts)},), {at})"


def _part(function: str, name: str, type_) -> str:
    """A part as an array: a tuple of numbers is made one."""
    if is_array(type_):
        return name
    if isinstance(type_, types.BaseTuple) and len(type_):
        return f"np.array({name})"
    raise refused(f"`{function}` is given a part that is no array", "make it one: np.array([x]).")


@stands_for(np.vstack)
def vstack(tup):
    """Rows and matrices joined to a matrix; Numba joins arrays with as many axes."""
    if not isinstance(tup, types.BaseTuple) or not len(tup):
        return None
    ranks = {each.ndim if is_array(each) else 0 for each in tup}
    if ranks != {1, 2}:
        return None
    parts = [f"tup[{k}][np.newaxis, :]" if each.ndim == 1 else f"tup[{k}]" for k, each in enumerate(tup)]
    return f"return np.concatenate(({', '.join(parts)},), 0)"


@stands_for(np.hstack)
def hstack(tup):
    """Vectors and numbers joined to a vector; Numba joins arrays."""
    if not isinstance(tup, types.BaseTuple) or not any(map(is_array, tup)):
        return None
    ranks = {each.ndim if is_array(each) else 0 for each in tup}
    if ranks != {0, 1} or not all(is_array(each) or isinstance(each, types.Number) for each in tup):
        return None
    parts = [f"tup[{k}]" if is_array(each) else f"np.array([tup[{k}]])" for k, each in enumerate(tup)]
    return f"return np.concatenate(({', '.join(parts)},))"


@stands_for(np.append)
def append(arr, values, axis=None):
    """Numbers that are written out behind the entries of an array; Numba appends arrays."""
    if not is_array(arr) or not isinstance(values, types.BaseTuple) or not is_none(axis):
        return None
    return "return np.append(arr, np.array(values))"


@stands_for(np.expand_dims)
def expand_dims(a, axis):
    """An array with new axes of extent 1 at several places; Numba has one."""
    if not is_array(a) or not isinstance(axis, types.BaseTuple):
        return None
    named, ndim = literal(axis), a.ndim + len(axis)
    if named is None or any(not -ndim <= each < ndim for each in named):
        raise refused(
            "the axes of `np.expand_dims` are not known, or none of the result's", "write them as numbers."
        )
    new = {each % ndim for each in named}
    if len(new) != len(named):
        raise refused("`np.expand_dims` names an axis twice", "name each axis once.")
    return f"return a[{', '.join('np.newaxis' if each in new else ':' for each in range(ndim))}]"
