"""Functions of NumPy of the order of entries: distinct ones, sorting by several keys, places on diagonals, counts in bins, covariances."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.prelude.declare import (
    as_array,
    core,
    has_known_items,
    is_compiled,
    is_complex,
    is_known,
    means,
    refuse,
)


@means(np.unique)
def unique(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
):
    """Distinct entries with their first places, the numbers of all entries, and how often each occurs."""
    del sorted
    if axis is not None:
        refuse("`np.unique` is supported for all entries", "leave `axis=` out")
    if not is_known(return_index, return_inverse, return_counts, equal_nan):
        refuse("options of `np.unique` are known only when the program runs", "write True or False", "BS109")
    ar = as_array(ar)
    if not (return_index or return_inverse or return_counts) and not is_complex(ar):
        return core(np.unique)(ar)
    flat = np.ravel(ar)
    order = by_parts(flat) if is_complex(flat) else np.argsort(flat, kind="mergesort")
    s = flat[order]
    new = np.ones(s.size, np.bool_)
    same = s[1:] == s[:-1]
    if equal_nan and s.dtype.kind in "fc":
        same = same | (np.isnan(s[1:]) & np.isnan(s[:-1]))
    new[1:] = ~same
    first = np.nonzero(new)[0]
    found: Any = (s[first],)
    if return_index:
        found = (*found, order[first])
    if return_inverse:
        places = np.empty(s.size, np.int64)
        places[order] = np.cumsum(new) - 1
        found = (*found, np.reshape(places, ar.shape))
    if return_counts:
        found = (*found, np.append(first[1:], s.size)[: first.size] - first)
    return found if len(found) > 1 else found[0]


def by_parts(z):
    """The order of complex numbers: by their real parts, equal ones by the imaginary parts, and what is not a number at the end."""
    x, y = np.real(z), np.imag(z)
    return np.lexsort((y, x, 2 * np.isnan(x) + np.isnan(y)))


@means(np.sort)
def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """Entries in increasing order along an axis; the core has that of vectors and of rows."""
    del kind, stable
    if order is not None:
        refuse("`np.sort` is supported without `order=`", "leave it out")
    a, axis = (np.ravel(a), -1) if axis is None else (as_array(a), axis)
    if is_complex(a) and np.ndim(a) == 1:
        return a[by_parts(a)]
    if np.ndim(a) < 2 or (is_known(axis) and a.ndim == 2 and axis in (-1, 1)):
        return core(np.sort)(a)
    lines = np.moveaxis(a, axis, -1)
    if a.ndim == 2:
        return np.moveaxis(core(np.sort)(lines), -1, axis)
    n = lines.shape[-1]
    rows = np.reshape(lines, (a.size // max(n, 1), n))
    return np.moveaxis(np.reshape(core(np.sort)(rows), lines.shape), -1, axis)


@means(np.lexsort)
def lexsort(keys, axis=-1):
    """The order by the last key, where that is equal by the one before it."""
    if not is_known(axis) or axis != -1:
        refuse("`np.lexsort` is supported along the last axis", "leave `axis=` out")
    rows = [as_array(each) for each in keys] if has_known_items(keys) else keys
    if has_known_items(rows):
        for each in rows:
            if np.ndim(each) != 1:
                refuse("the keys of `np.lexsort` are no vectors", "give vectors, or the rows of a matrix")
    elif np.ndim(rows) != 2:
        refuse("the keys of `np.lexsort` are no tuple and no matrix", "give np.lexsort((b, a))")
    order = np.argsort(rows[0], kind="mergesort")
    for each in rows[1:]:
        if len(each) != len(order):
            raise ValueError("all keys need to be the same shape")
        order = order[np.argsort(each[order], kind="mergesort")]
    return order


@means(np.searchsorted)
def searchsorted(a, v, side="left", sorter=None):
    """Places in an array, which another one may bring into order."""
    return core(np.searchsorted)(a if sorter is None else as_array(a)[sorter], v, side=side)


@means(np.partition)
def partition(a, kth, axis=-1, kind="introselect", order=None):
    """Entries before and behind the one at its place, along an axis; the core has that of the last one."""
    del kind, order
    a = as_array(a)
    if axis is None:
        return core(np.partition)(np.ravel(a), kth)
    if a.ndim < 2 or (is_known(axis) and axis in (-1, a.ndim - 1)):
        return core(np.partition)(a, kth)
    return np.moveaxis(core(np.partition)(np.ascontiguousarray(np.moveaxis(a, axis, -1)), kth), -1, axis)


@means(np.diag_indices)
def diag_indices(n, ndim=2):
    """The subscripts of the diagonal of an array whose axes have one extent."""
    if not is_known(ndim):
        refuse("`ndim=` of `np.diag_indices` is no number that is written out", "write it")
    return (np.arange(n),) * ndim


@means(np.diag_indices_from)
def diag_indices_from(arr):
    """The subscripts of the diagonal of an array."""
    if np.ndim(arr) < 2:
        refuse("`np.diag_indices_from` is given an array with less than two axes", "give a matrix")
    for extent in arr.shape[1:]:
        if extent != arr.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
    return np.diag_indices(arr.shape[0], arr.ndim)


@means(np.ravel_multi_index)
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Positions in a flattened array of the subscripts by axis."""
    if not has_known_items(multi_index) or not has_known_items(dims):
        refuse("`np.ravel_multi_index` takes a tuple of subscripts, and one of extents", "give x.shape")
    if mode != "raise" or order != "C" or len(multi_index) != len(dims):
        refuse("`np.ravel_multi_index` takes a subscript for each extent, rows first", "leave options out")
    found = 0
    for given, extent in zip(multi_index, dims):  # noqa: B905  they have one length
        place = as_array(given)
        outside = (place < 0) | (place >= extent)
        if np.any(outside) if np.ndim(place) > 0 else outside:
            raise ValueError("invalid entry in coordinates array")
        found = found * extent + place
    return found


@means(np.array_equiv)
def array_equiv(a1, a2):
    """Whether two arrays have the same entries once they are broadcast."""
    a1, a2 = as_array(a1), as_array(a2)
    found = True
    for one, other in zip(np.shape(a1)[::-1], np.shape(a2)[::-1]):  # noqa: B905  of the axes that both have
        found = found and (one in (other, 1) or other == 1)
    return found and bool(np.all(a1 == a2))


def _each(function, single, given):
    """Each of several arrays and numbers by itself; one that is a number by a function of its own."""
    if len(given) != 1:
        return tuple([function(each) for each in given])
    x = as_array(given[0])
    return core(function)(x) if isinstance(x, np.ndarray) else single(x)


@means(np.atleast_1d)
def atleast_1d(*arys):
    """Arrays that have an axis; a number is an entry."""
    return _each(np.atleast_1d, lambda x: np.array([x]), arys)


@means(np.atleast_2d)
def atleast_2d(*arys):
    """Arrays that have two axes."""
    return _each(np.atleast_2d, lambda x: np.array([[x]]), arys)


@means(np.atleast_3d)
def atleast_3d(*arys):
    """Arrays that have three axes."""
    return _each(np.atleast_3d, lambda x: np.array([[[x]]]), arys)


def _edges(x, bins, limits, name):
    """The edges of bins: as they are given, or so many between two limits, which are those of the numbers where none are given."""
    bins = as_array(bins)
    if isinstance(bins, np.ndarray) and bins.ndim == 1:
        if np.any(bins[1:] < bins[:-1]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return bins
    if not isinstance(bins, (int, np.integer)):
        refuse(f"the bins of `{name}` are neither a number nor a vector", "give the edges of the bins")
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    low, high = 0.0, 1.0
    if limits is not None:
        low, high = 1.0 * limits[0], 1.0 * limits[1]
    elif x.size > 0:
        low, high = 1.0 * np.min(x), 1.0 * np.max(x)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError("the range of the bins is not finite")
    if high < low:
        raise ValueError("max must be larger than min in range parameter.")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1)


def _within(place, number, edges):
    """The bin of a number that lies behind so many edges: what is at the last edge belongs to the last bin."""
    return place - 1 if number == edges[-1] else place


def _counted(x, edges, weights):
    """How many numbers, or how much of their weights, are in each bin."""
    y = np.zeros(edges.size - 1, np.int64 if weights is None else weights.dtype)
    places = np.searchsorted(edges, x, side="right") - 1
    for i in range(x.size):
        k = _within(places[i], x[i], edges)
        if 0 <= k < y.size:
            y[k] += 1 if weights is None else weights[i]
    return y


@means(np.histogram)
def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many numbers, or how much of their weights, are in each bin, and the edges of the bins."""
    a = as_array(a)
    _check_real(a, "np.histogram")
    _check_density(density, "np.histogram")
    x = np.ravel(a)
    w = None if weights is None else np.ravel(as_array(weights))
    if w is not None:
        if w.dtype.kind not in "fc":
            refuse("the weights of `np.histogram` are no floats", "convert them: weights.astype(np.float64)")
        if np.ndim(weights) != a.ndim:
            refuse(
                "the weights of `np.histogram` are no array of the shape of the values", "give one for each"
            )
        if np.shape(weights) != a.shape:
            raise ValueError("weights should have the same shape as a.")
    edges = _edges(x, bins, range, "np.histogram")
    y = _counted(x, edges, w)
    return (y / (edges[1:] - edges[:-1]) / np.sum(y), edges) if density else (y, edges)


@means(np.histogram_bin_edges)
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins alone."""
    del weights
    a = as_array(a)
    _check_real(a, "np.histogram_bin_edges")
    return _edges(np.ravel(a), bins, range, "np.histogram_bin_edges")


def _check_real(a, name):
    """Refuse what has no order."""
    if is_complex(a):
        refuse(f"`{name}` is for real numbers", "take np.real or np.abs first")


def _check_density(density, name):
    """Refuse what only the run knows, as it decides the type of the counts."""
    if not is_known(density):
        refuse(f"`density=` of `{name}` is known only when the program runs", "write True or False")


@means(np.histogram2d)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many pairs, or how much of their weights, are in each cell, and the edges of the cells."""
    x, y, w = as_array(x), as_array(y), None if weights is None else as_array(weights)
    for each in (x, y) if w is None else (x, y, w):
        if np.ndim(each) != 1 or is_complex(each):
            refuse(
                "`np.histogram2d` takes vectors of real numbers, and weights likewise",
                "flatten them: np.ravel(x)",
            )
    _check_density(density, "np.histogram2d")
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    if w is not None and len(w) != len(x):
        raise ValueError("the weights have another length")
    is_pair = has_known_items(bins) and len(bins) == 2
    rows = _edges(x, bins[0] if is_pair else bins, None if range is None else range[0], "np.histogram2d")
    columns = _edges(y, bins[1] if is_pair else bins, None if range is None else range[1], "np.histogram2d")
    counts = _counted_pairs(x, y, rows, columns, w)
    if density:
        areas = np.expand_dims(rows[1:] - rows[:-1], 1) * (columns[1:] - columns[:-1])
        counts = counts / areas / np.sum(counts)
    return counts, rows, columns


def _counted_pairs(x, y, rows, columns, weights):
    """The same of pairs, in each cell."""
    counts = np.zeros((rows.size - 1, columns.size - 1))
    above = np.searchsorted(rows, x, side="right") - 1
    beside = np.searchsorted(columns, y, side="right") - 1
    for h in range(x.size):
        i, j = _within(above[h], x[h], rows), _within(beside[h], y[h], columns)
        if 0 <= i < counts.shape[0] and 0 <= j < counts.shape[1]:
            counts[i, j] += 1.0 if weights is None else weights[h]
    return counts


@means(np.cov, in_njit=True)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """The covariances of variables, each in a row; the core has those without weights."""
    options = {} if ddof is None else {"ddof": ddof}
    if not is_known(bias) or bias:
        options = {"bias": bias, **options}
    if fweights is not None or aweights is not None:
        return _weighted_covariances(m, y, rowvar, bias, ddof, fweights, aweights)
    if is_compiled() or (y is None and is_known(rowvar) and rowvar):
        return _plainly(core(np.cov), m, y, rowvar, **options)
    first, second = _in_rows(m, y, rowvar)
    return core(np.cov)(first, second, True, **options)


def _weighted_covariances(m, y, rowvar, bias, ddof, fweights, aweights):
    """The same of samples that count several times, and weigh more."""
    m = as_array(m)
    if y is not None or m.ndim > 2 or is_complex(m) or m.dtype == np.float32 or not is_known(rowvar, bias):
        refuse(
            "`np.cov` with weights takes one matrix of real numbers in double precision", "convert it first"
        )
    x = np.expand_dims(m, 0) * 1.0 if m.ndim == 1 else m * 1.0 if rowvar else m.T * 1.0
    w = 1.0
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is not None:
            each = as_array(given)
            if np.ndim(each) != 1 or (name == "fweights" and each.dtype.kind not in "iu"):
                refuse(
                    "the weights of `np.cov` are no vectors, or fweights not whole",
                    "give np.asarray(weights)",
                )
            if each.size != x.shape[1]:
                raise ValueError(f"incompatible numbers of samples and {name}")
            if np.any(each < 0):
                raise ValueError(f"{name} cannot be negative")
            w = w * each
    total = np.sum(w)
    freedom = (0.0 if bias else 1.0) if ddof is None else ddof
    if aweights is not None:
        freedom = freedom * np.sum(w * as_array(aweights)) / total
    d = x - np.expand_dims(np.sum(x * w, 1) / total, 1)
    c = (d * w) @ d.T / (total if ddof is None and bias else max(total - freedom, 0.0))
    return c[0, 0] if m.ndim == 1 else c


@means(np.corrcoef)
def corrcoef(x, y=None, rowvar=True, *more, **options):
    """The correlations of variables, each in a row."""
    if is_compiled() or (y is None and is_known(rowvar) and rowvar):
        return _plainly(core(np.corrcoef), x, y, rowvar, *more, **options)
    first, second = _in_rows(x, y, rowvar)
    return core(np.corrcoef)(first, second, True, *more, **options)


def _plainly(function, m, y, *more, **options):
    """The function of what the call names."""
    return function(m, **options) if y is None and len(more) == 1 else function(m, y, *more, **options)


def _in_rows(m, y, rowvar) -> tuple[Any, Any]:
    """Variables in rows, and what is given beside: Numba turns a vector that is one variable, and joins no matrix of one row."""
    if not is_known(rowvar):
        refuse(
            "whether the variables are rows or columns is known only when the program runs",
            "write rowvar=True, or rowvar=False, in a branch each",
        )
    m = np.array(m) if has_known_items(m) else m
    rows = m if rowvar or m.ndim != 2 else np.transpose(m)
    if y is None:
        return rows, None
    y = np.array(y) if has_known_items(y) else y
    if m.ndim != 2 and y.ndim != 2:
        return m, y
    first = rows[np.newaxis, :] if m.ndim == 1 else rows
    second = y[np.newaxis, :] if y.ndim == 1 else y
    if y.ndim == 2 and not rowvar and y.shape[0] != 1:
        second = np.transpose(y)
    return np.concatenate((first, second)), None
