"""What polynomials are made of, in each of NumPy's bases: products, quotients, powers, zeros, and the way from one basis to another.

All of it follows from what a basis says of `x` times its polynomial `k`: `up(k)` times the next one, `at(k)` times itself and
`down(k)` times the one before.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils

from backsweep.prelude.declare import as_floats, is_complex, means, refuse
from backsweep.prelude.polynomials.series import vector_of


def _trimmed(c):
    """Coefficients without the zeros at their end, one of which stays."""
    c = as_floats(vector_of(c))
    if np.ndim(c) != 1:
        refuse("the coefficients of a polynomial are no vector", "give one for each polynomial")
    if len(c) == 0:
        raise ValueError("Coefficient array is empty")
    n = len(c)
    while n > 1 and c[n - 1] == 0:
        n -= 1
    return c[:n] * 1


def _alike(c1, c2):
    """The same of two, both in the precision of the better one."""
    a, b = _trimmed(c1), _trimmed(c2)
    dtype = np.result_type(a, b)
    return a.astype(dtype), b.astype(dtype)


@means(polyutils.trimcoef)
def trimcoef(c, tol=0):
    """Coefficients without those at their end that are small."""
    if tol < 0:
        raise ValueError("tol must be non-negative")
    c = _trimmed(c)
    n = len(c)
    while n > 0 and abs(c[n - 1]) <= tol:
        n -= 1
    return c[:1] * 0 if n == 0 else c[:n] * 1


def _one(n, dtype):
    """The coefficients of 1."""
    one = np.zeros(n, dtype)
    one[0] = 1
    return one


def _in_basis(module, name: str, up, at, down, is_symmetric: bool) -> None:
    """Say what the functions of coefficients in a basis mean."""

    def by_x(c):
        """The product with `x`, of as many coefficients: the last one is of a polynomial that is not there."""
        k = np.arange(len(c))
        nothing = np.zeros(1, c.dtype)
        lower = np.concatenate((nothing, up(k[:-1]).astype(c.dtype) * c[:-1]))
        upper = np.concatenate((down(k[1:]).astype(c.dtype) * c[1:], nothing))
        return lower + at(k).astype(c.dtype) * c + upper

    def summed(b, multiplied, one):
        """The sum of the polynomials of the basis times `b`, each times the polynomial `one`, which `multiplied` takes times `x`."""
        before, here = one * 0, one
        total = b[0] * here
        for k in range(1, len(b)):
            steps = np.array([1.0 / up(k - 1), at(k - 1), down(k - 1)]).astype(one.dtype)
            here, before = (multiplied(here) - steps[1] * here - steps[2] * before) * steps[0], here
            total = total + b[k] * here
        return total

    def product(a, b):
        return summed(b, by_x, np.concatenate((a, np.zeros(len(b) - 1, a.dtype))))

    @means(getattr(module, f"{name}mulx"))
    def mulx(c):
        """The product with `x`."""
        c = _trimmed(c)
        return c if len(c) == 1 and c[0] == 0 else by_x(np.concatenate((c, np.zeros(1, c.dtype))))

    @means(getattr(module, f"{name}mul"))
    def mul(c1, c2):
        """The product of two."""
        a, b = _alike(c1, c2)
        return _trimmed(product(a, b))

    @means(getattr(module, f"{name}div"))
    def div(c1, c2):
        """Quotient and remainder."""
        rest, b = _alike(c1, c2)
        if b[-1] == 0:
            raise ZeroDivisionError
        n = len(b)
        if len(rest) < n:
            return np.zeros(1, b.dtype), rest
        found = np.zeros(len(rest) - n + 1, b.dtype)
        for i in range(len(rest) - n, -1, -1):
            unit = np.zeros(i + 1, b.dtype)
            unit[i] = 1
            part = product(b, unit)
            found[i] = rest[n + i - 1] / part[-1]
            rest[: n + i] -= found[i] * part
        return found, np.zeros(1, b.dtype) if n == 1 else _trimmed(rest[: n - 1])

    @means(getattr(module, f"{name}pow"))
    def pow_(c, pow, maxpower=None if module is polynomial else 16):
        """A power."""
        if int(pow) != pow or pow < 0:
            raise ValueError("Power must be a non-negative integer.")
        if maxpower is not None and pow > maxpower:
            raise ValueError("Power is too large")
        c = _trimmed(c)
        found = np.ones(1, c.dtype)
        for _ in range(int(pow)):
            found = product(c, found)
        return found

    @means(getattr(module, f"{name}line"))
    def line(off, scl):
        """The coefficients of a line."""
        slope = np.array([off + at(0) * scl, up(0) * scl])
        return slope[:1] if scl == 0 else slope

    @means(getattr(module, f"{name}fromroots"))
    def fromroots(roots):
        """The polynomial with these zeros, which is a power of `x` with smaller ones."""
        roots = as_floats(vector_of(roots))
        found = _one(len(roots) + 1, roots.dtype)
        for each in roots:
            found = by_x(found) - each * found
        return found

    @means(getattr(module, f"{name}companion"))
    def companion(c):
        """The matrix whose eigenvalues are the zeros."""
        c = _trimmed(c)
        n = len(c) - 1
        if n < 1:
            raise ValueError("Series must have maximum degree of at least 1.")
        sizes = np.ones(n)
        if is_symmetric:
            for k in range(n - 1, 0, -1):
                sizes[k - 1] = sizes[k] * np.sqrt(up(k - 1) / down(k))
        found = np.zeros((n, n), c.dtype)
        for k in range(n):
            found[k, k] = at(k)
            if k > 0:
                found[k - 1, k] = down(k) * sizes[k - 1] / sizes[k]
                found[k, k - 1] = up(k - 1) * sizes[k] / sizes[k - 1]
        found[:, n - 1] -= c[:-1] / c[-1] * (sizes * up(n - 1)).astype(c.dtype)
        return found

    @means(getattr(module, f"{name}roots"))
    def roots(c):
        """The zeros, in order."""
        c = _trimmed(c)
        if len(c) < 2:
            return np.zeros(0, c.dtype)
        matrix = companion(c)
        found = np.linalg.eigvals(matrix if module is polynomial else matrix[::-1, ::-1])
        if is_complex(c):
            found = found[np.argsort(np.imag(found), kind="stable")]
            return found[np.argsort(np.real(found), kind="stable")]
        return np.sort(found)

    if module is polynomial:
        return

    def by_power(c):
        return np.concatenate((np.zeros(1, c.dtype), c[:-1]))

    @means(getattr(module, f"{name}2poly"))
    def to_powers(c):
        """The coefficients of the powers."""
        c = _trimmed(c)
        return summed(c, by_power, _one(len(c), c.dtype))

    @means(getattr(module, f"poly2{name}"))
    def of_powers(pol):
        """The coefficients in this basis."""
        pol = _trimmed(pol)
        one = _one(len(pol), pol.dtype)
        found = one * 0
        for k in range(len(pol) - 1, -1, -1):
            found = by_x(found) + pol[k] * one
        return found


def _none(k):
    return 0.0 * k


def _once(k):
    return 0.0 * k + 1.0


def _half(k):
    return np.where(k == 0, 1.0, 0.5)


_in_basis(polynomial, "poly", _once, _none, _none, is_symmetric=False)
_in_basis(chebyshev, "cheb", _half, _none, lambda k: 0.0 * k + 0.5, is_symmetric=True)
_in_basis(
    legendre,
    "leg",
    lambda k: (k + 1.0) / (2.0 * k + 1.0),
    _none,
    lambda k: k / (2.0 * k + 1.0),
    is_symmetric=True,
)
_in_basis(hermite, "herm", lambda k: 0.0 * k + 0.5, _none, lambda k: 1.0 * k, is_symmetric=True)
_in_basis(hermite_e, "herme", _once, _none, lambda k: 1.0 * k, is_symmetric=True)
_in_basis(
    laguerre, "lag", lambda k: -k - 1.0, lambda k: 2.0 * k + 1.0, lambda k: -1.0 * k, is_symmetric=False
)


@means(polynomial.polyvalfromroots)
def polyvalfromroots(x, r, tensor=True):
    """A polynomial, or those in all columns, by their zeros."""
    if isinstance(x, (list, tuple)):
        x = np.array(x)
    r = as_floats(vector_of(r))
    if isinstance(x, np.ndarray):
        if tensor:
            r = np.reshape(r, (*r.shape, *((1,) * x.ndim)))
        elif x.ndim >= r.ndim:
            raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return np.prod(x - r, axis=0)
