"""Filters of `scipy.ndimage` that are made of others, and measures of pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd

from backsweep.prelude.declare import means, refuse


@means(nd.prewitt)
def prewitt(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """Differences along one axis, sums along the others."""
    _not_into(output)
    if input.ndim > 2:
        refuse(
            "`scipy.ndimage.prewitt` is supported of one and two axes",
            "write it with nd.correlate1d for each axis",
        )
    along = axis + input.ndim if axis < 0 else axis
    found = nd.correlate1d(input, [-1.0, 0.0, 1.0], along, mode=mode, cval=cval)
    return (
        found if input.ndim == 1 else nd.correlate1d(found, [1.0, 1.0, 1.0], 1 - along, mode=mode, cval=cval)
    )


@means(nd.gaussian_laplace)
def gaussian_laplace(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0
) -> Any:
    """The sum of the second derivatives of a Gaussian."""
    _not_into(output)
    total = np.zeros(np.shape(input))
    for part in _slopes(input, sigma, 2, mode, cval):
        total = total + part
    return total


@means(nd.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0
) -> Any:
    """The length of the gradient of a Gaussian."""
    _not_into(output)
    total = np.zeros(np.shape(input))
    for part in _slopes(input, sigma, 1, mode, cval):
        total = total + part * part
    return np.sqrt(total)


def _slopes(image: Any, sigma: Any, times: Any, mode: Any, cval: Any) -> Any:
    """The derivatives of a Gaussian along each axis."""
    if image.ndim == 1:
        return (nd.gaussian_filter(image, sigma, times, mode=mode, cval=cval),)
    if image.ndim == 2:
        return (
            nd.gaussian_filter(image, sigma, (times, 0), mode=mode, cval=cval),
            nd.gaussian_filter(image, sigma, (0, times), mode=mode, cval=cval),
        )
    return refuse(
        "this filter is supported of one and two axes", "call nd.gaussian_filter with `order` for each axis"
    )


def _not_into(output: Any) -> None:
    if output is not None:
        refuse("`output` is not supported", "use what the filter returns")
