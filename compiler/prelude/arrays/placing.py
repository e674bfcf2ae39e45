"""Functions of NumPy that put entries in place: at positions, where a mask holds, along an axis, and by other arrays."""

from __future__ import annotations

import numpy as np

from backsweep.prelude.declare import as_array, core, is_known, means, refuse


def _check_written(a, name):
    """Refuse what nothing can be written into."""
    if not isinstance(a, np.ndarray):
        refuse(f"`{name}` writes into no array", "make an array first")


def check_mode(mode, name):
    """Refuse what says no way to bring positions into an array."""
    if not is_known(mode) or mode not in ("raise", "wrap", "clip"):
        refuse(f"`mode=` of `{name}` is 'raise', 'wrap' or 'clip'", "write one of them")


def _read_first(values, name):
    """The values in a row; a number is one. They are copied: NumPy reads all before it writes the first one."""
    found = as_array(values)
    if np.result_type(found).kind not in "biufc":
        refuse(f"the values of `{name}` are neither a number nor an array", "make an array of them")
    return found.flatten() if isinstance(found, np.ndarray) else found


def _places(ind):
    """Positions in a row; one position as it is."""
    found = as_array(ind)
    if np.result_type(found).kind not in "iu":
        refuse("the positions of `np.put` are no whole numbers", "convert them: ind.astype(np.int64)")
    return found.flatten() if isinstance(found, np.ndarray) else found


def _within(p, size, mode):
    """A position in an array of so many entries, by the mode."""
    if mode == "clip":
        return min(max(p, 0), size - 1)
    if mode == "raise" and (p < -size or p >= size):
        raise IndexError("index is out of bounds for the array")
    return p % size


def _subscripts(p, shape):
    """The subscripts of the entry at a position in rows."""
    return (p,) if len(shape) == 1 else (*_subscripts(p // shape[-1], shape[:-1]), p % shape[-1])


@means(np.put)
def put(a, ind, v, mode="raise"):
    """Values at positions in the flattened array; fewer values are repeated."""
    check_mode(mode, "np.put")
    _check_written(a, "np.put")
    places, values = _places(ind), _read_first(v, "np.put")
    if np.ndim(places) == 0:
        if np.ndim(values) == 0:
            a[_subscripts(_within(places, a.size, mode), a.shape)] = values
        elif values.size > 0:
            a[_subscripts(_within(places, a.size, mode), a.shape)] = values[0]
    elif np.ndim(values) == 0:
        for p in places:
            a[_subscripts(_within(p, a.size, mode), a.shape)] = values
    elif values.size > 0:
        for k in range(places.size):
            a[_subscripts(_within(places[k], a.size, mode), a.shape)] = values[k % values.size]


def _check_mask(mask, a, name):
    """Refuse what is no mask of an array."""
    _check_written(a, name)
    if not isinstance(mask, np.ndarray) or np.result_type(mask).kind != "b" or mask.ndim != a.ndim:
        refuse(f"the mask of `{name}` is no array of truths of the same shape", "compare first: x > 0.0")
    if mask.shape != a.shape:
        raise ValueError("the mask and the array have different shapes")


@means(np.putmask)
def putmask(a, mask, values):
    """Where a mask holds, the values at the same position; fewer values are repeated."""
    _check_mask(mask, a, "np.putmask")
    taken = _read_first(values, "np.putmask")
    position = 0
    for place in np.ndindex(a.shape):
        if mask[place]:
            a[place] = taken if np.ndim(taken) == 0 else taken[position % taken.size]
        position += 1  # noqa: SIM113  a loop over places is no part of another iterator


@means(np.place)
def place(arr, mask, vals):
    """Where a mask holds, one value after the other; fewer values are repeated. NumPy does not read them first."""
    _check_mask(mask, arr, "np.place")
    given = as_array(vals)
    if np.result_type(given).kind not in "biufc":
        refuse("the values of `np.place` are neither a number nor an array", "make an array of them")
    taken = np.ravel(given) if isinstance(given, np.ndarray) else np.array([given])
    if taken.size == 0 and np.any(mask):
        raise ValueError("Cannot insert from an empty array!")
    count = 0
    for at in np.ndindex(arr.shape):
        if mask[at]:
            arr[at] = taken[count % taken.size]
            count += 1


@means(np.copyto)
def copyto(dst, src, casting="same_kind", where=True):
    """The entries of another array, or those where a mask holds."""
    _check_written(dst, "np.copyto")
    if not is_known(casting) or casting != "same_kind":
        refuse("`np.copyto` is supported without `casting=`", "convert first: src.astype(np.float64)")
    source, mask = as_array(src), as_array(where)
    if np.result_type(source).kind not in "biufc":
        refuse("`np.copyto` takes no number and no array", "make an array first")
    if not np.can_cast(np.result_type(source), dst.dtype, "same_kind"):
        refuse("`np.copyto` converts to no narrower kind of number", "convert first: src.astype(np.int64)")
    if np.result_type(mask).kind != "b":
        refuse("the mask of `np.copyto` is no array of truths", "compare first: where=x > 0.0")
    if isinstance(mask, np.ndarray):
        dst[...] = np.where(mask, source, dst)
    elif mask:
        dst[...] = source


@means(np.put_along_axis)
def put_along_axis(arr, indices, values, axis):
    """Values at positions along an axis, which are given for each line."""
    places, given = as_array(indices), as_array(values)
    if (
        not isinstance(arr, np.ndarray)
        or not isinstance(places, np.ndarray)
        or np.result_type(places).kind not in "iu"
    ):
        refuse("`np.put_along_axis` takes an array, and an array of positions", "make arrays first")
    if not is_known(axis) or (axis is None and arr.ndim > 1):
        refuse("`np.put_along_axis` goes along one axis", "name it: axis=0")
    at = 0 if axis is None else axis + arr.ndim if axis < 0 else axis
    if not 0 <= at < arr.ndim:
        refuse(f"`np.put_along_axis` has no axis {axis} of an array with {arr.ndim}", "name one that it has")
    if places.ndim != arr.ndim:
        refuse("the positions have other axes than the array", "write np.expand_dims(indices, axis)")
    if np.ndim(given) > arr.ndim:
        refuse("the values have more axes than the array", "make an array of them that broadcasts to it")
    shape = tuple([_common(arr, places, k, at) for k in tuple(range(arr.ndim))])
    taken = np.broadcast_to(given.copy(), shape) if isinstance(given, np.ndarray) else given
    for place in np.ndindex(shape):
        own = tuple([p if k == at else min(p, places.shape[k] - 1) for k, p in enumerate(place)])
        target = tuple([places[own] if k == at else min(p, arr.shape[k] - 1) for k, p in enumerate(place)])
        arr[target] = taken if np.ndim(taken) == 0 else taken[place]


def _common(arr, places, k, at):
    """The extent of an axis over which the positions go, broadcast against the array."""
    if k == at:
        return places.shape[k]
    extent = arr.shape[k] if places.shape[k] == 1 else places.shape[k]
    if extent != arr.shape[k] and arr.shape[k] != 1:
        raise ValueError("the positions of `np.put_along_axis` do not broadcast to the array")
    return extent


def within(given, extent, mode):
    """Positions in an axis, wrapped round or clipped."""
    if mode == "wrap":
        return given % extent
    return (
        np.minimum(np.maximum(given, 0), extent - 1) if np.ndim(given) > 0 else min(max(given, 0), extent - 1)
    )


@means(np.take)
def take(a, indices, axis=None, out=None, mode="raise"):
    """Entries at positions that are wrapped round or clipped, or of several axes; the core has vectors of those inside."""
    check_mode(mode, "np.take")
    source, given = as_array(a), as_array(indices)
    several = np.ndim(given) > 1 and axis is not None
    if not isinstance(source, np.ndarray) or not is_known(axis) or (mode == "raise" and not several):
        return _taken(source, given, axis) if out is None else core(np.take)(source, given, axis, out)
    if out is not None:
        refuse("`np.take` is supported without `out=`", "assign the result")
    extent = source.size if axis is None else source.shape[axis]
    if mode != "raise":
        given = within(given, extent, mode)
    if not several:
        return _taken(source, given, axis)
    at = axis + source.ndim if axis < 0 else axis
    part = (*(slice(None),) * at, np.ravel(given))
    return np.reshape(source[part], (*source.shape[:at], *given.shape, *source.shape[at + 1 :]))


def _taken(a, places, axis):
    """Entries at positions, as the core has them."""
    return core(np.take)(a, places) if axis is None else core(np.take)(a, places, axis)
