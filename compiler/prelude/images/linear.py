"""Functions of `scipy.ndimage` that are linear in the image: its kind of numbers, and where the result is stored.

What is summed along the axes of an image in double precision `runtime/samples/images.py` writes; SciPy computes so, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.ndimage as nd

from backsweep.prelude.declare import core, has_known_items, is_complex, means, refuse
from backsweep.prelude.images.filters import AXES


@means(nd.correlate)
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Sums of neighbours with weights."""
    w = np.asarray(weights)
    return of_floats(
        lambda x, beyond: core(nd.correlate)(x, w, None, mode, beyond, origin, axes), input, cval, output
    )


@means(nd.convolve)
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Sums of neighbours with weights that are turned round."""
    w = np.asarray(weights)
    return of_floats(
        lambda x, beyond: core(nd.convolve)(x, w, None, mode, beyond, origin, axes), input, cval, output
    )


@means(nd.correlate1d)
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Sums of neighbours along an axis with weights."""
    w = np.asarray(weights)
    return of_floats(
        lambda x, beyond: core(nd.correlate1d)(x, w, axis, None, mode, beyond, origin), input, cval, output
    )


@means(nd.convolve1d)
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Sums of neighbours along an axis with weights that are turned round."""
    w = np.asarray(weights)
    return of_floats(
        lambda x, beyond: core(nd.convolve1d)(x, w, axis, None, mode, beyond, origin), input, cval, output
    )


@means(nd.gaussian_filter1d)
def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    """Sums of neighbours along an axis with the weights of a normal density."""
    return of_floats(
        lambda x, beyond: core(nd.gaussian_filter1d)(
            x, sigma, axis, order, None, mode, beyond, truncate, radius
        ),
        input,
        cval,
        output,
    )


@means(nd.gaussian_filter)
def gaussian_filter(
    input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None, axes=None
):
    """Sums of neighbours with the weights of a normal density."""
    widths, orders = _as_tuple(sigma), _as_tuple(order)
    return of_floats(
        lambda x, beyond: core(nd.gaussian_filter)(
            x, widths, orders, None, _as_tuple(mode), beyond, truncate, radius, axes
        ),
        input,
        cval,
        output,
    )


@means(nd.uniform_filter1d)
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Means of neighbours along an axis."""
    return of_floats(
        lambda x, beyond: core(nd.uniform_filter1d)(x, size, axis, None, mode, beyond, origin),
        input,
        cval,
        output,
    )


@means(nd.uniform_filter)
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Means of neighbours."""
    sizes = _as_tuple(size)
    return of_floats(
        lambda x, beyond: core(nd.uniform_filter)(x, sizes, None, _as_tuple(mode), beyond, origin, axes),
        input,
        cval,
        output,
    )


@means(nd.sobel)
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Differences of neighbours along one axis, smoothed along the others."""
    return of_floats(lambda x, beyond: core(nd.sobel)(x, axis, None, mode, beyond), input, cval, output)


@means(nd.laplace)
def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    """The sums of second differences along the axes."""
    return of_floats(
        lambda x, beyond: core(nd.laplace)(x, None, _as_tuple(mode), beyond, axes), input, cval, output
    )


def _as_tuple(option):
    """An option, as a tuple where it is a list of one for each axis."""
    return tuple(option) if has_known_items(option) else option


@means(nd.prewitt)
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Differences along one axis, sums along the others."""
    return of_floats(lambda x, beyond: _prewitt(x, axis, mode, beyond), input, cval, output)


def _prewitt(x, axis, mode, cval):
    along = axis + x.ndim if axis < 0 else axis
    modes = (mode,) * x.ndim if isinstance(mode, str) else mode
    found = nd.correlate1d(x, np.array([-1.0, 0.0, 1.0]), along, None, modes[along], cval)
    for other in AXES[x.ndim]:
        if other != along:
            found = nd.correlate1d(found, np.ones(3), other, None, modes[other], cval)
    return found


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
        refuse("`axes` is not supported", "call nd.gaussian_filter with `order` for each axis")


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
