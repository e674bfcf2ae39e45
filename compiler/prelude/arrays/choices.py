"""Functions of NumPy that choose entries: those on diagonals, in windows, where a condition holds, of one of several arrays."""

from __future__ import annotations

import math

import numpy as np

from backsweep.prelude.arrays.placing import check_mode, within
from backsweep.prelude.declare import as_array, computed, core, has_known_items, is_known, means, refuse
from backsweep.runtime.support.marks import seen_as_view

FEW = 16
"""How many entries a window has at the most of which each is copied by a statement of its own."""


def axes_of(name, axis, ndim):
    """The axes that a call names, counted from the front; all of them for None."""
    if axis is None:
        return tuple(range(ndim))
    if not is_known(axis):
        refuse(
            f"the axis of `{name}` is known only when the program runs",
            f"write the number of the axis, as in {name}(x, axis=0)",
        )
    axes = computed(_each_once)(axis, ndim)
    if len(axes) == 0 and axis != ():
        refuse(
            f"`{name}` names an axis that an array with {ndim} axes does not have, or an axis twice",
            "name each axis once",
        )
    return axes


def _each_once(axis, ndim):
    """Axes counted from the front; none if one is not the array's, or is named twice."""
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    found = tuple(each % ndim for each in axes if -ndim <= each < ndim)
    return found if len(set(found)) == len(axes) else ()


def one_axis(name, axis, ndim):
    """The one axis that a call names, counted from the front."""
    if axis is None or isinstance(axis, tuple):
        refuse(f"`{name}` goes along one axis", f"write {name}(x, axis=0)")
    return axes_of(name, axis, ndim)[0]


def along(vector, axis, count):
    """A vector along one of so many axes."""
    return vector[(*(np.newaxis,) * axis, slice(None), *(np.newaxis,) * (count - axis - 1))]


def given_out(found, out):
    """What is found, or the array that it goes to."""
    if out is None:
        return found
    out[...] = found
    return out


def _two_axes(name, a, axis1, axis2):
    """The two axes of a diagonal, counted from the front."""
    if not isinstance(a, np.ndarray) or a.ndim < 2:
        refuse(f"`{name}` is given an array with less than two axes", "give a matrix")
    if not is_known(axis1, axis2):
        refuse(
            f"the axes of `{name}` are known only when the program runs", "write axis1=1, axis2=2", "BS109"
        )
    for axis in (axis1, axis2):
        if not -a.ndim <= axis < a.ndim:
            refuse(f"`{name}` has no axis {axis} of an array with {a.ndim}", "name one that it has")
    if axis1 % a.ndim == axis2 % a.ndim:
        refuse(f"`{name}` is given the same axis twice", "name two axes: axis1=0, axis2=1")
    return axis1 % a.ndim, axis2 % a.ndim


@means(np.diagonal, np.ndarray.diagonal)
def diagonal(a, offset=0, axis1=0, axis2=1):
    """The entries of two axes whose subscripts differ by an offset, as the last axis of a view that is read only."""
    a = as_array(a)
    first, second = _two_axes("np.diagonal", a, axis1, axis2)
    if a.ndim == 2:
        return np.diag(a, offset if first < second else -offset)
    turned = np.moveaxis(a, (first, second), (-2, -1))
    above, below = max(offset, 0), max(-offset, 0)
    n = max(min(turned.shape[-2] - below, turned.shape[-1] - above), 0)
    y = np.empty((*turned.shape[:-2], n), a.dtype)
    for i in range(n):
        y[..., i] = turned[..., i + below, i + above]
    return seen_as_view(y, a)


@means(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(x, window_shape, axis=None, subok=False, writeable=False):
    """All windows of a shape, as the last axes of a view that is read only."""
    del subok
    x = as_array(x)
    widths = window_shape if isinstance(window_shape, (list, tuple)) else (window_shape,)
    if not is_known(writeable) or writeable:
        refuse("`sliding_window_view` gives windows that are read only", "leave `writeable=` out")
    axes = axes_of("sliding_window_view", axis, x.ndim)
    if len(axes) != len(widths):
        refuse("`sliding_window_view` has other numbers of extents and axes", "give one extent for each axis")
    for at, width in zip(axes, widths):  # noqa: B905
        if width < 0:
            raise ValueError("`window_shape` cannot contain negative values")
        if width > x.shape[at]:
            raise ValueError("window shape cannot be larger than input array shape")
    reach = [widths[axes.index(k)] - 1 if k in axes else 0 for k in tuple(range(x.ndim))]
    starts = tuple([n - more for n, more in zip(x.shape, reach)])  # noqa: B905
    y = np.empty((*starts, *widths), x.dtype)
    if is_known(*widths) and len(computed(_few_places)(widths)) > 0:
        for place in computed(_few_places)(widths):
            _copy_shifted(y, place, x, axes, starts)
    else:
        for place in np.ndindex(*widths):
            _copy_shifted(y, place, x, axes, starts)
    return seen_as_view(y, x)


def _copy_shifted(y, place, x, axes, extents):
    """Store what stands at a place in all windows."""
    first = [place[axes.index(k)] if k in axes else 0 for k in tuple(range(x.ndim))]
    part = tuple([slice(i, i + n) for i, n in zip(first, extents)])  # noqa: B905
    y[(*(slice(None),) * x.ndim, *place)] = x[part]


def _few_places(widths) -> tuple[tuple[int, ...], ...]:
    """The places in a window; none if there are too many."""
    return tuple(np.ndindex(*widths)) if min(widths) >= 0 and math.prod(widths) <= FEW else ()


@means(np.trace, np.ndarray.trace)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Sums of diagonals; the core has that of a matrix of floats."""
    a = as_array(a)
    first, second = _two_axes("np.trace", a, axis1, axis2)
    if dtype is not None:
        refuse("`np.trace` is supported without `dtype=`", "convert first: x.astype(np.float64)")
    if a.ndim == 2 and first < second and a.dtype.kind in "fc":
        plain = is_known(offset) and offset == 0
        return given_out(core(np.trace)(a) if plain else core(np.trace)(a, offset), out)
    return given_out(np.sum(np.diagonal(a, offset, first, second), axis=-1), out)


@means(np.compress)
def compress(condition, a, axis=None, out=None):
    """The parts of an array along an axis where a condition holds."""
    condition, a = as_array(condition), as_array(a)
    if np.ndim(condition) != 1:
        refuse("the condition of `np.compress` is no vector", "flatten it, or write a[condition]")
    at = np.nonzero(condition)[0]
    if axis is None:
        return given_out(np.ravel(a)[at], out)
    if not is_known(axis) or not -a.ndim <= axis < a.ndim:
        refuse("the axis of `np.compress` is not known, or none of the array's", "name one: axis=0")
    return given_out(a[(*(slice(None),) * (axis % a.ndim), at)], out)


@means(np.choose, np.ndarray.choose)
def choose(a, choices, out=None, mode="raise"):
    """Each entry from the array whose number `a` has there."""
    check_mode(mode, "np.choose")
    k = as_array(a)
    if np.result_type(k).kind not in "biu":
        refuse("`np.choose` chooses by whole numbers", "convert them: k.astype(np.int64)")
    if not has_known_items(choices) and not isinstance(choices, np.ndarray):
        refuse("`np.choose` is given no arrays to choose from", "write np.choose(k, (a, b))")
    n = len(choices)
    k = k * 1
    if mode == "raise":
        outside = (k < 0) | (k >= n)
        if np.any(outside) if np.ndim(k) > 0 else outside:
            raise ValueError("invalid entry in choice array")
    else:
        k = within(k, n, mode)
    return given_out(_of_items(k, choices) if has_known_items(choices) else _of_rows(k, choices), out)


def _of_items(k, choices):
    """Of several arrays the one of this number, entry by entry."""
    found = as_array(choices[-1])
    for number in reversed(tuple(range(len(choices) - 1))):
        found = np.where(k == number, as_array(choices[number]), found)
    return found


def _of_rows(k, choices):
    """The same of the rows of one array."""
    if np.ndim(k) == 0:
        return choices[k]
    if choices.ndim not in (1, k.ndim + 1):
        refuse("`np.choose` chooses from arrays with other axes", "write choices[k] or np.take_along_axis")
    if choices.ndim > 1 and k.shape != choices.shape[1:]:
        raise ValueError("the numbers of np.choose have another shape than the arrays")
    y = np.empty(k.shape, choices.dtype)
    for place in np.ndindex(k.shape):
        y[place] = choices[k[place]] if choices.ndim == 1 else choices[(k[place], *place)]
    return y


@means(np.select)
def select(condlist, choicelist, default=0):
    """Each entry from the first array whose condition holds."""
    if not has_known_items(condlist) or not has_known_items(choicelist):
        return core(np.select)(condlist, choicelist, default)
    if len(condlist) != len(choicelist) or len(condlist) == 0:
        refuse(
            f"`np.select` has {len(condlist)} conditions and {len(choicelist)} choices",
            "give it a choice for each condition",
        )
    choices = [as_array(each) for each in choicelist]
    found = as_array(default)
    if np.ndim(found) == 0 and np.ndim(choices[0]) > 0 and choices[0].dtype == np.float32:
        found = np.float32(found)  # as NumPy takes a number of Python's
    for k in reversed(tuple(range(len(condlist)))):
        where = as_array(condlist[k])
        if np.result_type(where).kind != "b":
            refuse("the conditions of `np.select` are not all True or False", "compare: x > 0.")
        found = np.where(where, choices[k], found)
    return found
