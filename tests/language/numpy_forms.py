"""NumPy's forms

Backsweep gives Numba implementations of calls that Numba lacks, so they work in `@njit` functions as well. Axes, `keepdims=` and
other arguments that decide the shape or the type of a result are written as literals.
"""

import numpy as np

from tests.language.row import refused, runs

A = np.array([[0.7, 0.2, 1.1, 0.4], [0.3, 0.9, 0.5, 1.3], [1.2, 0.6, 0.8, 0.1]])
X = np.array([0.7, 0.2, 1.1])
S = np.array([[[0.7, 0.2], [1.1, 0.4]], [[0.3, 0.9], [0.5, 1.3]]])


@runs("`axis=`, `keepdims=` of reductions", A)
def reductions(a):
    """One axis or a tuple, of `sum`, `mean`, `var`, `std`, `max`, `min`, `ptp`, `prod`, `median`, `quantile`, `any`, `all` and those that skip nan."""
    shifted = a - a.max(axis=1, keepdims=True)
    return np.sum(np.exp(shifted) * a.mean(axis=0)) + np.sum(np.median(a, axis=0)) + np.max(a, axis=(0, 1))


@runs("`ddof=`", A)
def degrees_of_freedom(a):
    return np.sum(np.std(a, axis=0, ddof=1)) + np.var(a, ddof=1)


@runs("`np.linalg.norm`, `np.average` along axes", A)
def norms(a):
    return np.sum(np.linalg.norm(a, axis=1) * np.average(a, axis=1, weights=a[0]))


@runs("`axis=` of `cumsum`, `cumprod`, `diff`, `sort`, `flip`, `roll`, `repeat`", A)
def scans(a):
    return np.sum(np.cumprod(a, axis=0) * np.sort(a, axis=0) * np.roll(a, 1, axis=1)) + np.sum(
        np.diff(a, axis=0)
    )


@runs("`where=`, `initial=` of reductions", A)
def selected(a):
    """Of `sum`, `prod`, `mean`, `var`, `std`, `max`, `min`, `any`, `all`; a mask of `max` and `min` needs `initial=`, as in NumPy."""
    return np.mean(a, where=a > 0.45) + np.sum(np.max(a, axis=0, where=a > 0.45, initial=0.0))


@runs("`dtype=` of `sum`, `prod`, `mean`, `var`, `std`, `cumsum`, `cumprod`", A)
def kinds(a):
    """A dtype is one of NumPy's, `float`, `int`, `complex`, or its name as a literal."""
    return np.mean(a, dtype=float) + np.sum(
        np.cumsum(a, axis=0, dtype="float64") * np.ones((3, 4), dtype=float)
    )


@runs("`axis=` of `trapezoid`, `unwrap`, `gradient` and norms of matrices, `np.diff(prepend=, append=)`", A)
def curves_along_axes(a):
    """The orders of norms of matrices are 'fro', 'nuc', 1, 2, np.inf and their negatives."""
    slopes = np.gradient(a, 0.5, a[1], edge_order=2)
    ends = np.diff(a, axis=0, prepend=0.0)
    turned = np.unwrap(5.0 * a, axis=0)
    return np.sum(np.trapezoid(a * turned, a[:, 0], axis=0) * slopes[1][0]) + np.linalg.norm(
        ends, 1, axis=(0, 1)
    )


@runs("Quantiles of several places, `method=`", A)
def quantiles(a):
    """The methods are linear, lower, higher, nearest and midpoint. The place has a derivative, too: by how much neighbours differ."""
    return np.sum(np.percentile(a, [25, 75], axis=0)) + np.median(a) * np.quantile(a, 0.3, method="lower")


@runs("`np.histogram(weights=, density=)`", A)
def histograms(a):
    return np.sum(np.histogram(a, bins=[0.0, 0.55, 1.4], weights=a * a, density=True)[0] ** 2)


@runs("`where=` with `out=` of ufuncs", A)
def guarded(a):
    """What the mask leaves out is not computed, neither is its derivative."""
    return np.sum(np.divide(1.0, a - 0.2, out=np.zeros_like(a), where=a > 0.35))


@runs("`np.einsum`", S, A)
def einsum(s, a):
    """The subscripts are a literal string. What is a product of matrices becomes one, anything else loops."""
    return np.sum(np.einsum("bij,bjk->bik", s, s)) + np.einsum("ij,kj->", a, a)


@runs("`np.tensordot`, `np.inner`, `np.linalg.multi_dot`, products of stacks", S, A)
def products(s, a):
    return np.sum(np.tensordot(a, a, ((1,), (1,)))) + np.sum(s @ s) + np.sum(np.inner(a, a))


@runs("`np.pad`, `np.tile`, `np.block`, `np.meshgrid`, `np.moveaxis`, `np.squeeze(axis=)`", S, A)
def arrangements(s, a):
    padded = np.pad(a, ((1, 0), (0, 2))) * 2.0
    columns, rows = np.meshgrid(a[0], a[1])
    return (
        np.sum(padded**2)
        + np.sum(np.tile(a, (2, 1)))
        + np.sum(columns * rows)
        + np.moveaxis(s, 0, 2)[0, 1, 1]
    )


@runs('`order="F"` of `reshape`, `ravel`, `flatten`', A)
def fortran(a):
    return np.sum(a.reshape(-1, order="F")[:4] ** 2)


@runs("`np.gradient`, `np.polyval`, `np.polyfit`", A)
def curves(a):
    return np.sum(np.gradient(a[0], 0.5) ** 2) + np.polyval(a[1], 0.3) + np.polyfit(a[0], a[1], 1)[0]


@runs("`np.r_`, `np.c_` of numbers and vectors", A)
def joined(a):
    return np.sum(np.r_[0.0, a[0], a[1, 2]] ** 2) + np.sum(np.c_[a[0], a[1]] ** 2)


@runs("Lists as subscripts, `np.ix_`", A)
def subscripts(a):
    return np.sum(a[[0, 2, 0]] ** 2) + np.sum(a[np.ix_([0, 1], [1, 2])])


@runs("`reduce`, `accumulate`, `outer` of ufuncs", A)
def ufuncs(a):
    return np.logaddexp.reduce(a[0]) + np.sum(np.multiply.outer(a[0], a[1])) + np.sum(np.maximum.reduce(a))


@runs("`np.add.at`, `np.subtract.at`", A)
def added(a):
    total = np.zeros(3)
    np.add.at(total, np.array([0, 2, 2, 1]), a[0])
    return np.sum(total * total)


@runs("`np.fft`", A)
def transforms(a):
    """Transforms of any length along one axis or several. Their derivatives are transforms again."""
    return np.sum(np.abs(np.fft.rfft(a[0])) ** 2) + np.sum(np.fft.fft2(a).real)


@runs("`np.piecewise`", X)
def piecewise(x):
    return np.piecewise(x, [x > 0.5, x > 1.0], [lambda v: v * v, 3.0, np.sin]).sum()


@runs("`np.vectorize(f, otypes=[float])`", X)
def vectorised(x):
    soft = np.vectorize(lambda v, k: v**k if v > 0.5 else 0, otypes=[float])
    return soft(x, 3).sum()


@runs("`np.vectorize(f)`", X)
def vectorised_by_the_first(x):
    """NumPy takes the type of the first result for all; results that are whole here and floats there are refused."""
    return np.vectorize(lambda v: max(v * v, 0.3))(x).sum()


@refused("`np.vectorize(f)` with results of several kinds", "BS113", X)
def vectorised_by_which(x):
    return np.vectorize(lambda v: max(v, 0))(x).sum()


@runs("`np.apply_along_axis`, `np.apply_over_axes`", A)
def along_axis(a):
    """The function gives a number or a vector."""
    shares = np.apply_along_axis(lambda row: row / row.sum(), 1, a)
    return (shares**2).sum() + np.apply_over_axes(np.sum, a * a, (0, 1))[0, 0]


@runs("`np.interp(..., left=, right=, period=)`", X)
def interpolated(x):
    points = np.array([0.1, 0.4, 1.0])
    return (
        np.interp(x, points, x * x, left=x[1], right=2.0).sum() + np.interp(x, points, x, period=0.77).sum()
    )
