"""Arrays with parts joined, put in and taken out along an axis, and arrays with more axes."""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import (
    is_array,
    is_left_out,
    is_none,
    literal,
    refused,
    reject,
    single_axis,
)
from backsweep.runtime.overloads.texts import dtype_text, stands_for


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


@stands_for(np.delete, first=True)
def delete(arr, obj, axis=None):
    """Entries without those at some positions, along an axis, or without those where a condition holds."""
    if not is_array(arr):
        return None
    of_flags = is_array(obj) and isinstance(obj.dtype, types.Boolean)
    if is_none(axis) and not of_flags:
        return None
    at = 0 if is_none(axis) else single_axis("np.delete", axis, arr.ndim)
    source = "np.ravel(arr)" if is_none(axis) else "arr"
    extent = "arr.size" if is_none(axis) else f"arr.shape[{at}]"
    lines = [f"n = {extent}"]
    if of_flags:
        lines += [
            "if obj.size != n:",
            '    raise ValueError("boolean array argument obj to delete has another length than the axis")',
            "kept = np.logical_not(obj)",
        ]
    elif isinstance(obj, types.Integer):
        lines += [*_within("obj"), "kept = np.arange(n) != obj % n"]
    elif isinstance(obj, types.BaseTuple) or (is_array(obj) and isinstance(obj.dtype, types.Integer)):
        listed = "np.array(obj)" if isinstance(obj, types.BaseTuple) else "obj"
        lines += [f"places = {listed}", "kept = np.ones(n, np.bool_)", "for k in range(places.size):"]
        lines += [f"    {line}" for line in _within("places[k]")]
        lines.append("    kept[places[k]] = False")
    else:
        raise refused("`np.delete` is given no positions", "write them: np.delete(x, [0, 2], axis=0).")
    place = ", ".join([":"] * at + ["np.nonzero(kept)[0]"])
    return "\n".join([*lines, f"return {source}[{place}]"])


def _within(position: str) -> list[str]:
    """The statements that raise where a position lies outside the axis."""
    return [f"if {position} < -n or {position} >= n:", '    raise IndexError("index is out of bounds")']


@stands_for(np.insert, first=True)
def insert(arr, obj, values, axis=None):
    """An array with a part put in at one position along an axis; Numba does so with vectors."""
    if not is_array(arr) or is_none(axis):
        return None
    at = single_axis("np.insert", axis, arr.ndim)
    if not isinstance(obj, types.Integer):
        return _inserted_at_several(arr, obj, values, at)
    single = isinstance(values, types.Number)
    if not single and not (is_array(values) and values.ndim == arr.ndim - 1):
        raise refused(
            "`np.insert` along an axis takes a number, or a part with one axis less",
            "insert one part at a time.",
        )
    _check_dtype(arr, values)
    shape = [f"arr.shape[{k}]{' + 1' if k == at else ''}" for k in range(arr.ndim)]
    ahead = ", ".join([":"] * at)
    comma = ", " if at else ""
    return f"""
n = arr.shape[{at}]
if obj < -n or obj > n:
    raise IndexError("index is out of bounds")
k = obj + n if obj < 0 else obj
y = np.empty(({", ".join(shape)},), arr.dtype)
y[{ahead}{comma}:k] = arr[{ahead}{comma}:k]
y[{ahead}{comma}k] = values
y[{ahead}{comma}k + 1:] = arr[{ahead}{comma}k:]
return y
"""


def _check_dtype(arr, values) -> None:
    """Refuse to insert what an array of this dtype would hold as another number."""
    given = types.unliteral(getattr(values, "dtype", values))
    if not isinstance(given, types.Integer) and arr.dtype != given:
        raise refused("`np.insert` converts the values to the dtype of the array", "convert them first.")


def _inserted_at_several(arr, obj, values, at: int) -> str:
    """The body that puts in several parts along an axis, each before what was at its position; or all at one position."""
    listed = isinstance(obj, types.BaseTuple) and all(isinstance(each, types.Integer) for each in obj)
    if not listed and not (is_array(obj) and obj.ndim == 1 and isinstance(obj.dtype, types.Integer)):
        raise refused(
            "the positions of `np.insert` are no whole numbers",
            "write them: np.insert(x, [0, 2], v, axis=0).",
        )
    single = isinstance(values, types.Number)
    if not single and not (is_array(values) and values.ndim == arr.ndim):
        raise refused(
            "`np.insert` at several positions takes a number, or an array with as many axes",
            "give it the axis: values[np.newaxis].",
        )
    _check_dtype(arr, values)
    ahead = "".join([":, "] * at)
    lines = [f"n, places = arr.shape[{at}], {'np.array(obj)' if listed else 'obj'}"]
    if not single:
        lines += ["if places.size == 1:", f"    places = np.full(values.shape[{at}], places[0])"]
        lines += [
            f"if values.shape[{at}] != places.size and values.shape[{at}] != 1:",
            '    raise ValueError("the values of np.insert do not fit the positions")',
        ]
    part = "values" if single else f"values[{ahead}min(k, values.shape[{at}] - 1)]"
    shape = ", ".join(f"arr.shape[{k}]{' + places.size' if k == at else ''}" for k in range(arr.ndim))
    return "\n".join(
        [
            *lines,
            "if np.any((places < -n) | (places > n)):",
            '    raise IndexError("index is out of bounds")',
            "places = np.where(places < 0, places + n, places)",
            'order = np.argsort(places, kind="mergesort")',
            "spots = np.empty(places.size, np.int64)",
            "spots[order] = places[order] + np.arange(places.size)",
            "kept = np.ones(n + places.size, np.bool_)",
            "kept[spots] = False",
            "left = np.nonzero(kept)[0]",
            f"y = np.empty(({shape},), arr.dtype)",
            "for k in range(places.size):",
            f"    y[{ahead}spots[k]] = {part}",
            "for k in range(n):",
            f"    y[{ahead}left[k]] = arr[{ahead}k]",
            "return y",
        ]
    )


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


@stands_for(np.rot90)
def rot90(m, k=1, axes=(0, 1)):
    """Two axes turned by quarters; Numba has that of the first two."""
    if not is_array(m) or is_left_out(axes) or isinstance(axes, tuple):
        return None
    named, times = literal(axes), literal(k)
    if named is None or times is None or len(named) != 2:
        raise refused("`k` and `axes=` of `np.rot90` are known only when the program runs", "write numbers.")
    first, second = (single_axis("np.rot90", each, m.ndim) for each in named)
    if first == second:
        raise refused("`np.rot90` is given the same axis twice", "name two axes.")
    flip = {
        each: f"[{', '.join(['::-1' if axis == each else ':' for axis in range(m.ndim)])}]"
        for each in (first, second)
    }
    turned = {
        0: "m[:]",
        1: f"np.swapaxes(m{flip[second]}, {first}, {second})",
        2: f"m{flip[first]}{flip[second]}",
        3: f"np.swapaxes(m, {first}, {second}){flip[second]}",
    }
    return f"return {turned[times % 4]}"


@stands_for(np.broadcast_arrays, first=True)
def broadcast_arrays(*args):
    """Views of arrays in the shape that all of them broadcast to, as a tuple; Numba gives a list."""
    if not args or not all(is_array(each) for each in args):
        return None
    shape = f"np.broadcast_shapes({', '.join(f'args[{k}].shape' for k in range(len(args)))})"
    views = ", ".join(f"np.broadcast_to(args[{k}], shape)" for k in range(len(args)))
    return f"shape = {shape}\nreturn ({views},)"


@stands_for(np.resize)
def resize(a, new_shape):
    """The entries over and over, in a new shape; Numba returns a view where NumPy copies."""
    if not is_array(a):
        return None
    extents = ["new_shape"]
    if isinstance(new_shape, types.BaseTuple):
        extents = [f"new_shape[{axis}]" for axis in range(len(new_shape))]
    return f"""
shape = ({"".join(f"{extent}, " for extent in extents)})
if {" or ".join(f"{extent} < 0" for extent in extents) or "False"}:
    raise ValueError("All elements of `new_shape` must be non-negative")
size = {" * ".join(extents) or "1"}
y = np.zeros(size, {dtype_text(as_dtype(a.dtype))})
flat = np.ravel(a)
if flat.size > 0:
    for i in range(size):
        y[i] = flat[i % flat.size]
return np.reshape(y, shape)
"""
