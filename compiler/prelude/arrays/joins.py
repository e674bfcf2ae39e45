"""Arrays that are joined of others, and of the lists that a program fills: `np.stack`, `np.concatenate` and their kin."""

from __future__ import annotations

import numpy as np

from backsweep.prelude.declare import as_array, axes_of_items, core, grows, has_known_items, is_known, means


@means(np.stack)
def stack(arrays, axis=0, **options):
    """A list that grows is one array, whose first axis goes where it is wanted."""
    if not grows(arrays):
        return core(np.stack)(_as_arrays(arrays), axis, **options)
    made = np.array(arrays)
    return made if is_known(axis) and axis == 0 else np.moveaxis(made, 0, axis)


@means(np.concatenate)
def concatenate(arrays, axis=0, **options):
    """The arrays of a list that grows are stored one behind the other; without an axis, all their entries."""
    count = _axes(arrays, options) if is_known(axis) else -1
    if count >= 0 and axis is None:
        return np.array(arrays) if count == 0 else concatenated(arrays, None)
    if count < 1:
        return core(np.concatenate)(_as_arrays(arrays), axis, **options)
    if not -count <= axis < count:
        return core(np.concatenate)(arrays, axis)
    return concatenated(arrays, axis % count)


@means(np.hstack)
def hstack(tup, **options):
    """The second axis is joined, and the only one of vectors; numbers are entries."""
    count = _axes(tup, options)
    if count < 0:
        return core(np.hstack)(_as_arrays(tup), **options)
    return np.array(tup) if count == 0 else concatenated(tup, min(count - 1, 1))


@means(np.vstack, *([np.row_stack] if hasattr(np, "row_stack") else []))  # noqa: NPY201  while NumPy has it
def vstack(tup, **options):
    """The first axis is joined; vectors and lists of numbers are rows."""
    count = _axes(tup, options)
    if count < 0:
        return core(np.vstack)(_as_arrays(tup), **options)
    if count > 1:
        return concatenated(tup, 0)
    return np.array(tup) if count == 1 else np.expand_dims(np.array(tup), 1)


@means(np.column_stack)
def column_stack(tup):
    """The second axis is joined; vectors are columns."""
    count = _axes(tup, {})
    if count < 0:
        return core(np.column_stack)(_as_arrays(tup))
    if count > 1:
        return concatenated(tup, 1)
    return np.transpose(np.array(tup)) if count == 1 else np.expand_dims(np.array(tup), 0)


@means(np.dstack)
def dstack(tup):
    """The third axis is joined; matrices are stacked along it, and vectors are rows of it."""
    count = _axes(tup, {})
    if count < 0:
        return core(np.dstack)(_as_arrays(tup))
    if count > 2:
        return concatenated(tup, 2)
    if count == 0:
        return np.expand_dims(np.array(tup), (0, 1))
    made = np.moveaxis(np.array(tup), 0, -1)
    return made if count == 2 else np.expand_dims(made, 0)


@means(np.block)
def block(arrays):
    """The arrays of a list that grows stand side by side; those of lists in it, in rows below one another."""
    if not grows(arrays):
        return core(np.block)(arrays)
    if isinstance(arrays[0], list) and axes_of_items(arrays) < 0:
        return np.concatenate([np.concatenate(row, axis=-1) for row in arrays], axis=-2)
    return concatenated(arrays, max(axes_of_items(arrays) - 1, 0))


@means(np.append)
def append(arr, values, axis=None):
    """Both are arrays, in one axis each where none is named."""
    return core(np.append)(as_array(arr), as_array(values), axis)


def _axes(parts, options):
    """How many axes the arrays of a list that grows have; -1 for anything else, and where there are options."""
    return axes_of_items(parts) if grows(parts) and len(options) == 0 else -1


def _as_arrays(parts):
    """What is joined, with arrays in place of lists among it."""
    return tuple([as_array(each) for each in parts]) if has_known_items(parts) else parts


def stacked(items):
    """The arrays of a list that grows in one array, which has an axis more."""
    first = items[0]
    made = np.empty((len(items), *np.shape(first)), first.dtype)
    for k in range(len(items)):
        if np.shape(items[k]) != np.shape(first):
            raise ValueError("all input arrays must have the same shape")
        made[k] = items[k]
    return made


def rows(items):
    """The numbers of a list of lists that grows in one array with two axes."""
    first = items[0]
    made = np.empty((len(items), len(first)), np.array(first).dtype)
    for k in range(len(items)):
        row = items[k]
        if len(row) != len(first):
            raise ValueError("all the lists must have the same length")
        for j in range(len(row)):
            made[k, j] = row[j]
    return made


def concatenated(items, axis):
    """The arrays of a list that grows, one behind the other along an axis."""
    first = _turned(items[0], axis)
    total = 0
    for k in range(len(items)):
        if np.shape(_turned(items[k], axis))[1:] != np.shape(first)[1:]:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match exactly"
            )
        total += len(_turned(items[k], axis))
    made = np.empty((total, *np.shape(first)[1:]), first.dtype)
    start = 0
    for k in range(len(items)):
        stop = start + len(_turned(items[k], axis))
        made[start:stop] = _turned(items[k], axis)
        start = stop
    return made if axis is None or axis == 0 else np.moveaxis(made, 0, axis)


def _turned(item, axis):
    """The array with this axis first, also of a list; without an axis, its entries."""
    array = np.array(item) if grows(item) else item
    if axis is None:
        return np.ravel(array)
    return array if axis == 0 else np.moveaxis(array, axis, 0)


def added_up(items, start=0):
    """The sum of the arrays of a list that grows; that of none, which is no array, raises IndexError."""
    total = start + items[0]
    for k in range(1, len(items)):
        total = total + items[k]
    return total
