"""Splines through images, and their values at other places: `scipy.ndimage.shift`, `zoom`, `rotate` and their like."""

from __future__ import annotations

import math

import numpy as np
import scipy.ndimage as nd

from backsweep.prelude.declare import AXES, as_floats, means, refuse
from backsweep.prelude.images.filters import continued, each_axis, folded, not_into

POLES = {2: math.sqrt(8.0) - 3.0, 3: math.sqrt(3.0) - 2.0}


@means(nd.spline_filter1d)
def spline_filter1d(input, order=3, axis=-1, output=np.float64, mode="mirror"):
    """The coefficients of the spline through the entries along an axis."""
    if output is not np.float64:
        refuse("`output` is not supported", "use what the filter returns")
    x = as_floats(input)
    if order in (0, 1):
        return x * 1.0
    return np.moveaxis(_coefficients(np.moveaxis(x, axis, 0), order, mode), 0, axis)


@means(nd.spline_filter)
def spline_filter(input, order=3, output=np.float64, mode="mirror"):
    """The same along every axis."""
    x = as_floats(input) * 1.0
    for axis in AXES[x.ndim]:
        x = spline_filter1d(x, order, axis, output, mode)
    return x


def _coefficients(x, order, mode):
    """The same along the first axis: a recursion forwards, and one back (Unser)."""
    if order not in (2, 3):
        refuse("splines through images are supported of the orders 0 to 3", "pass order=3")
    n, z = x.shape[0], POLES[order]
    if n == 1:
        return x * 1.0
    c = np.reshape(x, (n, -1)) * ((1.0 - z) * (1.0 - 1.0 / z))
    k = np.arange(n)
    if mode in ("reflect", "nearest", "grid-mirror"):
        c[0] = c[0] + (z ** (k + 1) + z ** (2 * n - k)) @ c / (1.0 - z ** (2 * n))
    elif mode == "grid-wrap":
        c[0] = z ** (-k % n) @ c / (1.0 - z**n)
    else:
        weights = z**k + z ** (2 * n - 2 - k)
        weights[0], weights[-1] = 1.0, z ** (n - 1)
        c[0] = weights @ c / (1.0 - z ** (2 * n - 2))
    for i in range(1, n):
        c[i] = c[i] + z * c[i - 1]
    if mode in ("reflect", "nearest", "grid-mirror"):
        c[n - 1] = c[n - 1] * (z / (z - 1.0))
    elif mode == "grid-wrap":
        c[n - 1] = z ** ((k + 1) % n) @ c * (-z / (1.0 - z**n))
    else:
        c[n - 1] = (z * c[n - 2] + c[n - 1]) * (z / (z * z - 1.0))
    for i in range(n - 2, -1, -1):
        c[i] = z * (c[i + 1] - c[i])
    return np.reshape(c, x.shape)


@means(nd.map_coordinates)
def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """The values of the spline through an image at places between its entries."""
    not_into(output)
    at, x = np.asarray(coordinates), np.asarray(input)
    rows = np.reshape(at, (at.shape[0], -1))
    if order in (0, 1) and mode in ("constant", "nearest", "mirror"):
        found = _around(x, rows, order, mode, cval)
    else:
        found = _at_places(x, rows, order, mode, cval, prefilter)
    return np.reshape(found, at.shape[1:])


@means(nd.affine_transform)
def affine_transform(
    input,
    matrix,
    offset=0.0,
    output_shape=None,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
):
    """The values of the spline through an image at places that a linear map tells."""
    not_into(output)
    x, matrix = np.asarray(input), as_floats(matrix).astype(np.float64)
    shape = x.shape if output_shape is None else output_shape
    shifts = np.zeros(x.ndim) + (offset if np.ndim(offset) == 0 else as_floats(offset))
    if matrix.ndim == 1:
        matrix = np.diag(matrix)
    if matrix.shape[1] == x.ndim + 1:
        shifts, matrix = 1.0 * matrix[: x.ndim, x.ndim], 1.0 * matrix[: x.ndim, : x.ndim]
    if len(matrix) != x.ndim or len(shape) != matrix.shape[1]:
        raise RuntimeError("affine matrix has wrong number of rows")
    grid = np.reshape(np.indices(shape), (len(shape), -1)) * 1.0
    at = matrix @ grid + np.reshape(shifts, (-1, 1))
    return np.reshape(_at_places(x, at, order, mode, cval, prefilter), shape)


@means(nd.shift)
def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """The values of the spline through an image beside its entries."""
    not_into(output)
    x = np.asarray(input)
    by = as_floats(shift)
    at = [np.arange(x.shape[axis]) - (by if by.ndim == 0 else by[axis]) for axis in AXES[x.ndim]]
    return _by_axes(x, at, order, mode, cval, prefilter)


@means(nd.zoom)
def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False):
    """The values of the spline through an image on a finer or coarser grid."""
    not_into(output)
    x = np.asarray(input)
    by = each_axis(zoom, x.ndim)
    at = [_stretched(x.shape[axis], round(x.shape[axis] * by[axis]), grid_mode) for axis in AXES[x.ndim]]
    return _by_axes(x, at, order, mode, cval, prefilter)


def _stretched(count, wanted, grid_mode):
    """The places of so many entries between those of an axis."""
    if grid_mode:
        return (np.arange(wanted) + 0.5) * (count / wanted) - 0.5
    return np.arange(wanted) * ((count - 1.0) / (wanted - 1.0) if wanted > 1 else 1.0)


@means(nd.rotate)
def rotate(
    input, angle, axes=(1, 0), reshape=True, output=None, order=3, mode="constant", cval=0.0, prefilter=True
):
    """The values of the spline through an image on a grid that is turned."""
    not_into(output)
    x = np.asarray(input)
    if x.ndim != 2 or tuple(axes) not in ((1, 0), (0, 1), (-1, -2), (-2, -1)):
        refuse("`scipy.ndimage.rotate` is supported of images with two axes", "call it for each slice")
    c, s = np.cos(angle * (math.pi / 180.0)), np.sin(angle * (math.pi / 180.0))
    rows, columns = x.shape
    if reshape:
        height = int(abs(rows * c) + abs(columns * s) + 0.5)
        columns = int(abs(rows * s) + abs(columns * c) + 0.5)
        rows = height
    at = np.array([[c, s], [-s, c]])
    middle = at @ np.array([(rows - 1) / 2.0, (columns - 1) / 2.0])
    offset = np.array([(x.shape[0] - 1) / 2.0, (x.shape[1] - 1) / 2.0]) - middle
    return affine_transform(x, at, offset, (rows, columns), None, order, mode, cval, prefilter)


BESIDE = 12
"""By how many entries an image is continued where its spline would need all of them."""


def _prepared(x, order, mode, prefilter):
    """The coefficients of the spline, and by how many entries the image was continued."""
    if mode not in ("constant", "nearest", "mirror", "reflect", "grid-mirror", "grid-wrap"):
        refuse(
            "splines through images are supported with the modes 'constant', 'nearest', 'mirror', 'reflect' and 'grid-wrap'",
            "pass mode='reflect'",
        )
    if x.dtype.kind != "f":
        refuse("this transforms images of real numbers that are not whole", "write image.astype(np.float64)")
    x = x.astype(np.float64)
    if order in (0, 1) or not prefilter:
        return x, 0
    if mode == "nearest":
        beside = (BESIDE,) * x.ndim
        return spline_filter(continued(x, beside, beside, mode, 0.0), order, mode=mode), BESIDE
    return spline_filter(x, order, mode=mode), 0


def _weights(at, order):
    """The first entry that counts for a place, and the weights of those from there on."""
    if order == 0:
        return np.floor(at + 0.5), np.reshape(np.ones(at.shape), (1, -1))
    first = np.floor(at + 0.5) - 1.0 if order == 2 else np.floor(at) - order // 2
    y = at - np.floor(at + 0.5 if order == 2 else at)
    if order == 1:
        return first, np.stack((1.0 - y, y))
    if order == 2:
        return first, np.stack((0.5 * (0.5 - y) ** 2, 0.75 - y * y, 0.5 * (0.5 + y) ** 2))
    z = 1.0 - y
    middle, next_ = (y * y * (y - 2.0) * 3.0 + 4.0) / 6.0, (z * z * (z - 2.0) * 3.0 + 4.0) / 6.0
    return first, np.stack((z**3 / 6.0, middle, next_, y**3 / 6.0))


def _brought_in(at, count, mode):
    """Places as they are read, and which of them are within the image."""
    inside = (at >= 0.0) & (at <= count - 1) if mode == "constant" else ~np.isnan(at)
    if mode == "nearest":
        at = np.minimum(np.maximum(at, 0.0), count - 1.0)
    elif mode == "mirror":
        at = np.abs(at) % max(2.0 * count - 2.0, 1.0)
        at = np.where(at > count - 1, 2.0 * count - 2.0 - at, at)
    return at, inside


def _by_axes(input, at, order, mode, cval, prefilter):
    """The values at all combinations of places along each axis."""
    x, beside = _prepared(input, order, mode, prefilter)
    inside = np.ones(x.shape, np.bool_)
    for axis in AXES[x.ndim]:
        turned, within = np.moveaxis(x, axis, 0), np.moveaxis(inside, axis, 0)
        count = turned.shape[0]
        places, is_inside = _brought_in(at[axis] + beside, count, mode)
        first, weights = _weights(places, order)
        lines = np.reshape(turned, (count, -1))
        found = np.zeros((len(places), lines.shape[1]))
        for k in range(order + 1):
            row = folded(first.astype(np.int64) + k, count, "mirror" if mode == "constant" else mode)
            found = found + np.reshape(weights[k], (-1, 1)) * lines[row]
        rows = np.reshape(within, (count, -1))[:1] & np.reshape(is_inside, (-1, 1))
        x = np.moveaxis(np.reshape(found, (len(places), *turned.shape[1:])), 0, axis)
        inside = np.moveaxis(np.reshape(rows, (len(places), *turned.shape[1:])), 0, axis)
    return np.where(inside, x, cval).astype(input.dtype)


def _around(input, at, order, mode, cval):
    """The same of the nearest entries, or of those around, place by place: nothing is recorded."""
    x, _ = _prepared(input, order, mode, False)
    if len(at) != x.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    found = np.empty(at.shape[1])
    for j in range(at.shape[1]):
        placed = [_brought_in(at[axis, j] * 1.0, x.shape[axis], mode) for axis in AXES[x.ndim]]
        inside = True
        for _, is_inside in placed:
            inside = inside and is_inside
        found[j] = _mixed(x, [place for place, _ in placed], order) if inside else cval
    return found.astype(input.dtype)


def _mixed(x, place, order):
    """The entry nearest to a place, or the mean of those around, by their distances."""
    if order == 0:
        return x[tuple([int(np.floor(each + 0.5)) for each in place])]
    last = [x.shape[axis] - 1 for axis in AXES[x.ndim]]
    first = [min(int(np.floor(place[axis])), max(last[axis] - 1, 0)) for axis in AXES[x.ndim]]
    total = 0.0
    for corner in np.ndindex((2,) * x.ndim):
        share = 1.0
        for axis in AXES[x.ndim]:
            beyond = place[axis] - first[axis]
            share = share * (beyond if corner[axis] == 1 else 1.0 - beyond)
        total += share * x[tuple([min(first[axis] + corner[axis], last[axis]) for axis in AXES[x.ndim]])]
    return total


def _at_places(input, at, order, mode, cval, prefilter):
    """The values at places that are the columns of a matrix."""
    x, beside = _prepared(input, order, mode, prefilter)
    if len(at) != x.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    inside, flat = np.ones(at.shape[1], np.bool_), np.ravel(x)
    rows, shares = np.zeros((1, at.shape[1]), np.int64), np.ones((1, at.shape[1]))
    for axis in AXES[x.ndim]:
        count = x.shape[axis]
        places, is_inside = _brought_in(at[axis] + beside, count, mode)
        first, weights = _weights(places, order)
        steps = np.reshape(np.arange(order + 1), (-1, 1))
        entries = folded(first.astype(np.int64) + steps, count, "mirror" if mode == "constant" else mode)
        entries, weights = np.reshape(entries, (order + 1, 1, -1)), np.reshape(weights, (order + 1, 1, -1))
        rows = np.reshape(rows * count + entries, (-1, at.shape[1]))
        shares = np.reshape(shares * weights, (-1, at.shape[1]))
        inside = inside & is_inside
    return np.where(inside, np.sum(shares * flat[rows], axis=0), cval).astype(input.dtype)
