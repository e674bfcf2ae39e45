"""Functions of `scipy.spatial.distance`: dissimilarities of vectors of truths, which may have weights; distances of probabilities; checks.

Those of other vectors, and of all pairs of rows, are in `metrics.py`.
"""

from __future__ import annotations

import numpy as np
import scipy.special as sp
from scipy.spatial import distance

from backsweep.prelude.declare import as_floats, means, refuse


@means(distance.jensenshannon)
def jensenshannon(p, q, base=None, *, axis=0, keepdims=False):
    """The root of the mean divergence of two distributions from the one between them."""
    p, q = as_floats(p), as_floats(q)
    first, second = np.sum(p, axis=axis, keepdims=True), np.sum(q, axis=axis, keepdims=True)
    middle = (p / first + q / second) / 2.0
    total = np.sum(
        _from_the_middle(p, middle, first) + _from_the_middle(q, middle, second), axis=axis, keepdims=keepdims
    )
    total = np.where(
        total == 0.0, 0.0, total
    )  # as of a norm, the gradient of the distance of what is equal is zero
    return np.sqrt(total / 2.0) if base is None else np.sqrt(total / np.log(base) / 2.0)


def _from_the_middle(p, middle, whole):
    """What each entry adds to the divergence from the middle, of entries that have this sum.

    One that is zero is not divided by the sum first: the slope by it is infinite, and the sum would bring it, times
    zero, to all others.
    """
    scale = np.where(p == 0.0, whole, 1.0)
    share = np.where(p == 0.0, p, p / whole)
    return np.where(middle == 0.0, 0.0, sp.rel_entr(share, middle * scale) / scale)


def _vectors(u, v, w):
    """Two vectors and their weights, which are ones if none are given."""
    u, v = as_floats(u), as_floats(v)
    if u.ndim != 1 or v.ndim != 1:
        refuse("this distance is of two vectors", "write a loop over the rows")
    w = np.ones(u.size) if w is None else as_floats(w)
    if np.any(w < 0.0):
        raise ValueError("Input weights should be all non-negative")
    return u, v, w


def _counts(u, v, w):
    """How much neither, only the second, only the first, and both have, by weight."""
    u, v, w = _vectors(u, v, w)
    neither, second = np.sum(w * (1.0 - u) * (1.0 - v)), np.sum(w * (1.0 - u) * v)
    return neither, second, np.sum(w * u * (1.0 - v)), np.sum(w * u * v)


@means(distance.hamming)
def hamming(u, v, w=None):
    """The share of entries that differ, by weight."""
    u, v, w = _vectors(u, v, w)
    if u.shape != v.shape or w.shape != u.shape:
        raise ValueError("the vectors must have equal lengths")
    return np.sum(w * (u != v)) / np.sum(w)


@means(distance.jaccard)
def jaccard(u, v, w=None):
    """Of the entries that one has, the share that the other has not, by weight."""
    u, v, w = _vectors(u, v, w)
    first, second = u != 0.0, v != 0.0
    one = np.sum(w * (first | second))
    return np.sum(w * (first != second)) / one if one != 0.0 else 0.0


@means(distance.dice)
def dice(u, v, w=None):
    """What only one has, beside what both have, counted twice."""
    _, second, first, both = _counts(u, v, w)
    return (first + second) / (2.0 * both + first + second)


@means(distance.rogerstanimoto)
def rogerstanimoto(u, v, w=None):
    """What only one has, counted twice, beside all else."""
    neither, second, first, both = _counts(u, v, w)
    return 2.0 * (first + second) / (both + neither + 2.0 * (first + second))


@means(distance.russellrao)
def russellrao(u, v, w=None):
    """The share that not both have."""
    u, v, w = _vectors(u, v, w)
    return (np.sum(w) - np.sum(u * v * w)) / np.sum(w)


@means(distance.sokalsneath)
def sokalsneath(u, v, w=None):
    """What only one has, counted twice, beside what both have."""
    _, second, first, both = _counts(u, v, w)
    whole = both + 2.0 * (first + second)
    if whole == 0.0:
        raise ValueError("Sokal-Sneath dissimilarity is not defined for vectors that are entirely false.")
    return 2.0 * (first + second) / whole


@means(distance.yule)
def yule(u, v, w=None):
    """The products of what the two have alone and of what they have alike, compared."""
    neither, second, first, both = _counts(u, v, w)
    apart = first * second
    return 2.0 * apart / (both * neither + apart) if apart != 0.0 else 0.0


@means(distance.squareform)
def squareform(X, force="no", checks=True):
    """The symmetric matrix with these entries beside its diagonal, or these entries of such a matrix."""
    X, asked = np.asarray(X), force.lower()
    if X.ndim > 2 or (asked == "tomatrix" and X.ndim != 1) or (asked == "tovector" and X.ndim != 2):
        refuse("`squareform` takes a vector or a matrix, as `force` says", "check its axes")
    if X.ndim == 1:
        count = max(_points(X.size), 1)
        if count * (count - 1) != X.size * 2:
            raise ValueError(
                "Incompatible vector size. It must be a binomial coefficient n choose 2 for some integer n >= 2."
            )
        whole = np.zeros((count, count), X.dtype)
        for i in range(count):
            for j in range(i + 1, count):
                whole[i, j] = X[count * i - i * (i + 1) // 2 + j - i - 1]
                whole[j, i] = X[count * i - i * (i + 1) // 2 + j - i - 1]
        return whole
    if X.shape[0] != X.shape[1]:
        raise ValueError("The matrix argument must be square.")
    if checks and not np.all(np.diag(X) == 0):
        raise ValueError("Distance matrix 'X' diagonal must be zero.")
    if checks and not np.all(X == X.T):
        raise ValueError("Distance matrix 'X' must be symmetric.")
    count = X.shape[0]
    half = np.zeros(count * (count - 1) // 2, X.dtype)
    for i in range(count):
        for j in range(i + 1, count):
            half[count * i - i * (i + 1) // 2 + j - i - 1] = X[i, j]
    return half


@means(distance.is_valid_y)
def is_valid_y(
    y,
    warning=False,
    throw=False,
    name=None,  # noqa: ARG001  of warnings and errors
):
    """Whether a vector is as long as the upper half of a matrix."""
    _telling_alone(warning, throw)
    y = np.asarray(y)
    if y.ndim != 1:
        return False
    count = _points(y.size)
    return count * (count - 1) // 2 == y.size


@means(distance.is_valid_dm)
def is_valid_dm(
    D,
    tol=0.0,
    throw=False,
    name="D",  # noqa: ARG001  of warnings and errors
    warning=False,
):
    """Whether a matrix is symmetric with a diagonal of zeros."""
    _telling_alone(warning, throw)
    D = np.asarray(D)
    if D.ndim != 2:
        return False
    if D.shape[0] != D.shape[1]:
        return False
    if tol == 0.0:
        return bool(np.all(D == D.T) and np.all(np.diag(D) == 0.0))
    return bool(np.all(tol >= D - D.T) and np.all(np.diag(D) <= tol))


@means(distance.num_obs_y)
def num_obs_y(Y):
    """How many points have as many distances."""
    Y = np.asarray(Y)
    if Y.ndim != 1:
        refuse("the distances are no vector", "give those of `pdist`")
    count = _points(Y.size)
    if Y.size == 0 or count * (count - 1) // 2 != Y.size:
        raise ValueError("the length of the distances must be a binomial coefficient")
    return count


@means(distance.num_obs_dm)
def num_obs_dm(d):
    """How many points a matrix has distances of."""
    d = np.asarray(d)
    if d.ndim != 2:
        refuse("the distances are no matrix", "give those of `cdist`")
    return d.shape[0]


def _points(size):
    """How many points have so many distances, if any have."""
    return int(np.ceil(np.sqrt(2.0 * size)))


def _telling_alone(warning, throw) -> None:
    if warning or throw:
        refuse("checks that warn or raise are not supported", "test what the check returns")
