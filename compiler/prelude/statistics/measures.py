"""Statistics of samples and transformations of `scipy.stats`."""

from __future__ import annotations

import math

import numpy as np
import scipy.special
import scipy.stats

from backsweep.prelude.declare import as_floats, means, only_propagating, refuse


@means(scipy.stats.iqr)
def iqr(
    x, axis=None, rng=(25, 75), scale=1.0, nan_policy="propagate", interpolation="linear", keepdims=False
):
    """The range between two percentiles."""
    only_propagating(nan_policy)
    unit = 2.0 * math.sqrt(2.0) * 0.4769362762044699 if scale == "normal" else scale
    low = np.percentile(x, rng[0], axis=axis, method=interpolation, keepdims=keepdims)
    return (np.percentile(x, rng[1], axis=axis, method=interpolation, keepdims=keepdims) - low) / unit


@means(scipy.stats.median_abs_deviation)
def median_abs_deviation(x, axis=0, center=np.median, scale=1.0, nan_policy="propagate", *, keepdims=False):
    """The median of the distances from the center."""
    only_propagating(nan_policy)
    unit = 0.6744897501960817 if scale == "normal" else scale
    around = (
        center(x, axis=axis)
        if axis is None or np.ndim(x) == 1
        else np.expand_dims(center(x, axis=axis), axis)
    )
    return np.median(np.abs(x - around), axis=axis, keepdims=keepdims) / unit


@means(scipy.stats.trim_mean)
def trim_mean(a, proportiontocut, axis=0, *, nan_policy="propagate", keepdims=False):
    """The mean without the smallest and the largest values."""
    only_propagating(nan_policy)
    if axis is None:
        a, axis = np.ravel(a), 0
    lines = np.sort(np.moveaxis(a, axis, 0), axis=0)
    cut = int(proportiontocut * len(lines))
    if cut > len(lines) - cut:
        raise ValueError("Proportion too big.")
    found = np.mean(lines[cut : len(lines) - cut], axis=0)
    return np.expand_dims(found, axis) if keepdims else found


@means(scipy.stats.boxcox)
def boxcox(x, lmbda=None, alpha=None, optimizer=None):
    """Powers, as the transformation of Box and Cox has them, of a known exponent."""
    if lmbda is None or alpha is not None or optimizer is not None:
        refuse("`scipy.stats.boxcox` is supported with `lmbda`", "find the exponent first, and pass it")
    return scipy.special.boxcox(x, lmbda)


@means(scipy.stats.yeojohnson)
def yeojohnson(x, lmbda=None):
    """The transformation of Yeo and Johnson of a known exponent."""
    if lmbda is None:
        refuse("`scipy.stats.yeojohnson` is supported with `lmbda`", "find the exponent first, and pass it")
    inside = np.where(x >= 0.0, x, 0.0)
    below = np.where(x < 0.0, -x, 0.0)
    return scipy.special.boxcox1p(inside, lmbda) - scipy.special.boxcox1p(below, 2.0 - lmbda)


@means(scipy.stats.gzscore)
def gzscore(a, *, axis=0, ddof=0, nan_policy="propagate"):
    """Scores of the logarithms."""
    only_propagating(nan_policy)
    logs = np.log(as_floats(a))
    return (logs - np.mean(logs, axis=axis, keepdims=True)) / np.std(
        logs, axis=axis, ddof=ddof, keepdims=True
    )


@means(scipy.stats.wasserstein_distance)
def wasserstein_distance(u_values, v_values, u_weights=None, v_weights=None):
    """The area between two distribution functions."""
    return _area(u_values, v_values, u_weights, v_weights, 1)


@means(scipy.stats.energy_distance)
def energy_distance(u_values, v_values, u_weights=None, v_weights=None):
    """The root of twice the area between the squares of two distribution functions (Székely 2002)."""
    return math.sqrt(2.0) * np.sqrt(_area(u_values, v_values, u_weights, v_weights, 2))


def _area(u, v, u_weights, v_weights, p):
    """The integral of the p-th power of the difference of two distribution functions."""
    if np.ndim(u) != 1 or np.ndim(v) != 1 or u_weights is not None or v_weights is not None:
        refuse(
            "distances of distributions are supported of two vectors without weights",
            "repeat values that count more than once",
        )
    if len(u) == 0 or len(v) == 0:
        raise ValueError("Distribution can't be empty.")
    values = np.sort(np.concatenate((u, v)))
    u_share = np.searchsorted(np.sort(u), values[:-1], "right") / len(u)
    v_share = np.searchsorted(np.sort(v), values[:-1], "right") / len(v)
    return np.sum(np.abs(u_share - v_share) ** p * np.diff(values))


@means(scipy.stats.circmean)
def circmean(samples, high=2 * np.pi, low=0, axis=None, nan_policy="propagate", *, keepdims=False):
    """The mean of angles."""
    only_propagating(nan_policy)
    sines, cosines, turn = _on_circle(samples, high, low, axis, keepdims)
    return np.arctan2(sines, cosines) * turn % (high - low) + low


@means(scipy.stats.circvar)
def circvar(samples, high=2 * np.pi, low=0, axis=None, nan_policy="propagate", *, keepdims=False):
    """The variance of angles: one less the length of their mean."""
    only_propagating(nan_policy)
    sines, cosines, _ = _on_circle(samples, high, low, axis, keepdims)
    return 1.0 - np.minimum(np.hypot(sines, cosines), 1.0)


@means(scipy.stats.circstd)
def circstd(
    samples, high=2 * np.pi, low=0, axis=None, nan_policy="propagate", *, normalize=False, keepdims=False
):
    """The deviation of angles."""
    only_propagating(nan_policy)
    sines, cosines, turn = _on_circle(samples, high, low, axis, keepdims)
    found = np.sqrt(-2.0 * np.log(np.minimum(np.hypot(sines, cosines), 1.0)))
    return found if normalize else found * turn


def _on_circle(samples, high, low, axis, keepdims):
    """The mean point of angles on the circle, and what one radian is in their unit."""
    turn = (high - low) / (2.0 * math.pi)
    angles = (samples - low) / turn
    return (
        np.mean(np.sin(angles), axis=axis, keepdims=keepdims),
        np.mean(np.cos(angles), axis=axis, keepdims=keepdims),
        turn,
    )


class Directions:
    """What `directional_stats` returns."""

    def __init__(self, mean_direction, mean_resultant_length) -> None:
        self.mean_direction = mean_direction
        self.mean_resultant_length = mean_resultant_length


@means(scipy.stats.directional_stats)
def directional_stats(samples, *, axis=0, normalize=True):
    """The direction and the length of the mean of unit vectors."""
    vectors = as_floats(samples)
    if vectors.ndim < 2:
        refuse(
            "`scipy.stats.directional_stats` takes an array of vectors",
            "give the array two axes, as in x[:, None]",
        )
    vectors = np.moveaxis(vectors, axis, 0)
    if normalize:
        vectors = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    mean = np.mean(vectors, axis=0)
    length = np.linalg.norm(mean, axis=-1, keepdims=True)
    return Directions(mean / length, length[0] if mean.ndim == 1 else length[..., 0])
