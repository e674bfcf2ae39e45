"""Functions of NumPy that take the coefficients of polynomials with that of the highest power first."""

from __future__ import annotations

import numpy as np

from backsweep.prelude.declare import (
    as_array,
    as_floats,
    has_known_items,
    is_complex,
    is_known,
    means,
    refuse,
)
from backsweep.prelude.polynomials.series import times_of, vector_of


def _coefficients(c):
    """Coefficients as a vector."""
    c = vector_of(c)
    if np.ndim(c) != 1:
        refuse("the coefficients of a polynomial are no vector", "give one: np.array([a, b, c])")
    return c


@means(np.polyadd)
def polyadd(a1, a2):
    """The sum: the last coefficients belong together."""
    a1, a2 = _coefficients(a1), _coefficients(a2)
    n = max(len(a1), len(a2))
    y = np.zeros(n, np.result_type(a1, a2))
    y[n - len(a1) :] = a1
    y[n - len(a2) :] += a2
    return y


@means(np.polysub)
def polysub(a1, a2):
    """The difference."""
    return np.polyadd(a1, -_coefficients(a2))


@means(np.polymul)
def polymul(a1, a2):
    """The product, without the zeros that both begin with."""
    return np.convolve(_without_zeros(a1), _without_zeros(a2))


def _without_zeros(c):
    """Coefficients from the first one on that is not zero; the last one stays."""
    c = np.zeros(1) if has_known_items(c) and len(c) == 0 else _coefficients(c)
    k = 0
    while k < len(c) - 1 and c[k] == 0:
        k += 1
    return c[k:]


@means(np.polydiv)
def polydiv(u, v):
    """The quotient, and what remains, without what is zero to rounding at its beginning."""
    u, v = _coefficients(u) * 1.0, _coefficients(v) * 1.0
    dtype, n = np.result_type(u, v), len(v)
    q, r = np.zeros(max(len(u) - n + 1, 1), dtype), u.astype(dtype)
    for k in range(len(u) - n + 1):
        q[k] = r[k] / v[0]
        r[k : k + n] -= q[k] * v
    k = 0
    while k < len(r) - 1 and abs(r[k]) <= 1e-8:
        k += 1
    return q, r[k:]


@means(np.polyder)
def polyder(p, m=1):
    """The m-th derivative."""
    p = _coefficients(p)
    for _ in tuple(range(times_of(m))):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


@means(np.polyint)
def polyint(p, m=1, k=None):
    """The m-th integral, with the constants `k`."""
    p, times = _coefficients(p), times_of(m)
    k = np.zeros(1, np.result_type(p, np.float64)) if k is None else _coefficients(k) * 1.0
    if len(k) != 1 and len(k) < times:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for order in tuple(range(times)):
        h = min(order, len(k) - 1)
        p = np.concatenate((p / np.arange(len(p), 0, -1), k[h : h + 1]))
    return p


@means(np.poly)
def poly(seq_of_zeros):
    """The polynomial with these zeros."""
    r = as_floats(vector_of(seq_of_zeros))
    if np.ndim(r) != 1:
        refuse(
            "`np.poly` is supported for a vector of zeros",
            "give it: np.poly(np.linalg.eigvals(a)) of a matrix",
        )
    if is_complex(r):
        refuse(
            "whether `np.poly` of complex zeros gives real numbers is known only when the program runs",
            "write np.polynomial.polynomial.polyfromroots(r)[::-1], which are complex",
        )
    y = np.zeros(len(r) + 1, r.dtype)
    y[0] = 1.0
    for k in range(len(r)):
        y[1 : k + 2] = y[1 : k + 2] - r[k] * y[: k + 1]
    return y


@means(np.polyval)
def polyval(p, x):
    """The value, by Horner's scheme."""
    p, x = _coefficients(p), as_array(x)
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x.item()
    if isinstance(x, np.ndarray):
        y = np.zeros(x.shape, np.result_type(p, x))
    else:  # in NumPy an array without axes, beside which narrow numbers widen
        y = np.asarray(x).dtype.type(0) * p.dtype.type(0)
    for k in range(len(p)):
        y = y * x + p[k]
    return y


@means(np.polyfit)
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial that comes nearest to points, by least squares with scaled columns."""
    if not is_known(full, cov) or (full and cov):
        refuse(
            "`full` and `cov` of `np.polyfit` are known only when the program runs, or both",
            "write one of them",
        )
    x, y = as_floats(x), as_floats(y)
    if x.ndim != 1 or y.ndim not in (1, 2):
        refuse("`np.polyfit` is given no vectors", "make arrays of them first")
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if len(x) != len(y):
        raise ValueError("expected x and y to have same length")
    terms = np.empty((len(x), deg + 1))
    terms[:, deg] = 1.0
    for k in range(deg):
        terms[:, deg - 1 - k] = terms[:, deg - k] * x
    if w is not None:
        shares = as_floats(w)
        if len(shares) != len(y):
            raise ValueError("expected w and y to have the same length")
        terms = terms * shares[:, np.newaxis]
        y = y * shares if y.ndim == 1 else y * shares[:, np.newaxis]
    scale = np.sqrt(np.sum(terms * terms, axis=0))
    terms = terms / scale
    if full or rcond is not None:
        least = len(x) * 2.220446049250313e-16 if rcond is None else rcond
        found, left, rank, s = np.linalg.lstsq(terms, y, least)
    else:
        q, r = np.linalg.qr(terms)
        found = np.linalg.solve(r, q.T @ y)
    fit = found / scale if y.ndim == 1 else found / scale[:, np.newaxis]
    if full:
        return fit, left, rank, s, least
    if not cov:
        return fit
    spread = np.linalg.inv(terms.T @ terms) / np.outer(scale, scale)
    if cov != "unscaled" and len(x) <= deg + 1:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    factor = 1 if cov == "unscaled" else np.sum((terms @ found - y) ** 2, axis=0) / (len(x) - deg - 1)
    return fit, spread * factor if y.ndim == 1 else spread[:, :, np.newaxis] * factor
