"""Distances of `scipy.spatial.distance`, of two vectors and of all pairs of rows, as loops over their entries.

A distance that is a root has no derivative where the points coincide. It is 0 there by convention, as that of `np.linalg.norm` is, and
has no derivative itself (`_kink`).
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import distance

from backsweep.prelude.declare import as_floats, means, refuse
from backsweep.runtime.special import length_of_number
from backsweep.runtime.support.marks import stop_gradient

METRICS = (
    "euclidean",
    "sqeuclidean",
    "seuclidean",
    "cityblock",
    "chebyshev",
    "minkowski",
    "cosine",
    "braycurtis",
    "canberra",
    "correlation",
    "mahalanobis",
)
ALIKE = {"sqeuclid": "sqeuclidean", "euclid": "euclidean", "cos": "cosine", "manhattan": "cityblock"}
"""Other names of metrics that SciPy takes."""


def _kink(step):
    """0: a length along a step of 0, whose derivative is 0 by convention, and has no derivative."""
    return length_of_number(step) if step == 0.0 else 0.0


def _added(metric, a, b, weight, p):
    """What a pair of entries adds to the sum of which a distance is made."""
    d = a - b
    if metric in ("euclidean", "sqeuclidean"):
        return weight * d**2
    if metric == "seuclidean":
        return d**2 / weight
    if metric == "cityblock":
        return weight * abs(d)
    if metric == "canberra":
        size = abs(a) + abs(b)
        return weight * abs(d) / size if size != 0.0 else 0.0
    return weight * _kink(d) if p < 1.0 and d == 0.0 else weight * abs(d) ** p


def _between(metric, u, v, p, w, matrix):
    """The distance of two vectors; `w` are weights, or the squares of deviations, and `matrix` the inverse of a covariance."""
    if metric == "cosine":
        product, one, other = 0.0, 0.0, 0.0
        for k in range(u.size):
            weight = 1.0 if w is None else w[k]
            product += weight * u[k] * v[k]
            one += weight * u[k] ** 2
            other += weight * v[k] ** 2
        lack = 1.0 - product / np.sqrt(one * other)
        # Rounding errors are cut off from the value alone: its derivatives stay
        return lack + stop_gradient(min(max(lack, 0.0), 2.0) - lack)
    if metric == "braycurtis":
        apart, together = 0.0, 0.0
        for k in range(u.size):
            weight = 1.0 if w is None else w[k]
            apart += weight * abs(u[k] - v[k])
            together += weight * abs(u[k] + v[k])
        return apart / together
    total = 0.0
    for k in range(u.size):
        if metric == "mahalanobis":
            for m in range(u.size):
                total += (u[k] - v[k]) * matrix[k, m] * (u[m] - v[m])
        elif metric == "chebyshev":
            step = abs(u[k] - v[k])
            if (w is None or w[k] > 0.0) and not step <= total:
                total = step
        else:
            total += _added(metric, u[k], v[k], 1.0 if w is None else w[k], p)
    if metric in ("sqeuclidean", "cityblock", "canberra"):
        return total
    length = total
    if metric == "minkowski":
        length = 0.0 if total == 0.0 else total ** (1.0 / p)
    elif metric != "chebyshev":
        length = 0.0 if total == 0.0 else np.sqrt(total)
    if length == 0.0:  # it adds 0, with the derivatives that the distance has there
        for k in range(u.size):
            d = u[k] - v[k]
            length += _kink(d) if metric != "chebyshev" else abs(d) if w is None else abs(w[k] * d)
    return length


def _reals(x, ndim):
    """An array of real numbers with so many axes."""
    x = as_floats(x)
    if x.dtype.kind == "c" or x.ndim != ndim:
        refuse("distances are supported of real vectors, or of the rows of real matrices", "give these")
    return x


def _weights(w):
    """Weights that are none, or not negative."""
    if w is None:
        return None
    w = _reals(w, 1)
    if np.any(w < 0.0):
        raise ValueError("Input weights should be all non-negative")
    return w


def _of_two(metric, u, v, p=2, w=None, matrix=None):
    """The distance of two vectors."""
    u, v = _reals(u, 1), _reals(v, 1)
    if u.size != v.size:
        raise ValueError("the vectors have other lengths")
    return _between(metric, u, v, p, w, matrix)


@means(distance.euclidean)
def euclidean(u, v, w=None):
    """The root of the sum of squares."""
    if w is None:
        return np.linalg.norm(_reals(u, 1) - v)
    return _of_two("euclidean", u, v, w=_weights(w))


@means(distance.sqeuclidean)
def sqeuclidean(u, v, w=None):
    """The sum of squares."""
    return _of_two("sqeuclidean", u, v, w=_weights(w))


@means(distance.cityblock)
def cityblock(u, v, w=None):
    """The sum of sizes."""
    return _of_two("cityblock", u, v, w=_weights(w))


@means(distance.chebyshev)
def chebyshev(u, v, w=None):
    """The largest size."""
    return _of_two("chebyshev", u, v, w=_weights(w))


@means(distance.cosine)
def cosine(u, v, w=None):
    """What the cosine of the angle lacks to 1."""
    return _of_two("cosine", u, v, w=_weights(w))


@means(distance.braycurtis)
def braycurtis(u, v, w=None):
    """The sizes of differences, relative to those of sums."""
    return _of_two("braycurtis", u, v, w=_weights(w))


@means(distance.canberra)
def canberra(u, v, w=None):
    """The sum of sizes, each relative to those of its entries."""
    return _of_two("canberra", u, v, w=_weights(w))


def _order(p) -> None:
    """Check the order of a distance of Minkowski's."""
    if p <= 0:
        raise ValueError("p must be greater than 0")


@means(distance.minkowski)
def minkowski(u, v, p=2, w=None):
    """The root of the sum of powers."""
    w = _weights(w)
    _order(p)
    return _of_two("chebyshev", u, v, w=w) if p == np.inf else _of_two("minkowski", u, v, p, w)


@means(distance.seuclidean)
def seuclidean(u, v, V):
    """The distance in units of deviations, of which `V` has the squares."""
    return _of_two("seuclidean", u, v, w=_reals(V, 1))


@means(distance.mahalanobis)
def mahalanobis(u, v, VI):
    """The distance by the inverse of a covariance."""
    return _of_two("mahalanobis", u, v, matrix=_reals(VI, 2))


@means(distance.correlation)
def correlation(u, v, w=None, centered=True):
    """What the correlation lacks to 1."""
    u, v, w = _reals(u, 1), _reals(v, 1), _weights(w)
    if centered:
        u, v = (
            (u - np.mean(u), v - np.mean(v))
            if w is None
            else (u - np.sum(w * u) / np.sum(w), v - np.sum(w * v) / np.sum(w))
        )
    return _of_two("cosine", u, v, w=w)


def _asked(called, metric, p, w, V, VI):
    """The name of a metric, its order, and its weights or deviations; what it does not take is refused."""
    name = metric.lower() if isinstance(metric, str) else ""
    name = ALIKE.get(name, name)
    if name not in METRICS:
        refuse(
            f"`{called}` is not supported with this metric",
            f"write one of {', '.join([repr(each) for each in METRICS])}",
        )
    if (
        (p is not None and name != "minkowski")
        or (w is not None and name in ("seuclidean", "mahalanobis", "correlation"))
        or (V is not None and name != "seuclidean")
        or (VI is not None and name != "mahalanobis")
    ):
        refuse(f"`{called}` does not take all of these with metric={metric!r}", "leave out what it needs not")
    if (name == "seuclidean" and V is None) or (name == "mahalanobis" and VI is None):
        refuse(
            f"`{called}` is supported with metric={metric!r} if its deviations are given",
            "compute them of the points, and give V= or VI=",
        )
    if p is not None:
        _order(p)
        if p == np.inf:
            raise ValueError("with p=inf, write metric='chebyshev'")
    return name, 2 if p is None else p, _weights(w) if V is None else _reals(V, 1)


def _rows(name, X):
    """The matrix whose rows have the distances."""
    X = _reals(X, 2)
    return X - (np.sum(X, 1) / X.shape[1])[:, np.newaxis] if name == "correlation" else X


@means(distance.cdist)
def cdist(XA, XB, metric="euclidean", *, out=None, p=None, w=None, V=None, VI=None):
    """The distances of the rows of two matrices."""
    if out is not None:
        refuse("`out` of `scipy.spatial.distance.cdist` is not supported", "use what it returns")
    name, p, w = _asked("scipy.spatial.distance.cdist", metric, p, w, V, VI)
    XA, XB, matrix = _rows(name, XA), _rows(name, XB), None if VI is None else _reals(VI, 2)
    if XA.shape[1] != XB.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    found = np.empty((XA.shape[0], XB.shape[0]))
    for i in range(XA.shape[0]):
        for j in range(XB.shape[0]):
            found[i, j] = _between("cosine" if name == "correlation" else name, XA[i], XB[j], p, w, matrix)
    return found


@means(distance.pdist)
def pdist(X, metric="euclidean", *, out=None, p=None, w=None, V=None, VI=None):
    """The distances of all pairs of the rows of a matrix."""
    if out is not None:
        refuse("`out` of `scipy.spatial.distance.pdist` is not supported", "use what it returns")
    name, p, w = _asked("scipy.spatial.distance.pdist", metric, p, w, V, VI)
    X, matrix = _rows(name, X), None if VI is None else _reals(VI, 2)
    count = X.shape[0]
    found = np.empty(count * (count - 1) // 2)
    for i in range(count):
        for j in range(i + 1, count):
            found[count * i - i * (i + 1) // 2 + j - i - 1] = _between(
                "cosine" if name == "correlation" else name, X[i], X[j], p, w, matrix
            )
    return found
