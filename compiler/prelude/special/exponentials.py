"""Logarithms of sums of exponentials of `scipy.special`, and what is divided by such sums."""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from backsweep.prelude.declare import AXES, means, refuse
from backsweep.runtime.scipy.sums_of_exponentials import (
    log_of_sum,
    log_of_sums,
    log_shares,
    log_shares_along,
    shares,
    shares_along,
    sums_along,
)
from backsweep.runtime.support.marks import stop_gradient


@means(sp.logsumexp)
def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """The logarithm of a sum of exponentials, with weights."""
    if return_sign:
        refuse(
            "`return_sign` of `logsumexp` is not supported",
            "take the logarithm of the sum with its sign yourself",
            "BS202",
        )
    if axis is None and not keepdims:
        if b is None:
            return log_of_sum(a)
        largest = stop_gradient(log_of_sum(a))
        shift = largest if np.isfinite(largest) else 0.0
        return np.log(np.sum(b * np.exp(a - shift))) + shift
    if b is not None:
        a = a + 0.0 * np.isnan(b)  # with the axes of the weights
    axes = AXES[a.ndim] if axis is None else axis if isinstance(axis, tuple) else (axis,)
    found = _along(a, axes)
    if b is not None:
        largest = stop_gradient(found)
        shift = np.where(np.isfinite(largest), largest, 0.0)
        sums = b * np.exp(a - shift)
        for each in axes:
            sums = sums_along(sums, each)
        found = np.log(sums) + shift
    return found if keepdims else np.sum(found, axes[0] if len(axes) == 1 else axes)


def _along(a, axes):
    """The logarithms of sums along axes, which stay with an extent of one."""
    for each in axes:
        a = log_of_sums(a, each)
    return a


@means(sp.softmax)
def softmax(x, axis=None):
    """The exponentials, divided by their sum."""
    if axis is None:
        return shares(x)
    return np.exp(x - _along(x, axis)) if isinstance(axis, tuple) else shares_along(x, axis)


@means(sp.log_softmax)
def log_softmax(x, axis=None):
    """The logarithms of these."""
    if axis is None:
        return log_shares(x)
    return x - _along(x, axis) if isinstance(axis, tuple) else log_shares_along(x, axis)


if hasattr(sp, "softplus"):  # since SciPy 1.17

    @means(sp.softplus)
    def softplus(x):
        """The logarithm of one and an exponential."""
        return np.logaddexp(0.0, x)
