"""Series by their coefficients, in each of NumPy's bases: values, terms, slopes, integrals, and what comes nearest to points."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from backsweep.prelude.declare import as_floats, core, has_known_items, means, refuse


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


def _by_family(module, name: str, slope, whole) -> None:
    """Say what the functions of a family of series mean, by the table of its terms."""
    table, values = getattr(module, f"{name}vander"), getattr(module, f"{name}val")

    @means(values)
    def val(x, c, tensor=True):
        """The value of a series, or of the series in all columns."""
        if isinstance(x, np.ndarray) and x.ndim == 0:
            x = x.item()
        coefficients, points = as_floats(c), x if np.ndim(x) == 0 else as_floats(x)
        if coefficients.ndim == 1:
            return core(values)(points, coefficients)
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


_by_family(polynomial, "poly", _slope_of_powers, _whole_of_powers)
_by_family(chebyshev, "cheb", _slope_of_chebyshev, _whole_of_chebyshev)
_by_family(legendre, "leg", _slope_of_legendre, _whole_of_legendre)
_by_family(hermite, "herm", _slope_of_hermite, _whole_of_hermite)
_by_family(hermite_e, "herme", _slope_of_powers, _whole_of_powers)
_by_family(laguerre, "lag", _slope_of_laguerre, _whole_of_laguerre)


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
