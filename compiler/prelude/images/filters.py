"""Functions of `scipy.ndimage`: filters that take ranks, and measures of labelled pixels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.ndimage as nd

from backsweep.prelude.declare import AXES, as_floats, has_known_items, is_complex, means, refuse

MODES = ("reflect", "grid-mirror", "mirror", "wrap", "grid-wrap", "nearest", "constant", "grid-constant")
"""How an image goes on beyond its ends."""


def not_into(output) -> None:
    """Refuse an array for the result."""
    if output is not None:
        refuse("`output` is not supported", "use what the filter returns")


def each_axis(value, count):
    """An option for each axis."""
    return value if has_known_items(value) else (value,) * count


def _on_axes(value, axes, count, other):
    """An option for each axis: of these axes what is given, of the others what leaves them as they are."""
    if axes is None:
        return each_axis(value, count)
    chosen = tuple([axis % count for axis in each_axis(axes, 1)])
    given = each_axis(value, len(chosen))
    return tuple([given[chosen.index(axis)] if axis in chosen else other for axis in AXES[count]])


def _extents(x):
    """The extents of an array, written out."""
    return tuple([x.shape[axis] for axis in AXES[x.ndim]])


def places(count, first, last, mode):
    """The entries of an axis that stand for those from `first` to `last`, some of which are beyond its ends."""
    return folded(np.arange(first, last if count > 0 else first), max(count, 1), mode)


def folded(at, count, mode):
    """The entries of an axis that stand for others, as it goes on beyond its ends."""
    if mode in ("reflect", "grid-mirror"):
        at = at % (2 * count)
        return np.minimum(at, 2 * count - 1 - at)
    if mode == "mirror":
        at = at % max(2 * count - 2, 1)
        return np.minimum(at, np.abs(2 * count - 2 - at))
    if mode in ("wrap", "grid-wrap"):
        return at % count
    return np.minimum(np.maximum(at, 0), count - 1)


def continued(x, before, behind, mode, cval):
    """An image with more entries before and behind each axis, in one mode or one for each axis."""
    modes = each_axis(mode, x.ndim)
    for axis in AXES[x.ndim]:
        if modes[axis] not in MODES:
            raise RuntimeError("boundary mode not supported")
        turned = np.moveaxis(x, axis, 0)
        count = turned.shape[0]
        found = turned[places(count, -before[axis], count + behind[axis], modes[axis])]
        if modes[axis] in ("constant", "grid-constant"):
            found[: before[axis]] = cval
            found[count + before[axis] :] = cval
        x = np.moveaxis(found, 0, axis)
    return x


def _windows(input, size, footprint, output, mode, cval, origin, axes):
    """The neighbours of each entry, in rows."""
    not_into(output)
    x = np.asarray(input)
    if footprint is not None and np.ndim(footprint) != (x.ndim if axes is None else len(each_axis(axes, 1))):
        raise RuntimeError("footprint array has incorrect shape.")
    if footprint is None and size is None:
        raise RuntimeError("no footprint provided")
    sizes = _on_axes(size if footprint is None else _extents(np.asarray(footprint)), axes, x.ndim, 1)
    origins, mode = _on_axes(origin, axes, x.ndim, 0), _on_axes(mode, axes, x.ndim, "nearest")
    for each, by in zip(sizes, origins, strict=True):
        if each // 2 + by < 0 or each // 2 + by >= each:
            raise ValueError("invalid origin")
    before = tuple([each // 2 + by for each, by in zip(sizes, origins, strict=True)])
    behind = tuple([each - 1 - each // 2 - by for each, by in zip(sizes, origins, strict=True)])
    whole = continued(x, before, behind, mode, cval)
    rows = np.reshape(np.lib.stride_tricks.sliding_window_view(whole, sizes), (x.size, -1))
    return rows if footprint is None else rows[:, np.flatnonzero(np.asarray(footprint))]


@means(nd.maximum_filter)
def maximum_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The largest of each entry's neighbours."""
    rows = _windows(input, size, footprint, output, mode, cval, origin, axes)
    return np.reshape(np.max(rows, axis=1), np.shape(input))


@means(nd.minimum_filter)
def minimum_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The least of each entry's neighbours."""
    rows = _windows(input, size, footprint, output, mode, cval, origin, axes)
    return np.reshape(np.min(rows, axis=1), np.shape(input))


@means(nd.maximum_filter1d)
def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The same along one axis."""
    return np.max(_along(input, size, axis, output, mode, cval, origin), axis=-1)


@means(nd.minimum_filter1d)
def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The same along one axis."""
    return np.min(_along(input, size, axis, output, mode, cval, origin), axis=-1)


def _along(input, size, axis, output, mode, cval, origin):
    """The neighbours of each entry along an axis, behind the others."""
    not_into(output)
    x = as_floats(input)
    at = axis + x.ndim if axis < 0 else axis
    first = size // 2 + origin
    if first < 0 or first >= size:
        raise ValueError("invalid origin")
    before = tuple([first if k == at else 0 for k in AXES[x.ndim]])
    behind = tuple([size - 1 - first if k == at else 0 for k in AXES[x.ndim]])
    return np.lib.stride_tricks.sliding_window_view(continued(x, before, behind, mode, cval), size, axis=axis)


@means(nd.rank_filter)
def rank_filter(
    input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The entry of this rank among the neighbours of each."""
    rows = _windows(input, size, footprint, output, mode, cval, origin, axes)
    return np.reshape(_of_rank(rows, rank), np.shape(input))


def _of_rank(rows, rank):
    at = rank + rows.shape[1] if rank < 0 else rank
    if at < 0 or at >= rows.shape[1]:
        raise RuntimeError("rank not within filter footprint size")
    return np.sort(rows, axis=1)[:, at]


@means(nd.median_filter)
def median_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The middle one of the neighbours of each entry."""
    rows = _windows(input, size, footprint, output, mode, cval, origin, axes)
    return np.reshape(_of_rank(rows, rows.shape[1] // 2), np.shape(input))


@means(nd.percentile_filter)
def percentile_filter(
    input,
    percentile,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """A percentile of the neighbours of each entry."""
    share = percentile + 100.0 if percentile < 0.0 else percentile * 1.0
    if share < 0 or share > 100:
        raise RuntimeError("invalid percentile")
    rows = _windows(input, size, footprint, output, mode, cval, origin, axes)
    count = rows.shape[1]
    found = _of_rank(rows, count - 1 if share == 100.0 else int(count * share / 100.0))
    return np.reshape(found, np.shape(input))


def _erosion(input, size, footprint, output, mode, cval, origin, axes):
    """The least of each entry's neighbours."""
    return minimum_filter(input, size, footprint, output, mode, cval, origin, axes=axes)


def _dilation(input, size, footprint, output, mode, cval, origin, axes):
    """The largest of the entries that have each one as a neighbour."""
    if footprint is not None:
        refuse(
            "dilations are supported with a size", "call nd.maximum_filter with the footprint turned round"
        )
    sizes, origins = each_axis(size, np.ndim(input)), each_axis(origin, np.ndim(input))
    turned = tuple([-by - 1 + each % 2 for each, by in zip(sizes, origins, strict=True)])
    return maximum_filter(input, size, None, output, mode, cval, turned, axes=axes)


def _opening(input, *options):
    """An erosion and a dilation after it."""
    return _dilation(_erosion(input, *options), *options)


def _closing(input, *options):
    """A dilation and an erosion after it."""
    return _erosion(_dilation(input, *options), *options)


def _gradient(input, *options):
    """The dilation less the erosion."""
    return _dilation(input, *options) - _erosion(input, *options)


def _curvature(input, *options):
    """The dilation and the erosion, less the image from each."""
    return _dilation(input, *options) + _erosion(input, *options) - input - input


def _bright(input, *options):
    """The image less its opening: what is bright and narrower than the window."""
    return input - _opening(input, *options)


def _dark(input, *options):
    """The closing less the image: what is dark and narrower than the window."""
    return _closing(input, *options) - input


def _morphology(found: Callable[..., Any]) -> Callable[..., Any]:
    """A filter of grey morphology, as SciPy calls it."""

    def filtered(
        input,
        size=None,
        footprint=None,
        structure=None,
        output=None,
        mode="reflect",
        cval=0.0,
        origin=0,
        *,
        axes=None,
    ):
        if structure is not None:
            refuse("`structure` of grey morphology is not supported", "pass a size or a footprint")
        return found(input, size, footprint, output, mode, cval, origin, axes)

    filtered.__doc__ = found.__doc__
    return filtered


means(nd.grey_erosion)(_morphology(_erosion))
means(nd.grey_dilation)(_morphology(_dilation))
means(nd.grey_opening)(_morphology(_opening))
means(nd.grey_closing)(_morphology(_closing))
means(nd.morphological_gradient)(_morphology(_gradient))
means(nd.morphological_laplace)(_morphology(_curvature))
means(nd.white_tophat)(_morphology(_bright))
means(nd.black_tophat)(_morphology(_dark))


@means(nd.sum_labels, nd.sum)
def sum_labels(input, labels=None, index=None):
    """Sums of the entries of each label."""
    return _measured(_total, input, labels, index)


@means(nd.mean)
def mean(input, labels=None, index=None):
    """Means of the entries of each label."""
    return _measured(_mean, input, labels, index)


@means(nd.variance)
def variance(input, labels=None, index=None):
    """Variances of the entries of each label."""
    return _measured(_variance, input, labels, index)


@means(nd.standard_deviation)
def standard_deviation(input, labels=None, index=None):
    """Standard deviations of the entries of each label."""
    return np.sqrt(_measured(_variance, input, labels, index))


@means(nd.maximum)
def maximum(input, labels=None, index=None):
    """The largest entry of each label."""
    return _measured(_largest, input, labels, index)


@means(nd.minimum)
def minimum(input, labels=None, index=None):
    """The least entry of each label."""
    return _measured(_least, input, labels, index)


@means(nd.median)
def median(input, labels=None, index=None):
    """The median of the entries of each label."""
    return _measured(_middle, input, labels, index)


def _total(x, inside):
    return np.sum(np.where(inside, x, 0.0))


def _mean(x, inside):
    return np.sum(np.where(inside, x, 0.0)) / np.sum(inside)


def _variance(x, inside):
    away = x - _mean(x, inside)
    return _mean((away * np.conj(away)).real if is_complex(x) else away**2, inside)


def _largest(x, inside):
    return np.max(np.where(inside, x, -np.inf))


def _least(x, inside):
    return np.min(np.where(inside, x, np.inf))


def _middle(x, inside):
    return np.median(x[inside])


def _measured(measure, input, labels, index):
    """A measure of the entries of the labels: of all without an index, else of one, or of each of several."""
    x = as_floats(input)
    if labels is None:
        return measure(x, np.ones(x.shape, np.bool_))
    marks = np.asarray(labels)
    if marks.ndim != x.ndim:
        refuse("`labels` has other axes than the image", "write np.broadcast_to(labels, x.shape)")
    if index is None:
        return measure(x, marks > 0)
    if np.ndim(index) == 0:
        return measure(x, marks == index)
    return np.array([measure(x, marks == each) for each in np.asarray(index)])


@means(nd.center_of_mass)
def center_of_mass(input, labels=None, index=None):
    """The mean place of the entries of each label, which are weights."""
    x = as_floats(input)
    if index is None or np.ndim(index) == 0:
        return _center(x, labels, index)
    if not has_known_items(index):
        refuse(
            "`index` of `scipy.ndimage.center_of_mass` is no list that is written out",
            "call it for each label",
        )
    return [_center(x, labels, each) for each in index]


def _center(x, labels, index):
    total = _measured(_total, x, labels, index)
    if x.ndim == 1:
        return (_measured(_total, x * np.arange(len(x)), labels, index) / total,)
    if x.ndim == 2:
        rows = np.reshape(np.arange(x.shape[0]), (-1, 1))
        return (
            _measured(_total, x * rows, labels, index) / total,
            _measured(_total, x * np.arange(x.shape[1]), labels, index) / total,
        )
    return refuse("centres of mass are supported along one and two axes", "write the sums out")
