"""Running sums and products, differences, orders, and entries moved round, turned round and repeated, along an axis."""

from __future__ import annotations

import numpy as np

from backsweep.prelude.arrays.choices import axes_of, given_out, one_axis
from backsweep.prelude.declare import (
    as_array,
    core,
    has_known_items,
    is_complex,
    is_known,
    layout,
    means,
    refuse,
)

WIDE = ("float32", "float64", "complex64", "complex128", "int64", "uint64")
"""The dtypes of sums and products: those of floats, and of whole numbers that fill a word."""


def by_lines(function, a, axis, dtype):
    """The array whose lines along an axis are what a function gives of those of another array."""
    y = np.empty(a.shape, dtype)
    for place in np.ndindex(*a.shape[:axis], *a.shape[axis + 1 :]):
        line = (*place[:axis], slice(None), *place[axis:])
        y[line] = function(a[line])
    return y


def of_dtype(name, a, dtype):
    """The entries of an array in the dtype of a call, which is that of its result."""
    if dtype is None:
        return a
    if not is_known(dtype):
        refuse(f"the dtype of `{name}` is not written as one", f"write {name}(x, dtype=np.float64)")
    if np.result_type(dtype).name not in WIDE:
        refuse(f"`{name}` is not supported with this dtype", "write dtype=np.float64, or convert the result")
    if is_complex(a) and np.result_type(dtype).kind != "c":
        refuse(f"the dtype of `{name}` is real, but the numbers are complex", "take np.real(x) first")
    return a.astype(dtype)


def _scanned(name, scan, a, axis, dtype, out):
    """Running sums or products of all entries, or along an axis."""
    a = of_dtype(name, as_array(a), dtype)
    if axis is None or np.ndim(a) < 2:
        if axis is not None:
            one_axis(name, axis, np.ndim(a))
        return given_out(scan(a), out)
    kind = np.uint64 if a.dtype.kind == "u" else np.int64 if a.dtype.kind in "bi" else a.dtype
    return given_out(by_lines(scan, a, one_axis(name, axis, a.ndim), kind), out)


@means(np.cumsum, in_njit=True)
def cumsum(a, axis=None, dtype=None, out=None):
    """Running sums; the core has those of the entries as they are."""
    a = of_dtype("np.cumsum", as_array(a), dtype)
    return given_out(core(np.cumsum)(a) if axis is None else core(np.cumsum)(a, axis), out)


@means(np.cumprod, in_njit=True)
def cumprod(a, axis=None, dtype=None, out=None):
    """Running products; the core has those of all entries."""
    return _scanned("np.cumprod", core(np.cumprod), a, axis, dtype, out)


@means(np.nancumsum, in_njit=True)
def nancumsum(a, axis=None, dtype=None, out=None):
    """Running sums of what is a number."""
    a = as_array(a)
    return np.cumsum(
        a if a.dtype.kind in "biu" else np.where(np.isnan(a), a.dtype.type(0), a), axis, dtype, out
    )


@means(np.nancumprod, in_njit=True)
def nancumprod(a, axis=None, dtype=None, out=None):
    """Running products of what is a number."""
    a = as_array(a)
    return np.cumprod(
        a if a.dtype.kind in "biu" else np.where(np.isnan(a), a.dtype.type(1), a), axis, dtype, out
    )


@means(np.argsort, in_njit=True)
def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """The order of entries along an axis; the core has that of vectors."""
    if order is not None:
        refuse("`np.argsort` is supported without `order=`", "leave it out")
    a = np.ravel(as_array(a)) if axis is None else as_array(a)
    at = 0 if axis is None else one_axis("np.argsort", axis, a.ndim)
    if stable or kind in ("mergesort", "stable"):
        return _stably(a) if a.ndim == 1 else by_lines(_stably, a, at, np.int64)
    return core(np.argsort)(a) if a.ndim == 1 else by_lines(core(np.argsort), a, at, np.int64)


def _stably(line):
    """The order of a line in which equal entries stay as they are."""
    return core(np.argsort)(line, kind="mergesort")


@means(np.diff, in_njit=True)
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours along an axis, also with more values at the ends; none is the array itself."""
    a, ends = as_array(a), prepend is not None or append is not None
    at = one_axis("np.diff", axis, a.ndim)
    is_of_core = a.ndim == 1 or (a.ndim == 2 and is_known(n) and n == 1 and layout(a) == "C")
    if is_of_core and not ends and at == a.ndim - 1 and not (is_known(n) and n < 1):
        return core(np.diff)(a) if is_known(n) and n == 1 else core(np.diff)(a, n)
    if not is_known(n) or n < 0:
        refuse("`np.diff` is taken a number of times that only the run knows", "write the number: n=2")
    if ends:
        a = np.concatenate((*_end(prepend, a, at), a, *_end(append, a, at)), at)
    ahead = (slice(None),) * at
    y = a[:]
    for _ in tuple(range(n)):
        later, earlier = y[(*ahead, slice(1, None))], y[(*ahead, slice(None, -1))]
        y = later != earlier if y.dtype.kind == "b" else later - earlier
    return y


def _end(given, a, axis):
    """What goes before or behind the values of a difference."""
    if given is None:
        return ()
    end = as_array(given)
    if np.ndim(end) not in (0, a.ndim):
        refuse("an end of `np.diff` is neither a number nor an array of as many axes", "give one of them")
    shape = tuple([1 if k == axis else a.shape[k] for k in tuple(range(a.ndim))])
    return (np.full(shape, end) if np.ndim(end) == 0 else end,)


@means(np.flip, in_njit=True)
def flip(m, axis=None):
    """Entries in reverse order along axes; the core has that along all of them."""
    m = as_array(m)
    if axis is None:
        return core(np.flip)(m)
    axes = axes_of("np.flip", axis, m.ndim)
    return m[tuple([slice(None, None, -1) if k in axes else slice(None) for k in tuple(range(m.ndim))])]


@means(np.roll, in_njit=True)
def roll(a, shift, axis=None):
    """Entries moved round along axes; the core moves those of the flattened array by one number."""
    a, shifts = as_array(a), shift if has_known_items(shift) else (shift,)
    if axis is None:
        total = shifts[0]
        for each in shifts[1:]:
            total = total + each
        return core(np.roll)(a, total)
    axes = axis if has_known_items(axis) else (axis,)
    if len(shifts) != len(axes) and len(shifts) != 1 and len(axes) != 1:
        refuse("`np.roll` has other numbers of shifts and of axes", "give a shift for each axis")
    for k in tuple(range(len(axes) if len(shifts) == 1 else len(shifts))):
        a = _moved_round(a, shifts[k % len(shifts)], one_axis("np.roll", axes[k % len(axes)], a.ndim))
    return a


def _moved_round(a, shift, axis):
    """The entries moved round along one axis."""
    n, ahead = a.shape[axis], (slice(None),) * axis
    k = shift % max(n, 1)
    y = np.empty_like(a)
    y[(*ahead, slice(k, None))] = a[(*ahead, slice(None, n - k))]
    y[(*ahead, slice(None, k))] = a[(*ahead, slice(n - k, None))]
    return y


@means(np.repeat, in_njit=True)
def repeat(a, repeats, axis=None):
    """Entries repeated along an axis; the core repeats those of the flattened array."""
    a, counts = as_array(a), as_array(repeats)
    at = 0 if axis is None else one_axis("np.repeat", axis, a.ndim)
    if axis is None or a.ndim == 1:
        return core(np.repeat)(a, counts)
    return a[(*(slice(None),) * at, core(np.repeat)(np.arange(a.shape[at]), counts))]
