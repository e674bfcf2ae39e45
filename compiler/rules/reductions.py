"""Rules of the functions that reduce or scan an array: sums, products, extrema, moments, norms."""

import builtins

import numpy as np

from backsweep.rules.declare import FixedSample, Sample, constant, rule
from backsweep.runtime.extremes import largest_in_order, smallest_in_order
from backsweep.runtime.gather import bincount_pullback, median_pullback, quantile_pullback, quantile_slope
from backsweep.runtime.interpolation import interp_pullback_points, interp_pullback_values, interp_slopes
from backsweep.runtime.linalg import norm_direction, norm_order_pullback
from backsweep.runtime.scans import (
    cumprod_pullback,
    cumsum_pullback,
    diff_pullback,
    diff_rows_pullback,
    diffs_pullback,
    products_of_others,
)
from backsweep.runtime.special import along, shared
from backsweep.runtime.special import norm_along as norm_of_rows
from backsweep.runtime.special import norm_along_kept as norm_of_rows_kept
from backsweep.runtime.special import root_mean_square as mean_length
from backsweep.runtime.tangents import cumprod_tangent, interp_tangent_points

MATRIX = Sample((3, 4))
VECTOR = Sample((4,))
SPREAD = Sample((5,), 0.5, 2.0)
WIDE = FixedSample(
    np.array([-3.1, -1.2, -0.3, 0.2, 1.4, 3.2])
)  # beyond the points of an interpolation on both sides
NAN = ((np.array([1.0, np.nan]),), (np.array([np.nan, np.nan]),))
"""Where the value is nan, so is the adjoint."""
LED_BY_NAN = ((np.array([np.nan, 1.0]),), (np.array([np.nan, np.nan]),))
SPREAD_MATRIX = Sample((2, 3), 0.5, 2.0)


def is_first(axis: object) -> bool:
    """Whether the literal axis is the first of two."""
    return axis in (0, -2)


def is_second(axis: object) -> bool:
    """Whether the literal axis is the second of two."""
    return axis in (1, -1)


@rule(np.sum, samples=[MATRIX], linear=("x",))
def sum_(x):
    """Sum of all entries."""
    y = np.sum(x)
    return y, lambda y_bar: np.full_like(x, y_bar)


@rule(np.sum, static=["axis"], ndim=(1, None), samples=[VECTOR, FixedSample(0)], linear=("x",))
def sum_only_axis(x, axis):
    """Sum along the only axis."""
    y = np.sum(x, axis)
    return y, lambda y_bar: np.full_like(x, y_bar)


@rule(np.sum, static=["axis"], samples=[MATRIX, FixedSample(1)], linear=("x",))
def sum_axis(x, axis):
    """Sum along an axis."""
    y = np.sum(x, axis)
    return y, lambda y_bar: np.ones_like(x) * np.expand_dims(y_bar, axis)


@rule(np.mean, samples=[MATRIX], linear=("x",))
def mean(x):
    """Mean of all entries."""
    y = np.mean(x)
    return y, lambda y_bar: np.full_like(x, y_bar / x.size)


@rule(np.prod, samples=[SPREAD], edges=[((np.array([2.0, 0.0, 3.0]),), (np.array([0.0, 6.0, 0.0]),))])
def prod(x):
    """Product of all entries; right where some are zero."""
    y = np.prod(x)
    return y, lambda y_bar: y_bar * products_of_others(x)


@rule(
    np.max,
    np.amax,
    samples=[MATRIX],
    edges=[((np.array([1.0, 3.0, 3.0]),), (np.array([0.0, 0.5, 0.5]),)), NAN],
)
def max_(x):
    """The largest entry. Ties are split evenly; where it is nan, so is the adjoint."""
    y = np.max(x)
    return y, lambda y_bar: shared(y_bar, y_bar / np.sum(x == y), x == y) + 0.0 * np.sign(y)


@rule(
    np.min,
    np.amin,
    samples=[MATRIX],
    edges=[((np.array([3.0, 1.0, 1.0]),), (np.array([0.0, 0.5, 0.5]),)), NAN],
)
def min_(x):
    """The smallest entry. Ties are split evenly; where it is nan, so is the adjoint."""
    y = np.min(x)
    return y, lambda y_bar: shared(y_bar, y_bar / np.sum(x == y), x <= y) + 0.0 * np.sign(y)


@rule(
    largest_in_order,
    ndim=(1,),
    samples=[VECTOR],
    edges=[LED_BY_NAN, ((np.array([3.0, 1.0, np.nan, 3.0]),), (np.array([0.5, 0.0, 0.0, 0.5]),))],
)
def max_builtin(x):
    """The largest entry of a vector by the builtin, for which only a first entry that is nan counts."""
    y = largest_in_order(x)
    return y, lambda y_bar: shared(y_bar, y_bar / np.sum(x == y), x == y) + 0.0 * np.sign(y)


@rule(
    smallest_in_order,
    ndim=(1,),
    samples=[VECTOR],
    edges=[LED_BY_NAN, ((np.array([1.0, 3.0, np.nan, 1.0]),), (np.array([0.5, 0.0, 0.0, 0.5]),))],
)
def min_builtin(x):
    """The smallest entry of a vector by the builtin, for which only a first entry that is nan counts."""
    y = smallest_in_order(x)
    return y, lambda y_bar: shared(y_bar, y_bar / np.sum(x == y), x <= y) + 0.0 * np.sign(y)


@rule(np.ptp, samples=[MATRIX], edges=[NAN])
def ptp(x):
    """The largest less the smallest entry. Ties are split evenly."""
    y = np.ptp(x)
    return (
        y,
        lambda y_bar: (
            shared(y_bar, y_bar / np.sum(x == np.max(x)), x == np.max(x))
            - shared(y_bar, y_bar / np.sum(x == np.min(x)), x <= np.min(x))
            + 0.0 * np.sign(y)
        ),
    )


@rule(np.var, samples=[MATRIX])
def var(x):
    """Variance of all entries."""
    y = np.var(x)
    return y, lambda y_bar: (2.0 * y_bar / x.size) * (x - np.mean(x))


@rule(np.std, samples=[MATRIX], edges=[((np.array([2.0, 2.0]),), (np.array([0.0, 0.0]),))])
def std(x):
    """Standard deviation of all entries. Where all are equal the adjoint is zero."""
    y = np.std(x)
    return y, lambda y_bar: along(y_bar / x.size, x - np.mean(x), y)


@rule(np.nansum, samples=[MATRIX], edges=[((np.array([1.0, np.nan]),), (np.array([1.0, 0.0]),))])
def nansum(x):
    """Sum of the entries that are numbers."""
    y = np.nansum(x)
    return y, lambda y_bar: np.where(np.isnan(x), 0.0, y_bar)


@rule(np.nanmean, samples=[MATRIX], edges=[((np.array([1.0, np.nan]),), (np.array([1.0, 0.0]),))])
def nanmean(x):
    """Mean of the entries that are numbers."""
    y = np.nanmean(x)
    return y, lambda y_bar: np.where(np.isnan(x), 0.0, y_bar / np.sum(~np.isnan(x)))


@rule(np.nanmax, samples=[MATRIX], edges=[((np.array([1.0, np.nan]),), (np.array([1.0, 0.0]),))])
def nanmax(x):
    """The largest entry that is a number. Ties are split evenly."""
    y = np.nanmax(x)
    return y, lambda y_bar: shared(y_bar, y_bar / np.sum(x == y), x == y) + 0.0 * np.sign(y)


@rule(np.nanmin, samples=[MATRIX], edges=[((np.array([1.0, np.nan]),), (np.array([1.0, 0.0]),))])
def nanmin(x):
    """The smallest entry that is a number. Ties are split evenly."""
    y = np.nanmin(x)
    return y, lambda y_bar: shared(y_bar, y_bar / np.sum(x == y), x <= y) + 0.0 * np.sign(y)


@rule(np.nanvar, samples=[MATRIX], edges=[((np.array([2.0, np.nan]),), (np.array([0.0, 0.0]),))])
def nanvar(x):
    """Variance of the entries that are numbers."""
    y = np.nanvar(x)
    return y, lambda y_bar: np.where(
        np.isnan(x), 0.0, (2.0 * y_bar / np.sum(~np.isnan(x))) * (x - np.nanmean(x))
    )


@rule(np.nanprod, samples=[SPREAD], edges=[((np.array([2.0, np.nan, 3.0]),), (np.array([3.0, 0.0, 2.0]),))])
def nanprod(x):
    """Product of the entries that are numbers."""
    y = np.nanprod(x)
    return y, lambda y_bar: np.where(
        np.isnan(x), 0.0, y_bar * products_of_others(np.where(np.isnan(x), 1.0, x))
    )


@rule(np.median, samples=[VECTOR])
def median(x):
    """The middle entry, or the mean of the two."""
    y = np.median(x)
    return y, lambda y_bar: median_pullback(y_bar, x)


@rule(
    np.quantile,
    ndim=(None, 0),
    samples=[SPREAD, FixedSample(0.3)],
    edges=[((np.array([1.0, 3.0, 2.0]), 1.0), (np.array([0.0, 1.0, 0.0]), 2.0))],
)
def quantile(x, q):
    """A quantile, linear between two entries."""
    y = np.quantile(x, q)
    return y, lambda y_bar: (quantile_pullback(y_bar, x, q), y_bar * quantile_slope(x, q))


@rule(np.percentile, ndim=(None, 0), samples=[SPREAD, FixedSample(30.0)])
def percentile(x, q):
    """A percentile, linear between two entries."""
    y = np.percentile(x, q)
    return y, lambda y_bar: (
        quantile_pullback(y_bar, x, q / 100.0),
        y_bar * quantile_slope(x, q / 100.0) / 100.0,
    )


@rule(
    np.bincount,
    static=["x"],
    ndim=(1, 1),
    samples=[FixedSample(np.array([0, 2, 2, 1])), VECTOR],
    linear=("weights",),
)
def bincount(x, weights):
    """Sum of the weights at each position."""
    y = np.bincount(x, weights)
    return y, lambda y_bar: bincount_pullback(y_bar, x)


@rule(np.interp, ndim=(1, 1, 1), samples=[WIDE, FixedSample(np.array([-2.5, -0.7, 0.6, 2.5])), VECTOR])
def interp(x, points, values):
    """Piecewise linear interpolation at a vector; at a point, the slope to its right."""
    y = np.interp(x, points, values)
    return (
        y,
        lambda y_bar: (
            y_bar * interp_slopes(x, y, points, values),
            interp_pullback_points(y_bar, x, y, points, values),
            interp_pullback_values(y_bar, x, y, points, values),
        ),
        lambda x_dot, points_dot, values_dot: (
            x_dot * interp_slopes(x, y, points, values),
            interp_tangent_points(points_dot, x, y, points, values),
            np.interp(x, points, values_dot),
        ),
    )


@rule(np.interp, ndim=(0, 1, 1), samples=[(-2.0, 2.0), FixedSample(np.array([-2.5, -0.7, 0.6, 2.5])), VECTOR])
def interp_number(x, points, values):
    """Piecewise linear interpolation at a number; at a point, the slope to its right."""
    y = np.interp(x, points, values)
    return (
        y,
        lambda y_bar: (
            y_bar * interp_slopes(np.full(1, x), np.full(1, y), points, values)[0],
            interp_pullback_points(np.full(1, y_bar), np.full(1, x), np.full(1, y), points, values),
            interp_pullback_values(np.full(1, y_bar), np.full(1, x), np.full(1, y), points, values),
        ),
        lambda x_dot, points_dot, values_dot: (
            x_dot * interp_slopes(np.full(1, x), np.full(1, y), points, values)[0],
            interp_tangent_points(points_dot, np.full(1, x), np.full(1, y), points, values)[0],
            np.interp(x, points, values_dot),
        ),
    )


@rule(np.cumsum, ndim=(1,), samples=[VECTOR], linear=("x",))
def cumsum(x):
    """Running sum."""
    y = np.cumsum(x)
    return y, lambda y_bar: np.cumsum(y_bar[::-1])[::-1].copy()


@rule(np.cumsum, samples=[MATRIX], linear=("x",))
def cumsum_flat(x):
    """Running sum over the entries row by row."""
    y = np.cumsum(x)
    return y, lambda y_bar: cumsum_pullback(y_bar, x)


@rule(
    np.cumsum,
    static=["axis"],
    ndim=(2, None),
    constant={1: is_first},
    samples=[MATRIX, FixedSample(0)],
    linear=("x",),
)
def cumsum_columns(x, axis):
    """Running sum down the columns."""
    y = np.cumsum(x, axis)
    return y, lambda y_bar: np.cumsum(y_bar[::-1], 0)[::-1].copy()


@rule(
    np.cumsum,
    static=["axis"],
    ndim=(2, None),
    constant={1: is_second},
    samples=[MATRIX, FixedSample(1)],
    linear=("x",),
)
def cumsum_rows(x, axis):
    """Running sum along the rows."""
    y = np.cumsum(x, axis)
    return y, lambda y_bar: np.cumsum(y_bar[:, ::-1], 1)[:, ::-1].copy()


@rule(np.cumsum, static=["axis"], ndim=(1, None), samples=[VECTOR, FixedSample(0)], linear=("x",))
def cumsum_only_axis(x, axis):
    """Running sum along the only axis."""
    y = np.cumsum(x, axis)
    return y, lambda y_bar: cumsum_pullback(y_bar, x)


@rule(np.cumprod, ndim=(1,), samples=[VECTOR])
def cumprod(x):
    """Running product; right where some entries are zero."""
    y = np.cumprod(x)
    return (
        y,
        lambda y_bar: cumprod_pullback(y_bar, x),
        lambda x_dot: cumprod_tangent(x_dot, x),
    )


@rule(np.cumprod, samples=[SPREAD_MATRIX])
def cumprod_flat(x):
    """Running product over the entries row by row."""
    y = np.cumprod(x)
    return (
        y,
        lambda y_bar: np.reshape(cumprod_pullback(y_bar, np.ravel(x)), x.shape),
        lambda x_dot: cumprod_tangent(np.ravel(x_dot), np.ravel(x)),
    )


@rule(np.trace, static=["offset"], ndim=(2, None), samples=[Sample((3, 4)), FixedSample(0)], linear=("x",))
def trace(x, offset=0):
    """Sum of a diagonal."""
    y = np.trace(x, offset)
    return y, lambda y_bar: y_bar * np.eye(x.shape[0], x.shape[1], offset)


@rule(np.diff, ndim=(1,), samples=[SPREAD], linear=("x",))
def diff(x):
    """Differences of neighbours."""
    y = np.diff(x)
    return y, lambda y_bar: diff_pullback(y_bar, x.shape[0])


@rule(np.diff, static=["n"], ndim=(1, None), samples=[SPREAD, FixedSample(2)], linear=("x",))
def diff_again(x, n):
    """Differences of neighbours, taken a number of times."""
    y = np.diff(x, n)
    return y, lambda y_bar: diffs_pullback(y_bar, n, x.shape[0])


@rule(np.diff, ndim=(2,), samples=[MATRIX], linear=("x",))
def diff_rows(x):
    """Differences of neighbours in each row."""
    y = np.diff(x)
    return y, lambda y_bar: diff_rows_pullback(y_bar, x.shape[1])


@rule(np.ediff1d, ndim=(1,), samples=[SPREAD], linear=("x",))
def ediff1d(x):
    """Differences of neighbours."""
    y = np.ediff1d(x)
    return y, lambda y_bar: diff_pullback(y_bar, x.shape[0])


@rule(builtins.sum, ndim=(1,), samples=[VECTOR], linear=("x",))
def sum_builtin(x):
    """Sum of a vector by the builtin."""
    y = builtins.sum(x)
    return y, lambda y_bar: np.full_like(x, y_bar)


@constant(np.argmax, np.argmin, np.nanargmax, np.nanargmin, samples=[MATRIX])
def argmax(x, axis=None):
    """Where the extreme entry is."""


@constant(np.argsort, np.nonzero, np.flatnonzero, np.argwhere, np.count_nonzero, np.searchsorted, np.digitize)
def positions(*operands):
    """Positions and counts of entries."""


@constant(np.any, np.all, samples=[MATRIX])
def any_(x):
    """Whether some or all entries are true."""


@rule(np.linalg.norm, samples=[MATRIX], edges=[((np.zeros(2),), (np.zeros(2),))])
def norm(x):
    """Euclidean norm of a vector, Frobenius norm of a matrix. At zero the adjoint is zero."""
    y = np.linalg.norm(x)
    return (
        y,
        lambda y_bar: along(y_bar, x, y),
        lambda x_dot: np.sum(along(x_dot, x, y)),
    )


@rule(norm_of_rows, static=["axis"], samples=[MATRIX, FixedSample(1)])
def norm_along(x, axis):
    """Euclidean norms along an axis. At zero the adjoint is zero."""
    y = norm_of_rows(x, axis)
    return (
        y,
        lambda y_bar: along(np.expand_dims(y_bar, axis), x, np.expand_dims(y, axis)),
        lambda x_dot: np.sum(along(x_dot, x, np.expand_dims(y, axis)), axis),
    )


@rule(norm_of_rows_kept, static=["axis"], samples=[MATRIX, FixedSample(1)])
def norm_along_kept(x, axis):
    """Euclidean norms along an axis, which stays with one entry."""
    y = norm_of_rows_kept(x, axis)
    return (
        y,
        lambda y_bar: along(y_bar, x, y),
        lambda x_dot: np.expand_dims(np.sum(along(x_dot, x, y), axis), axis),
    )


@rule(mean_length, samples=[MATRIX], edges=[((np.zeros(2),), (np.zeros(2),))])
def root_mean_square(x):
    """Root of the mean of the squares. At zero the adjoint is zero."""
    y = mean_length(x)
    return (
        y,
        lambda y_bar: along(y_bar / x.size, x, y),
        lambda x_dot: np.sum(along(x_dot, x, y)) / x.size,
    )


@rule(
    np.linalg.norm,
    ndim=(1, None),
    samples=[VECTOR, (1.5, 3.5)],
    edges=[
        ((np.array([1.0, -3.0, 3.0]), np.inf), (np.array([0.0, -0.5, 0.5]), 0.0)),
        ((np.array([-1.0, 3.0, 1.0]), -np.inf), (np.array([-0.5, 0.0, 0.5]), 0.0)),
    ],
)
def norm_order(x, ord):
    """Norm of a vector of some order. If it has no gradient, the adjoint is zero or split evenly."""
    y = np.linalg.norm(x, ord)
    return (
        y,
        lambda y_bar: (along(y_bar, norm_direction(x, y, ord), y), norm_order_pullback(y_bar, x, y, ord)),
        lambda x_dot, ord_dot: (
            np.sum(along(x_dot, norm_direction(x, y, ord), y)),
            norm_order_pullback(ord_dot, x, y, ord),
        ),
    )
