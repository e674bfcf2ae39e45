"""Arrays that are joined of others, and of the lists that a program fills, taken apart, and with parts put in, taken out and put around."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.prelude.declare import (
    as_array,
    axes_of_items,
    core,
    grows,
    has_array,
    has_known_items,
    is_known,
    means,
    refuse,
)

MOST_PARTS = 16
"""How many parts of an array are written out one by one."""


@means(np.stack)
def stack(arrays, axis=0, **options):
    """A list that grows is one array, whose first axis goes where it is wanted, and so is an array, whose parts are stacked."""
    if not grows(arrays) and not has_array(arrays):
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


@means(np.block, in_njit=True)
def block(arrays):
    """Arrays stand side by side, and those of lists of arrays in rows below one another."""
    if grows(arrays):
        if isinstance(arrays[0], list) and axes_of_items(arrays) < 0:
            return np.concatenate([np.concatenate(row, axis=-1) for row in arrays], axis=-2)
        return concatenated(arrays, max(axes_of_items(arrays) - 1, 0))
    if not has_known_items(arrays):
        refuse("`np.block` is given no tuple", "write it as np.block(((a, b), (c, d)))")
    for row in arrays:
        for each in row if has_known_items(row) else (row,):
            if not has_array(each):
                refuse("`np.block` is supported for arrays, and rows of arrays", "make numbers arrays first")
    if not has_known_items(arrays[0]):
        return np.concatenate(arrays, -1)
    return np.concatenate([np.atleast_2d(np.concatenate(row, -1)) for row in arrays], 0)


@means(np.tile, in_njit=True)
def tile(A, reps):
    """An array repeated along its axes; a number fills them."""
    x, given = as_array(A), reps if has_known_items(reps) else (reps,)
    new = len(given) - np.ndim(x)
    own = (*(1,) * new, *np.shape(x))
    times = (*(1,) * -new, *given)
    extents: Any = ()
    part: Any = ()
    for k, count in enumerate(times):
        if not is_known(count) or count != 1:
            extents, part = (*extents, count), (*part, np.newaxis)
        if k >= new:
            extents, part = (*extents, own[k]), (*part, slice(None))
    y = np.empty(extents, np.result_type(x))
    y[...] = x if np.ndim(x) == 0 else x[part]
    return np.reshape(y, tuple([count * n for count, n in zip(times, own)]))  # noqa: B905


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


@means(np.array_split)
def array_split(ary, indices_or_sections, axis=0):
    """Parts that differ by one in length, the longer ones first; or those between places."""
    ary = as_array(ary)
    if np.ndim(indices_or_sections) > 0:
        return _parts_between(ary, indices_or_sections, axis)
    if indices_or_sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    least, longer = ary.shape[axis] // indices_or_sections, ary.shape[axis] % indices_or_sections
    return [
        _part(ary, axis, k * least + min(k, longer), (k + 1) * least + min(k + 1, longer))
        for k in _counted(indices_or_sections)
    ]


@means(np.split)
def split(ary, indices_or_sections, axis=0):
    """Parts of one length; or those between places."""
    ary = as_array(ary)
    if np.ndim(indices_or_sections) > 0:
        return _parts_between(ary, indices_or_sections, axis)
    if indices_or_sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    if ary.shape[axis] % indices_or_sections != 0:
        raise ValueError("array split does not result in an equal division")
    length = ary.shape[axis] // indices_or_sections
    return [_part(ary, axis, k * length, (k + 1) * length) for k in _counted(indices_or_sections)]


@means(np.hsplit)
def hsplit(ary, indices_or_sections):
    """Parts along the second axis, and along the only one of vectors."""
    ary = as_array(ary)
    if ary.ndim < 1:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, min(ary.ndim - 1, 1))


@means(np.vsplit)
def vsplit(ary, indices_or_sections):
    """Parts along the first axis of matrices and stacks."""
    ary = as_array(ary)
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


@means(np.dsplit)
def dsplit(ary, indices_or_sections):
    """Parts along the third axis of stacks."""
    ary = as_array(ary)
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def _counted(count):
    """The numbers of the parts, each known while compiling if they are few."""
    return tuple(range(count)) if is_known(count) and count <= MOST_PARTS else range(count)


def _parts_between(ary, places, axis):
    """The part before the first place, those between two, and the one behind the last."""
    count = len(places)
    if has_known_items(places) or is_known(places):
        ends = [*tuple(places), ary.shape[axis]]
        return [_part(ary, axis, 0 if k == 0 else ends[k - 1], ends[k]) for k in tuple(range(count + 1))]
    return [
        _part(ary, axis, 0 if k == 0 else places[k - 1], ary.shape[axis] if k == count else places[k])
        for k in range(count + 1)
    ]


def _part(ary, axis, start, stop):
    """What lies between two places of an axis."""
    if is_known(axis):
        return ary[(*(slice(None),) * (axis % ary.ndim), slice(start, stop))]
    return np.moveaxis(np.moveaxis(ary, axis, 0)[start:stop], 0, axis)


def _axis_of(name, arr, axis):
    """The axis that a call names, counted from the front."""
    if not is_known(axis) or not -arr.ndim <= axis < arr.ndim:
        refuse(f"the axis of `{name}` is not known, or none of the array's", "write its number, as in axis=0")
    return axis % arr.ndim


def _resized(arr, at, extent):
    """The shape of an array whose axis has another extent."""
    return tuple([extent if k == at else arr.shape[k] for k in tuple(range(arr.ndim))])


@means(np.delete)
def delete(arr, obj, axis=None):
    """Entries without those at some positions, along an axis, or without those where a condition holds."""
    arr = np.ravel(as_array(arr)) if axis is None else as_array(arr)
    at = 0 if axis is None else _axis_of("np.delete", arr, axis)
    n = arr.shape[at]
    places = np.arange(n)[obj] if isinstance(obj, slice) else as_array(obj)
    kind = np.result_type(places).kind
    if kind not in "biu":
        refuse("`np.delete` is given no positions", "write them: np.delete(x, [0, 2], axis=0)")
    if kind == "b" and np.size(places) != n:
        raise ValueError("boolean array argument obj to delete has another length than the axis")
    kept = np.logical_not(places) if kind == "b" else _kept(places, n)
    return arr[(*(slice(None),) * at, np.nonzero(kept)[0])]


def _kept(places, n):
    """Which of so many entries are at none of these positions."""
    kept = np.ones(n, np.bool_)
    for p in (places,) if np.ndim(places) == 0 else np.ravel(places):
        if p < -n or p >= n:
            raise IndexError("index is out of bounds")
        kept[p] = False
    return kept


@means(np.insert)
def insert(arr, obj, values, axis=None):
    """An array with parts put in along an axis, each before what was at its position; or all of them at one position."""
    arr = np.ravel(as_array(arr)) if axis is None else as_array(arr)
    at = 0 if axis is None else _axis_of("np.insert", arr, axis)
    n, values = arr.shape[at], as_array(values)
    places = np.arange(n)[obj] if isinstance(obj, slice) else as_array(obj)
    if np.result_type(places).kind not in "iu" or np.ndim(places) > 1:
        refuse(
            "the positions of `np.insert` are no whole numbers", "write them: np.insert(x, [0, 2], v, axis=0)"
        )
    if not np.can_cast(np.result_type(values), arr.dtype, "same_kind"):
        refuse("`np.insert` converts the values to the dtype of the array", "convert them first")
    if np.ndim(places) == 0 and np.ndim(values) in (0, arr.ndim - 1):
        return _inserted_at_one(arr, places, values, at)
    if np.ndim(values) not in (0, arr.ndim) or (np.ndim(places) == 0 and arr.ndim > 1):
        refuse(
            "`np.insert` takes a number, a part with one axis less, or at several positions an array with as many axes",
            "insert one part at a time, or give it the axis: values[np.newaxis]",
        )
    if np.ndim(values) > 0:
        if np.size(places) == 1:
            places = np.full(values.shape[at], places if np.ndim(places) == 0 else places[0])
        if values.shape[at] != np.size(places) and values.shape[at] != 1:
            raise ValueError("the values of np.insert do not fit the positions")
    return _inserted_at_several(arr, places, values, at)


def _inserted_at_one(arr, place, part, at):
    """The array with a part before what was at a position."""
    n = arr.shape[at]
    if place < -n or place > n:
        raise IndexError("index is out of bounds")
    k = place + n if place < 0 else place
    ahead = (slice(None),) * at
    y = np.empty(_resized(arr, at, n + 1), arr.dtype)
    y[(*ahead, slice(None, k))] = arr[(*ahead, slice(None, k))]
    y[(*ahead, k)] = part
    y[(*ahead, slice(k + 1, None))] = arr[(*ahead, slice(k, None))]
    return y


def _inserted_at_several(arr, places, values, at):
    """The array with several parts, each before what was at its position."""
    n = arr.shape[at]
    if np.any((places < -n) | (places > n)):
        raise IndexError("index is out of bounds")
    places = np.where(places < 0, places + n, places)
    order = np.argsort(places, kind="mergesort")
    spots = np.empty(places.size, np.int64)
    spots[order] = places[order] + np.arange(places.size)
    kept = np.ones(n + places.size, np.bool_)
    kept[spots] = False
    left = np.nonzero(kept)[0]
    ahead = (slice(None),) * at
    y = np.empty(_resized(arr, at, n + places.size), arr.dtype)
    for k in range(places.size):
        y[(*ahead, spots[k])] = (
            values if np.ndim(values) == 0 else values[(*ahead, min(k, values.shape[at] - 1))]
        )
    for k in range(n):
        y[(*ahead, left[k])] = arr[(*ahead, k)]
    return y


@means(np.resize)
def resize(a, new_shape):
    """The entries over and over, in a new shape."""
    flat = np.ravel(as_array(a))
    extents = new_shape if has_known_items(new_shape) else (new_shape,)
    size = 1
    for extent in extents:
        if extent < 0:
            raise ValueError("All elements of `new_shape` must be non-negative")
        size = size * extent
    y = np.zeros(size, flat.dtype)
    if flat.size > 0:
        for i in range(size):
            y[i] = flat[i % flat.size]
    return np.reshape(y, extents)


def _pairs(given, ndim, name):
    """What belongs before and after each axis: how much is added, or the constants."""
    if not has_known_items(given):
        return ((given, given),) * ndim
    if not has_known_items(given[0]) and len(given) in (1, 2):
        return ((given[0], given[-1]),) * ndim
    if has_known_items(given[0]) and len(given) in (1, ndim):
        return tuple([(given[k % len(given)][0], given[k % len(given)][-1]) for k in tuple(range(ndim))])
    return refuse(
        f"`{name}` of `np.pad` is no number, no pair, and no pair for each axis",
        "write them as in np.pad(x, ((1, 1), (0, 2)))",
    )


@means(np.pad)
def pad(
    array,
    pad_width,
    mode="constant",
    constant_values=0,
    end_values=None,
    stat_length=None,
    reflect_type="even",
):
    """Padding by a constant, by the entries at the edge, by the array itself, by ramps, or by what an axis holds."""
    y, of_axis = as_array(array), mode in OF_AXIS
    if mode not in ("constant", "empty", "edge", "wrap", "reflect", "symmetric", "linear_ramp", *OF_AXIS):
        refuse(
            "the mode of `np.pad` is none of NumPy's, or is known only when the program runs",
            "write one: constant, empty, edge, wrap, reflect, symmetric, linear_ramp, " + ", ".join(OF_AXIS),
        )
    is_odd = reflect_type == "odd"
    if (
        (end_values is not None and mode != "linear_ramp")
        or (stat_length is not None and not of_axis)
        or (is_odd and mode not in ("reflect", "symmetric"))
        or reflect_type not in ("even", "odd")
    ):
        refuse(
            f"`np.pad` has options that its mode {mode!r} does not take",
            "write end_values= for linear_ramp, stat_length= for mean, reflect_type='odd' for reflect",
        )
    if y.dtype.kind not in "fc" and (
        mode in ("mean", "median", "linear_ramp") or (y.dtype.kind == "b" and (of_axis or is_odd))
    ):
        refuse(f"`np.pad` by {mode} is supported for floats", "convert them: x.astype(np.float64)")
    widths = _pairs(pad_width, y.ndim, "pad_width")
    if mode in ("constant", "empty"):
        return _between(y, widths, mode, constant_values)
    ends = _pairs(0.0 if end_values is None else end_values, y.ndim, "end_values")
    lengths = None if stat_length is None else _pairs(stat_length, y.ndim, "stat_length")
    for axis in tuple(range(y.ndim)):
        if mode == "linear_ramp":
            y = _ramped(y, axis, widths[axis], ends[axis])
        elif of_axis:
            y = _with_part(y, axis, widths[axis], None if lengths is None else lengths[axis], OF_AXIS[mode])
        elif is_odd:
            y = _reflected(y, axis, widths[axis], 1 if mode == "reflect" else 0)
        else:
            before, after = widths[axis]
            places = _read_places(mode, np.arange(-before, y.shape[axis] + after), y.shape[axis])
            y = y[(*(slice(None),) * axis, places)]
    return y


OF_AXIS = {"maximum": np.max, "minimum": np.min, "mean": np.mean, "median": np.median}
"""What is computed of the entries along an axis, by the mode."""


def _read_places(mode, k, n):
    """The positions that a padded axis reads."""
    if mode == "edge":
        return np.minimum(np.maximum(k, 0), n - 1)
    if mode == "wrap":
        return k % n
    if mode == "reflect":
        return n - 1 - np.abs(k % max(2 * n - 2, 1) - (n - 1))
    return np.minimum(k % (2 * n), 2 * n - 1 - k % (2 * n))


def _between(x, widths, mode, values):
    """The array between constants, or between entries that hold anything, as NumPy says."""
    shape = tuple([before + n + after for n, (before, after) in zip(x.shape, widths)])  # noqa: B905
    inside = tuple([slice(before, before + n) for n, (before, _) in zip(x.shape, widths)])  # noqa: B905
    if mode == "empty" or has_known_items(values):
        y = np.empty(shape, x.dtype)
    elif is_known(values) and values == 0:
        y = np.zeros(shape, x.dtype)
    else:
        y = np.full(shape, values, x.dtype)
    y[inside] = x
    if mode == "constant" and has_known_items(values):
        for axis, (first, last) in enumerate(_pairs(values, x.ndim, "constant_values")):
            ahead = (slice(None),) * axis
            y[(*ahead, slice(None, widths[axis][0]))] = first
            y[(*ahead, slice(widths[axis][0] + x.shape[axis], None))] = last
    return y


def _with_room(x, axis, widths):
    """The array with room before and after it along an axis, the subscripts of the axes ahead, and the last place."""
    before, after = widths
    n, ahead = x.shape[axis], (slice(None),) * axis
    y = np.empty(_resized(x, axis, before + n + after), x.dtype)
    y[(*ahead, slice(before, before + n))] = x
    return y, ahead, before + n + after - 1


def _ramped(x, axis, widths, ends):
    """The array with ramps from its edges to two numbers."""
    y, ahead, last = _with_room(x, axis, widths)
    before, after = widths
    first, final = x[(*ahead, 0)], x[(*ahead, x.shape[axis] - 1)]
    for k in range(before):
        y[(*ahead, k)] = ends[0] + (first - ends[0]) * (k / before)
    for k in range(after):
        y[(*ahead, last - k)] = ends[1] + (final - ends[1]) * (k / after)
    return y


def _with_part(x, axis, widths, lengths, of_part):
    """The array with what a function gives of the entries along an axis, or of so many of them at each end."""
    y, ahead, last = _with_room(x, axis, widths)
    first = second = x
    if lengths is not None:
        first = x[(*ahead, slice(None, lengths[0]))]
        second = x[(*ahead, slice(max(x.shape[axis] - lengths[1], 0), None))]
    early = of_part(first, axis) if x.ndim > 1 else of_part(first)
    late = early
    if lengths is not None:
        late = of_part(second, axis) if x.ndim > 1 else of_part(second)
    for k in range(widths[0]):
        y[(*ahead, k)] = early
    for k in range(widths[1]):
        y[(*ahead, last - k)] = late
    return y


def _reflected(x, axis, widths, skipped):
    """The array reflected in its ends, in value, too."""
    y, ahead, _ = _with_room(x, axis, widths)
    before, after = widths
    if max(before, after) > x.shape[axis] - skipped:
        raise ValueError("np.pad is supported with reflect_type='odd' for a width within the axis")
    end = before + x.shape[axis] - 1
    for k in range(1, before + 1):
        y[(*ahead, before - k)] = 2 * y[(*ahead, before)] - y[(*ahead, before + k - 1 + skipped)]
    for k in range(1, after + 1):
        y[(*ahead, end + k)] = 2 * y[(*ahead, end)] - y[(*ahead, end - k + 1 - skipped)]
    return y
