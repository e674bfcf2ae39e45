"""Functions of `scipy.ndimage` that are linear in the image: its kind of numbers, and where the result is stored.

What is summed is summed in double precision, as SciPy does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.ndimage as nd

from backsweep.prelude.declare import AXES, as_floats, has_known_items, is_complex, means, refuse
from backsweep.prelude.images.filters import each_axis, places


def _wide(x, axis, size, origin, mode, cval):
    """An image whose axis goes on at both ends, so that each entry has `size` neighbours."""
    before = size // 2 + origin
    if before < 0 or before >= size:
        raise ValueError(
            "Invalid origin; origin must satisfy -(len(weights) // 2) <= origin <= (len(weights)-1) // 2"
        )
    count = x.shape[axis]
    if mode not in ("constant", "grid-constant"):
        at = places(count, -before, count + size - 1 - before, mode)
        return x[tuple([at if each == axis else slice(None) for each in AXES[x.ndim]])]
    extents = [x.shape[each] + (size - 1 if each == axis else 0) for each in AXES[x.ndim]]
    wide = np.full(tuple(extents), 1.0 * cval)
    wide[_part(x, axis, before, count)] = x
    return wide


def _part(x, axis, start, count):
    """The place of some entries along an axis."""
    return tuple([slice(start, start + count) if each == axis else slice(None) for each in AXES[x.ndim]])


def _along(x, weights, axis, mode, cval, origin=0):
    """Sums of neighbours along an axis with weights."""
    if axis < -x.ndim or axis >= x.ndim:
        refuse(f"an image with {x.ndim} axes has no axis {axis}", "check the axis")
    at = axis % x.ndim
    wide, sums = _wide(x, at, len(weights), origin, mode, cval), np.zeros(x.shape)
    for k in range(len(weights)):
        sums += weights[k] * wide[_part(x, at, k, x.shape[at])]
    return sums


def _around(x, weights, mode, cval, origins):
    """Sums of neighbours along all axes with weights."""
    if weights.ndim != x.ndim:
        refuse("image and weights have other numbers of axes", "give both as many")
    wide, sums = x, np.zeros(x.shape)
    for axis in AXES[x.ndim]:
        wide = _wide(wide, axis, weights.shape[axis], origins[axis], mode, cval)
    for at in np.ndindex(weights.shape):
        sums += weights[at] * wide[tuple([slice(at[k], at[k] + x.shape[k]) for k in AXES[x.ndim]])]
    return sums


def _weights(weights, ndim=None):
    """Weights of real numbers."""
    w = as_floats(weights)
    if is_complex(w) or (ndim is not None and w.ndim != ndim):
        refuse("filters are supported with weights of real numbers, along one axis a vector", "give these")
    return w


def _turned(origin, size):
    """Where weights begin that are turned round."""
    return -origin - (1 - size % 2)


@means(nd.correlate)
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Sums of neighbours with weights."""
    _all_axes(axes)
    w = _weights(weights)
    origins = each_axis(origin, w.ndim)
    return of_floats(lambda x, beyond: _around(x, w, mode, beyond, origins), input, cval, output)


@means(nd.convolve)
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Sums of neighbours with weights that are turned round."""
    _all_axes(axes)
    w, by = _weights(weights), each_axis(origin, np.ndim(weights))
    origins = [_turned(by[axis], w.shape[axis]) for axis in AXES[w.ndim]]
    return of_floats(lambda x, beyond: _around(x, np.flip(w), mode, beyond, origins), input, cval, output)


@means(nd.correlate1d)
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Sums of neighbours along an axis with weights."""
    w = _weights(weights, 1)
    return of_floats(lambda x, beyond: _along(x, w, axis, mode, beyond, origin), input, cval, output)


@means(nd.convolve1d)
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Sums of neighbours along an axis with weights that are turned round."""
    w = _weights(weights, 1)
    by = _turned(origin, len(w))
    return of_floats(lambda x, beyond: _along(x, w[::-1], axis, mode, beyond, by), input, cval, output)


def _gaussian(sigma, order, truncate, radius):
    """The weights of a normal density, or of its first to third derivative, at whole numbers."""
    if order not in (0, 1, 2, 3) or has_known_items(radius):
        refuse(
            "Gaussian filters are supported of the orders 0 to 3, with one radius",
            "filter each axis by itself",
        )
    reach = int(truncate * sigma + 0.5) if radius is None else radius
    if reach < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    x, square = np.arange(-reach, reach + 1) * 1.0, 1.0 * sigma * sigma
    density = np.exp(-0.5 / square * x**2)
    density = density / np.sum(density)
    if order == 1:
        return x / square * density
    if order == 2:
        return (x**2 / square - 1.0) / square * density
    return density if order == 0 else (x**3 / square - 3.0 * x) / square**2 * density


@means(nd.gaussian_filter1d)
def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    """Sums of neighbours along an axis with the weights of a normal density."""
    w = _gaussian(sigma, order, truncate, radius)
    return of_floats(lambda x, beyond: _along(x, w, axis, mode, beyond), input, cval, output)


@means(nd.gaussian_filter)
def gaussian_filter(
    input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None, axes=None
):
    """Sums of neighbours with the weights of a normal density."""
    _all_axes(axes)
    widths, orders = each_axis(sigma, np.ndim(input)), each_axis(order, np.ndim(input))

    def found(x, beyond):
        image = x.copy()
        for axis in AXES[x.ndim]:
            if widths[axis] > 1e-15:
                w = _gaussian(widths[axis], orders[axis], truncate, radius)
                image = _along(image, w, axis, each_axis(mode, x.ndim)[axis], beyond)
        return image

    return of_floats(found, input, cval, output)


@means(nd.uniform_filter1d)
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Means of neighbours along an axis."""
    if size < 1:
        raise RuntimeError("incorrect filter size")
    w = np.full(size, 1.0 / size)
    return of_floats(lambda x, beyond: _along(x, w, axis, mode, beyond, origin), input, cval, output)


@means(nd.uniform_filter)
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Means of neighbours."""
    _all_axes(axes)
    sizes, origins = each_axis(size, np.ndim(input)), each_axis(origin, np.ndim(input))

    def found(x, beyond):
        image = x.copy()
        for axis in AXES[x.ndim]:
            if sizes[axis] > 1:
                w = np.full(sizes[axis], 1.0 / sizes[axis])
                image = _along(image, w, axis, each_axis(mode, x.ndim)[axis], beyond, origins[axis])
        return image

    return of_floats(found, input, cval, output)


@means(nd.sobel)
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Differences of neighbours along one axis, smoothed along the others."""
    w = np.array([1.0, 2.0, 1.0])
    return of_floats(lambda x, beyond: _edges(x, axis, mode, beyond, w), input, cval, output)


@means(nd.prewitt)
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Differences along one axis, sums along the others."""
    return of_floats(lambda x, beyond: _edges(x, axis, mode, beyond, np.ones(3)), input, cval, output)


def _edges(x, axis, mode, cval, beside):
    """Differences along one axis, and along the others sums with the weights `beside`."""
    modes = each_axis(mode, x.ndim)
    found = _along(x, np.array([-1.0, 0.0, 1.0]), axis, modes[axis], cval)
    for other in AXES[x.ndim]:
        if other != axis % x.ndim:
            found = _along(found, beside, other, modes[other], cval)
    return found


@means(nd.laplace)
def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    """The sums of second differences along the axes."""
    _all_axes(axes)
    w = np.array([1.0, -2.0, 1.0])

    def found(x, beyond):
        modes = each_axis(mode, x.ndim)
        return _summed([_along(x, w, axis, modes[axis], beyond) for axis in AXES[x.ndim]])

    return of_floats(found, input, cval, output)


@means(nd.gaussian_laplace)
def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **options):
    """The sum of the second derivatives of a Gaussian."""
    _all_axes(axes)
    return of_floats(
        lambda x, beyond: _summed(_slopes(x, sigma, 2, mode, beyond, options)), input, cval, output
    )


@means(nd.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **options):
    """The length of the gradient of a Gaussian."""
    _all_axes(axes)
    slopes = _slopes(np.asarray(input), sigma, 1, mode, cval, options)
    return stored(np.sqrt(_summed([part * part for part in slopes])), output)


def _all_axes(axes) -> None:
    if axes is not None:
        refuse("`axes` is not supported", "call the filter for each slice")


def _slopes(image, sigma, times, mode, cval, options):
    """The derivatives of a Gaussian along each axis."""
    orders = [tuple([times if k == at else 0 for k in AXES[image.ndim]]) for at in AXES[image.ndim]]
    return [nd.gaussian_filter(image, sigma, order, None, mode, cval, **options) for order in orders]


def _summed(parts):
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def of_floats(found: Callable[[Any, Any], Any], input, cval, output):
    """What a linear filter finds of an image in double precision, in the precision of the image, or as `output` asks."""
    x = np.asarray(input)
    if x.dtype.kind not in "fc":
        refuse(
            "filters of whole numbers are not supported: SciPy cuts their results off",
            "convert first: x.astype(np.float64)",
        )
    if is_complex(x):
        y = found(np.real(x).astype(np.float64), np.real(cval)) + 1j * found(
            np.imag(x).astype(np.float64), np.imag(cval)
        )
    else:
        y = found(x.astype(np.float64), cval)
    return stored(y.astype(x.dtype) if output is None else y, output)


def stored(y, output):
    """A filter's result as `output` asks: the array in which it is stored, or its kind of numbers."""
    if output is None:
        return y
    made = y.astype(np.result_type(output))
    if made.dtype.kind not in "fc":
        refuse(
            "`output` is of whole numbers, for which SciPy cuts the result off",
            "take the result of a filter as it is, and convert that",
        )
    if isinstance(output, np.ndarray):
        output[...] = made
        return output
    return made
