"""Arrays in another arrangement: padded, repeated, joined in blocks, spread over a grid, with other axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import axes_of, is_array, is_none, literal, refused
from backsweep.runtime.overloads.texts import INDICES, dtype_text, indented_loops, stands_for
from backsweep.runtime.support.marks import seen_as_view


@stands_for(np.tile)
def tile(A, reps):
    """An array repeated along its axes."""
    if not is_array(A) or not isinstance(reps, types.Integer | types.BaseTuple):
        return None
    count = len(reps) if isinstance(reps, types.BaseTuple) else 1
    ndim = max(count, A.ndim)
    own = [f"A.shape[{axis - ndim + A.ndim}]" if axis >= ndim - A.ndim else "1" for axis in range(ndim)]
    times = [f"reps[{axis - ndim + count}]" if axis >= ndim - count else "1" for axis in range(ndim)]
    if not isinstance(reps, types.BaseTuple):
        times[-1] = "reps"
    shape = [f"{each} * {own[axis]}" if own[axis] != "1" else each for axis, each in enumerate(times)]
    places = [
        (
            f"{INDICES[axis]} * {own[axis]} : ({INDICES[axis]} + 1) * {own[axis]}"
            if own[axis] != "1"
            else INDICES[axis]
        )
        if times[axis] != "1"
        else ":"
        for axis in range(ndim)
    ]
    bounds = {INDICES[axis]: each for axis, each in enumerate(times) if each != "1"}
    lines = [f"y = np.empty(({', '.join(shape)},), {dtype_text(as_dtype(A.dtype))})"]
    return "\n".join([*lines, *indented_loops(bounds, f"y[{', '.join(places)}] = A"), "return y"])


@stands_for(np.squeeze)
def squeeze(a, axis=None):
    """An array without axes of length 1, which the call names."""
    if not is_array(a):
        return None
    if is_none(axis):
        raise refused(
            "`np.squeeze` without `axis=` takes away as many axes as the extents say, which only the run knows",
            "name the axes, as in np.squeeze(x, axis=1), or write x[:, 0].",
        )
    axes = axes_of("np.squeeze", axis, a.ndim)
    message = "cannot select an axis to squeeze out which has size not equal to one"
    checks = "".join(f'if a.shape[{each}] != 1:\n    raise ValueError("{message}")\n' for each in axes)
    return f"{checks}return a[{', '.join('0' if each in axes else ':' for each in range(a.ndim))}]"


@stands_for(np.block)
def block(arrays):
    """Matrices joined to rows, and rows to a matrix."""
    if not isinstance(arrays, types.BaseTuple):
        raise refused("`np.block` is given no tuple", "write it as np.block(((a, b), (c, d))).")
    if all(is_array(each) for each in arrays):
        return f"return np.concatenate(arrays, {max(each.ndim for each in arrays) - 1})"
    if not all(isinstance(row, types.BaseTuple) and all(is_array(each) for each in row) for row in arrays):
        raise refused("`np.block` is supported for arrays, and rows of arrays", "make numbers arrays first.")
    ndims = {each.ndim for row in arrays for each in row}
    if ndims == {1}:
        rows = [f"np.expand_dims(np.concatenate({_row(k, row)}), 0)" for k, row in enumerate(arrays)]
        return f"return np.concatenate(({', '.join(rows)},), 0)"
    if ndims != {2}:
        raise refused("`np.block` is supported for rows of matrices", "join with np.concatenate.")
    rows = [f"np.concatenate({_row(k, row)}, 1)" for k, row in enumerate(arrays)]
    return f"return np.concatenate(({', '.join(rows)},), 0)"


def _row(number: int, row: Sequence[Any]) -> str:
    """The arrays of one row of a block, as a tuple."""
    return f"({', '.join(f'arrays[{number}][{k}]' for k in range(len(row)))},)"


@stands_for(np.meshgrid, seen_as_view=seen_as_view)
def meshgrid(x, y=None, z=None, copy=True, sparse=False, indexing="xy"):
    """Coordinates of a grid of one, two or three axes."""
    given = [name for name, each in (("x", x), ("y", y), ("z", z)) if not is_none(each)]
    kinds = [each for each in (x, y, z) if not is_none(each)]
    if not all(is_array(each) and each.ndim == 1 for each in kinds):
        raise refused("`np.meshgrid` is supported for vectors", "flatten them first.")
    order, is_sparse, is_shown = literal(indexing), literal(sparse), literal(copy) is False
    if order not in ("xy", "ij") or is_sparse is None:
        raise refused("`indexing=` and `sparse=` of `np.meshgrid` are literals", "write 'xy' or 'ij'.")
    axes = list(range(len(given)))
    if order == "xy" and len(given) > 1:
        axes[0], axes[1] = 1, 0
    extents = [f"{given[axes.index(axis)]}.size" for axis in range(len(given))]
    lines = []
    for name, axis, type_ in zip(given, axes, kinds, strict=True):
        place = ", ".join(":" if each == axis else "np.newaxis" for each in range(len(given)))
        if is_sparse:
            lines.append(f"grid_{name} = {name}[{place}].copy()")
        else:
            lines.append(
                f"grid_{name} = np.empty(({', '.join(extents)},), {dtype_text(as_dtype(type_.dtype))})"
            )
            lines.append(f"grid_{name}[{', '.join([':'] * len(given))}] = {name}[{place}]")
    grids = [f"seen_as_view(grid_{name}, {name})" if is_shown else f"grid_{name}" for name in given]
    return "\n".join([*lines, f"return ({', '.join(grids)},)"])


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


@stands_for(np.unravel_index)
def unravel_index(indices, shape, order="C"):
    """The subscripts, by axis, of positions in a flattened array."""
    given = types.unliteral(indices)
    if not isinstance(shape, types.BaseTuple) or literal(order) != "C":
        raise refused(
            "`np.unravel_index` takes a tuple of extents, rows first", "give x.shape, without `order=`."
        )
    if not (isinstance(given, types.Integer) or (is_array(given) and isinstance(given.dtype, types.Integer))):
        raise refused(
            "the positions of `np.unravel_index` are no whole numbers", "give a number or an array."
        )
    inside = "np.all((0 <= indices) & (indices < size))" if is_array(given) else "0 <= indices < size"
    lines = [f"size = {' * '.join(f'shape[{axis}]' for axis in range(len(shape)))}", f"if not ({inside}):"]
    lines.append("    raise ValueError('index is out of bounds for array of this size')")
    for axis in reversed(range(len(shape))):
        lines += [f"i{axis} = indices % shape[{axis}]", f"indices = indices // shape[{axis}]"]
    return "\n".join([*lines, f"return ({''.join(f'i{axis}, ' for axis in range(len(shape))).rstrip()})"])
