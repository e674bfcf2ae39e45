"""From a distribution in its standard form to any place and scale, and from one of its functions to another.

The compiler writes these functions out. `standard` is a function of the standard distribution, `shapes` its parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from backsweep.runtime.support.compiled import inlined

Standard = Callable[..., Any]


@inlined
def positive(parameter):
    """The parameter where it is positive, else nan, as SciPy's densities are for other parameters."""
    if np.ndim(parameter) == 0:
        return parameter if parameter > 0.0 else math.nan
    return np.where(parameter > 0.0, parameter, math.nan)


@inlined
def probability(parameter):
    """The parameter where it is from 0 to 1, else nan."""
    if np.ndim(parameter) == 0:
        return parameter if 0.0 <= parameter <= 1.0 else math.nan
    return np.where((parameter >= 0.0) & (parameter <= 1.0), parameter, math.nan)


@inlined
def exp_of(logarithm: Standard, x, *shapes, **named):
    """A density by its logarithm."""
    return np.exp(logarithm(x, *shapes, **named))


@inlined
def rest_of_exp(logarithm: Standard, x, *shapes, **named):
    """What is left to 1, by the logarithm of the part."""
    return -np.expm1(logarithm(x, *shapes, **named))


@inlined
def log_of(function: Standard, rest: Standard, x, *shapes, **named):
    """The logarithm of a function; by what is left to 1, if that is less."""
    value, left = function(x, *shapes, **named), rest(x, *shapes, **named)
    is_most = value > 0.5
    of_most = np.log1p(-np.where(is_most, left, 0.5))
    return np.where(is_most, of_most, np.log(np.where(is_most, 1.0, value)))


@inlined
def rest_of(function: Standard, x, *shapes, **named):
    """What is left to 1."""
    return 1.0 - function(x, *shapes, **named)


@inlined
def mirrored(function: Standard, x, *shapes):
    """The other tail of a symmetric distribution."""
    return function(-x, *shapes)


@inlined
def negated(quantile: Standard, q, *shapes):
    """The quantile from the other end of a symmetric distribution."""
    return -quantile(q, *shapes)


@inlined
def log_of_the_rest(logarithm):
    """What is left to 1, as logarithms."""
    most = logarithm > -0.7
    of_most = np.log(-np.expm1(np.where(most, logarithm, -1.0)))
    return np.where(most, of_most, np.log1p(-np.exp(np.where(most, -1.0, logarithm))))


@inlined
def of_the_rest(function: Standard, q, *shapes):
    """A quantile from the other end."""
    return function(1.0 - q, *shapes)


@inlined
def moved(standard: Standard, x, loc, *shapes):
    """A function at a place."""
    return standard(x - loc, *shapes)


@inlined
def moved_density(standard: Standard, x, loc, scale, *shapes):
    """The density at a place and of a scale."""
    scale = positive(scale)
    return standard((x - loc) / scale, *shapes) / scale


@inlined
def moved_log_density(standard: Standard, x, loc, scale, *shapes):
    """The logarithm of that."""
    scale = positive(scale)
    return standard((x - loc) / scale, *shapes) - np.log(scale)


@inlined
def moved_distribution(standard: Standard, x, loc, scale, *shapes):
    """A distribution function at a place and of a scale."""
    scale = positive(scale)
    return standard((x - loc) / scale, *shapes)


@inlined
def moved_quantile(standard: Standard, q, loc, scale, *shapes):
    """The quantile for that."""
    return loc + positive(scale) * standard(q, *shapes)
