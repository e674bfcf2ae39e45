"""Series by their coefficients, in each of NumPy's bases: values, terms, slopes, integrals, quadratures, and what comes nearest to points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from backsweep.prelude.declare import (
    as_floats,
    computed,
    has_known_items,
    is_complex,
    is_known,
    means,
    refuse,
)


def _slope_of_powers(c, j):
    """What term `j` of a series adds to term `j - 1` of its slope; what it adds to its own terms before that comes second."""
    return j * c, 0.0 * c, 0


def _slope_of_chebyshev(c, j):
    return (2.0 * j if j > 1 else 1.0) * c, (j / (j - 2.0) if j > 2 else 0.0) * c, 2


def _slope_of_legendre(c, j):
    return (2.0 * j - 1.0) * c, (1.0 if j > 2 else 0.0) * c, 2


def _slope_of_hermite(c, j):
    return 2.0 * j * c, 0.0 * c, 0


def _slope_of_laguerre(c, j):
    return -c, (1.0 if j > 1 else 0.0) * c, 1


def _whole_of_powers(c, j):
    """What term `j` of a series adds to term `j + 1` of its integral; what it adds to one before that comes second."""
    return c / (j + 1.0), 0.0 * c, 0


def _whole_of_chebyshev(c, j):
    return (1.0 if j == 0 else 0.5 / (j + 1.0)) * c, (-0.5 / (j - 1.0) if j > 1 else 0.0) * c, 1


def _whole_of_legendre(c, j):
    return c / (2.0 * j + 1.0), (-1.0 / (2.0 * j + 1.0) if j > 1 else 0.0) * c, 1


def _whole_of_hermite(c, j):
    return c / (2.0 * (j + 1.0)), 0.0 * c, 0


def _whole_of_laguerre(c, j):
    del j
    return -c, 1.0 * c, 0


def _table(table, x, count):
    """The first terms at points of any shape, along the last axis."""
    x = as_floats(x)
    return np.reshape(table(np.ravel(x), count - 1), (*x.shape, count))


def _values(table, x, c):
    """The values at all points of the series in all columns."""
    c, points = as_floats(c), as_floats(x)
    terms = np.reshape(_table(table, points, c.shape[0]), (-1, c.shape[0]))
    found = np.reshape(c, (c.shape[0], -1)).T @ terms.T
    return np.reshape(found, (*c.shape[1:], *points.shape))


def _pairwise(first, second):
    """The products of all terms of two, along one axis."""
    return np.reshape(first[..., :, None] * second[..., None, :], (*first.shape[:-1], -1))


def _by_family(module, name: str, slope, whole, first, step, back=None) -> None:
    """Say what the functions of a family of series mean.

    The second term at `x` is `first(x)`; the one behind term `k` is `step(k, x)` times that, and `back(k)` times the one before it.
    """
    table = getattr(module, f"{name}vander")

    @means(table)
    def vander(x, deg):
        """The terms up to a degree at points, along the last axis."""
        if deg < 0:
            raise ValueError("deg must be non-negative")
        x = as_floats(x)
        if x.ndim == 0:
            x = np.reshape(x, (1,))
        y = np.ones((*x.shape, deg + 1), x.dtype)
        if deg > 0:
            y[..., 1] = first(x)
        for k in range(1, deg):
            y[..., k + 1] = step(k, x) * y[..., k]
            if back is not None:
                y[..., k + 1] += back(k) * y[..., k - 1]
        return y

    def value(x, c):
        """The value of a series of these coefficients, by Clenshaw's scheme; of powers, that is Horner's."""
        b: Any = 0.0j if is_complex(x) or is_complex(c) else 0.0
        if np.ndim(x) > 0:
            b = np.zeros(x.shape, np.result_type(x, c))
        after = b
        for k in range(len(c) - 1, -1, -1):
            if back is None:
                b = b * x + c[k]
            else:
                b, after = c[k] + step(k, x) * b + back(k + 1.0) * after, b
        return b - first(x) * after if module is chebyshev else b

    def value_at(x, c):
        """The same of numbers in single precision, too, which the steps have not."""
        if np.ndim(x) == 0 or back is None:
            return value(x, c)
        dtype = np.result_type(x, c)
        if dtype in (np.float32, np.complex64):
            return value(x * np.float64(1.0), c * np.float64(1.0)).astype(dtype)
        return value(x, c)

    @means(getattr(module, f"{name}val"))
    def val(x, c, tensor=True):
        """The value of a series, or of the series in all columns."""
        if isinstance(x, np.ndarray) and x.ndim == 0:
            x = x.item()
        coefficients, points = as_floats(c), x if np.ndim(x) == 0 else as_floats(x)
        if coefficients.ndim == 1:
            return value_at(points, coefficients)
        if tensor:
            return _values(table, points, coefficients)
        count, over = coefficients.shape[0], coefficients.ndim - 1 - np.ndim(points)
        terms = np.moveaxis(_table(table, points, count), -1, 0)
        terms = np.reshape(terms, (count, *((1,) * over), *np.shape(points)))
        coefficients = np.reshape(coefficients, (count, *((1,) * -over), *coefficients.shape[1:]))
        return np.sum(coefficients * terms, axis=0)

    @means(getattr(module, f"{name}val2d"))
    def val2d(x, y, c):
        """The value of a series in two variables."""
        c = as_floats(c)
        terms = _pairwise(_table(table, x, c.shape[0]), _table(table, y, c.shape[1]))
        return terms @ np.ravel(c)

    @means(getattr(module, f"{name}val3d"))
    def val3d(x, y, z, c):
        """The value of a series in three variables."""
        c = as_floats(c)
        terms = _pairwise(_table(table, x, c.shape[0]), _table(table, y, c.shape[1]))
        return _pairwise(terms, _table(table, z, c.shape[2])) @ np.ravel(c)

    @means(getattr(module, f"{name}grid2d"))
    def grid2d(x, y, c):
        """The values of a series in two variables on a grid."""
        return _values(table, y, _values(table, x, c))

    @means(getattr(module, f"{name}grid3d"))
    def grid3d(x, y, z, c):
        """The values of a series in three variables on a grid."""
        return _values(table, z, _values(table, y, _values(table, x, c)))

    @means(getattr(module, f"{name}vander2d"))
    def vander2d(x, y, deg):
        """The terms of series in two variables."""
        return _pairwise(_table(table, x, deg[0] + 1), _table(table, y, deg[1] + 1))

    @means(getattr(module, f"{name}vander3d"))
    def vander3d(x, y, z, deg):
        """The terms of series in three variables."""
        terms = _pairwise(_table(table, x, deg[0] + 1), _table(table, y, deg[1] + 1))
        return _pairwise(terms, _table(table, z, deg[2] + 1))

    @means(getattr(module, f"{name}der"))
    def der(c, m=1, scl=1, axis=0):
        """The coefficients of the m-th derivative of a series."""
        if m < 0:
            raise ValueError("The order of derivation must be non-negative")
        c = np.moveaxis(as_floats(c), axis, 0)
        if m >= len(c):
            return np.moveaxis(c[:1] * 0.0, 0, axis)
        for _ in range(m):
            rest, found = c * scl, c[1:] * 0.0
            for j in range(len(c) - 1, 0, -1):
                here, before, by = slope(rest[j], j)
                found[j - 1] = here
                if j > by:
                    rest[j - by] += before
            c = found
        return np.moveaxis(c * 1.0, 0, axis)

    @means(getattr(module, f"{name}int"))
    def int_(c, m=1, k=(), lbnd=0, scl=1, axis=0):
        """The coefficients of the m-th integral of a series."""
        if not has_known_items(k):
            k = (k,)
        if m < 0 or len(k) > m:
            raise ValueError("The order of integration must be non-negative, and there are no more constants")
        constants = np.zeros(m)
        for i, each in enumerate(k):
            constants[i] = each
        c = np.moveaxis(as_floats(c), axis, 0)
        for i in range(m):
            terms = c * scl
            found = np.zeros((len(c) + 1, *c.shape[1:]))
            for j in range(len(c)):
                next_, other, by = whole(terms[j], j)
                found[j + 1] += next_
                if j >= by:
                    found[j - by] += other
            start = table(np.array([lbnd * 1.0]), len(c))[0]
            first = start @ np.reshape(found, (len(start), -1))
            found[0] += (
                constants[i] - np.reshape(first, c.shape[1:]) if c.ndim > 1 else constants[i] - first[0]
            )
            c = found[:1] if len(c) == 1 and np.all(terms == 0.0) else found
        return np.moveaxis(c * 1.0, 0, axis)

    if module is not polynomial:

        @means(getattr(module, f"{name}add"))
        def add(c1, c2):
            """The sum of two series."""
            return polynomial.polyadd(as_floats(c1), as_floats(c2))

        @means(getattr(module, f"{name}sub"))
        def sub(c1, c2):
            """The difference of two series."""
            return polynomial.polysub(as_floats(c1), as_floats(c2))

    @means(getattr(module, f"{name}fit"))
    def fit(x, y, deg, rcond=None, full=False, w=None):
        """The coefficients of the series that comes nearest to points."""
        if full:
            refuse("`full` of a fit is not supported", "compute the residue of what the fit gives")
        x, y = as_floats(x), as_floats(y)
        terms = table(x, deg) if np.ndim(deg) == 0 else table(x, max(deg))[:, np.array(deg)]
        right = y
        if w is not None:
            shares = as_floats(w)
            terms = terms * np.reshape(shares, (-1, 1))
            right = y * (shares if y.ndim == 1 else np.reshape(shares, (-1, 1)))
        sizes = np.sqrt(np.sum(terms * terms, axis=0))
        sizes = np.where(sizes == 0.0, 1.0, sizes)
        found = np.linalg.lstsq(
            terms / sizes, right, len(x) * 2.220446049250313e-16 if rcond is None else rcond
        )[0]
        found = found / (sizes if y.ndim == 1 else np.reshape(sizes, (-1, 1)))
        if np.ndim(deg) == 0:
            return found
        whole_ = np.zeros((max(deg) + 1, *y.shape[1:]))
        whole_[np.array(deg)] = found
        return whole_


_by_family(polynomial, "poly", _slope_of_powers, _whole_of_powers, lambda x: x, lambda _, x: x)
_by_family(
    chebyshev,
    "cheb",
    _slope_of_chebyshev,
    _whole_of_chebyshev,
    lambda x: x,
    lambda _, x: 2.0 * x,
    lambda _: -1.0,
)
_by_family(
    legendre,
    "leg",
    _slope_of_legendre,
    _whole_of_legendre,
    lambda x: x,
    lambda k, x: ((2.0 * k + 1.0) / (k + 1.0)) * x,
    lambda k: -k / (k + 1.0),
)
_by_family(
    hermite,
    "herm",
    _slope_of_hermite,
    _whole_of_hermite,
    lambda x: 2.0 * x,
    lambda _, x: 2.0 * x,
    lambda k: -2.0 * k,
)
_by_family(
    hermite_e, "herme", _slope_of_powers, _whole_of_powers, lambda x: x, lambda _, x: x, lambda k: -1.0 * k
)
_by_family(
    laguerre,
    "lag",
    _slope_of_laguerre,
    _whole_of_laguerre,
    lambda x: 1.0 - x,
    lambda k, x: (2.0 * k + 1.0 - x) / (k + 1.0),
    lambda k: -k / (k + 1.0),
)


def _quadrature(nodes, total, beside, diagonal=None) -> None:
    """Say what a quadrature means by the terms beside the diagonal, and on it, of the matrix whose eigenvalues are its nodes."""

    @means(nodes)
    def gauss(deg):
        """Nodes and weights; of a number that is written out they are computed while compiling."""
        if is_known(deg):
            return computed(nodes)(deg)
        if deg < 1:
            raise ValueError("deg must be a positive integer")
        matrix, sizes = np.zeros((deg, deg)), np.zeros(deg)
        for k in range(deg):
            if diagonal is not None:
                matrix[k, k] = diagonal(k)
            if k > 0:
                matrix[k, k - 1] = beside(k)
                matrix[k - 1, k] = matrix[k, k - 1]
        x = np.linalg.eigvalsh(matrix)
        if diagonal is None:
            x = 0.5 * (x - x[::-1])
        before, last = np.zeros(deg), np.full(deg, 1.0 / math.sqrt(total))
        for k in range(deg):
            sizes += last * last
            if k < deg - 1:
                lower = matrix[k, k - 1] if k > 0 else 0.0
                before, last = last, ((x - matrix[k, k]) * last - lower * before) / matrix[k + 1, k]
        return x, 1.0 / sizes


_quadrature(legendre.leggauss, 2.0, lambda k: k / np.sqrt(4.0 * k * k - 1.0))
_quadrature(hermite.hermgauss, math.sqrt(math.pi), lambda k: np.sqrt(0.5 * k))
_quadrature(hermite_e.hermegauss, math.sqrt(2.0 * math.pi), np.sqrt)
_quadrature(laguerre.laggauss, 1.0, lambda k: 1.0 * k, lambda k: 2.0 * k + 1.0)


@means(chebyshev.chebgauss)
def chebgauss(deg):
    """Nodes and weights of Gauss and Chebyshev."""
    if deg < 1:
        raise ValueError("deg must be a positive integer")
    return np.cos(np.pi * np.arange(1, 2 * deg, 2) / (2.0 * deg)), np.full(deg, np.pi / deg)


@means(chebyshev.chebweight)
def chebweight(x):
    """The weight under which Chebyshev's polynomials are orthogonal."""
    x = as_floats(x)
    return 1.0 / (np.sqrt(1.0 + x) * np.sqrt(1.0 - x))


@means(legendre.legweight)
def legweight(x):
    """The weight under which Legendre's polynomials are orthogonal."""
    return as_floats(x) * 0.0 + 1.0


@means(hermite.hermweight)
def hermweight(x):
    """The weight under which Hermite's polynomials are orthogonal."""
    return np.exp(-(as_floats(x) ** 2))


@means(hermite_e.hermeweight)
def hermeweight(x):
    """The weight under which Hermite's polynomials of the other kind are orthogonal."""
    return np.exp(-0.5 * as_floats(x) ** 2)


@means(laguerre.lagweight)
def lagweight(x):
    """The weight under which Laguerre's polynomials are orthogonal."""
    return np.exp(-as_floats(x))
