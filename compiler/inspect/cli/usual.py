"""Functions whose gradients need what most programs need: kernels, and implementations of NumPy's and SciPy's functions.

They are written as users write them, since Numba compiles an implementation for the types of a call and for all options that it takes
over from the caller. Arrays are contiguous, of double precision, with one axis or two; matrices are larger than those whose products
and solutions the compiler writes out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.special as sc
from scipy.integrate import quad, solve_ivp
from scipy.interpolate import CubicSpline
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import brentq
from scipy.stats import norm

N = 12
"""A length beyond which matrices are not small."""
Array = np.ndarray[Any, Any]


def _sums(a: Array, v: Array) -> Any:
    centred = a - np.mean(a, axis=0)
    scaled = centred / (np.std(v) + np.sum(a * a, axis=1)[:, None])
    return np.mean(scaled**2) + np.var(v) + np.max(v) + np.min(v) + np.sum(np.abs(v)) + np.sum(a * v)


def _products(a: Array, v: Array) -> Any:
    b = a @ a.T + np.outer(v, v) + np.dot(a, a)
    w = a @ v + v @ a + a.T @ v
    return np.sum(b @ w) + np.dot(v, w) + np.trace(b) + np.linalg.norm(v) + np.linalg.norm(a)


def _subscripts(a: Array, v: Array, order: Array) -> Any:
    y = np.zeros_like(v)
    total = 0.0
    for k in range(order.size):
        y[order[k]] += v[k] * a[order[k], k]
        total += y[k] * np.sum(a[k])
    return total + np.sum(v[order] * a[:, order[0]]) + np.sum(a[order] @ v)


def _selections(a: Array, v: Array) -> Any:
    kept = np.where(v > 0.0, v, 0.1 * v)
    clipped = np.clip(a, -0.5, 0.5) * np.maximum(a, 0.0)
    return np.sum(v[v > 0.1]) + np.sum(kept * np.diag(clipped)) + np.sum(np.minimum(a, v))


def _joins(a: Array, v: Array) -> Any:
    long = np.concatenate((v, v[1:] - v[:-1]))
    rows = np.stack((v, v * v)) @ a
    turned = np.hstack((a, a.T)) * np.tile(v, 2) + np.vstack((a, a)).reshape(a.shape[0], -1)
    built = np.array([v[0], v[1] * v[2], 1.0])
    grid = np.arange(v.size) * v[0] + np.linspace(0.0, 1.0, v.size) + np.ones(v.size) + np.full(v.size, v[1])
    return np.sum(long**2) + np.sum(rows) + np.sum(turned) + np.sum(built) + np.sum(grid * grid)


def _lists(p: Array, v: Array) -> Any:
    held = []
    for k in range(v.size):
        if v[k] > -2.0:
            held.append(p[0] * v[k])
    total, step = 0.0, 1.0
    while step > 0.1:
        row = [max(each, p[1] * step) for each in held]
        held = row
        step *= 0.5 * (1.0 + 0.1 * np.tanh(total))
        total += sum(row) * step
    table: dict[int, float] = {}
    for k in range(v.size):
        table[k % 3] = table.get(k % 3, 0.0) + v[k] ** 2
    for each in table.values():
        total += each
    return total


def _small_matrices(m: Array, y: Array) -> Any:
    x, cov, total = np.zeros(2), np.eye(2), 0.0
    for k in range(y.size):
        x = m @ x
        cov = m @ cov @ m.T + np.eye(2)
        gain = cov @ np.linalg.inv(cov + 0.1 * np.eye(2))
        x = x + gain @ (np.array([y[k], 0.0]) - x)
        total += x @ np.linalg.solve(cov, x) + np.linalg.slogdet(cov)[1]
    return total


def _parameters(a: Array, b: Array, v: Array) -> Any:
    hidden = np.tanh(a @ b + v)
    return np.mean((hidden @ v) ** 2) + np.mean(hidden)


def _solutions(a: Array, v: Array) -> Any:
    m = a @ a.T + np.eye(v.size)
    x = np.linalg.solve(m, v)
    return v @ x + np.sum(np.linalg.inv(m)) + np.linalg.slogdet(m)[1] + np.linalg.det(m)


def _factors(a: Array, v: Array) -> Any:
    m = a @ a.T + np.eye(v.size)
    low = np.linalg.cholesky(m)
    x = solve_triangular(low, v, lower=True) + cho_solve(cho_factor(m), v)
    return x @ x + 2.0 * np.sum(np.log(np.diag(low)))


def _spectra(a: Array, v: Array) -> Any:
    m = a @ a.T + np.diag(np.arange(1.0, v.size + 1.0))
    w, vectors = np.linalg.eigh(m)
    left, singular, _ = np.linalg.svd(a)
    return (
        np.sum(np.log(w)) + (vectors.T @ v)[0] + np.sum(singular) + left[0, 0] + np.sum(np.linalg.eigvalsh(m))
    )


def _least_squares(a: Array, v: Array) -> Any:
    q, r = np.linalg.qr(a)
    return np.sum(np.linalg.lstsq(a, v)[0] ** 2) + (q.T @ v)[0] * r[0, 0] + np.sum(np.linalg.pinv(a) @ v)


def _orders(a: Array, v: Array) -> Any:
    ranked = np.sort(v)
    order = np.argsort(v)
    total = np.sum(np.cumsum(v) * ranked) + np.median(v) + np.quantile(v, 0.3) + v[np.argmax(v)]
    return total + np.sum(a[order]) + np.prod(v) + np.sum(np.diff(v) ** 2) + np.sum(np.max(a, axis=1))


def _series(v: Array, taps: Array) -> Any:
    at = np.linspace(0.1, 0.9, 5)
    found = np.fft.rfft(v)
    return (
        np.sum(np.convolve(v, taps) ** 2)
        + np.sum(np.abs(found) ** 2)
        + np.sum(np.interp(at, np.linspace(0.0, 1.0, v.size), v))
    )


def _likelihoods(p: Array, a: Array, v: Array) -> Any:
    z = a @ p
    moved = sc.logsumexp(a, axis=1) + sc.logsumexp(a + p[:, None], axis=0)
    total = np.mean(np.logaddexp(0.0, z) - v * z) + sc.logsumexp(z) + np.sum(moved)
    return (
        total
        + np.sum(norm.logpdf(v, p[0], np.exp(p[1])))
        + np.sum(sc.expit(z))
        + np.sum(np.log1p(np.exp(-z)))
    )


def _special_functions(p: Array, v: Array) -> Any:
    inside = 0.1 + 0.8 * sc.expit(v)
    total = np.sum(sc.gammaln(np.exp(v))) + sc.gammaln(p[0]) + sc.betaln(p[0], p[1]) + np.sum(sc.erf(v))
    return (
        total
        + sc.betainc(p[0], p[1], 0.3)
        + sc.gammainc(p[0], p[1])
        + np.sum(norm.cdf(inside))
        + sc.digamma(p[0])
    )


def _equations(p: Array) -> Any:
    def slopes(_t: float, y: Any) -> Any:
        return [p[0] * y[0] - y[0] * y[1], p[1] * y[0] * y[1] - y[1]]

    end = solve_ivp(slopes, (0.0, 1.0), [1.0, 0.5], rtol=1e-4).y[0, -1]
    root = brentq(lambda x: x**3 + p[0] * x - p[1], -5.0, 5.0)
    area = quad(lambda t: np.exp(-p[0] * t * t), 0.0, 1.0)[0]
    return end + root * area


def _curves(v: Array) -> Any:
    curve = CubicSpline(np.arange(float(v.size)), v)
    return np.sum(curve(np.linspace(0.5, 4.5, 9)) ** 2)


def _arguments() -> Mapping[Callable[..., Any], tuple[str, tuple[Any, ...]]]:
    """The functions, each with what it has compiled and arguments."""
    draw = np.random.default_rng(0)
    a, v, p = draw.normal(size=(N, N)), draw.normal(size=N), np.array([1.3, 0.6])
    weights = draw.normal(size=N)
    return {
        _sums: ("sums and means", (a, v)),
        _products: ("products of matrices", (a, v)),
        _subscripts: ("subscripts", (a, v, np.arange(N)[::-1].copy())),
        _selections: ("choices and masks", (a, v)),
        _lists: ("lists, dicts, loops without a count", (p, v)),
        _joins: ("joined and rearranged arrays", (a, v)),
        _orders: ("sorting, sums that run", (a, v)),
        _small_matrices: ("small matrices", (np.array([[1.0, 0.9], [0.1, 0.8]]), v)),
        _parameters: ("layers of networks", (a, draw.normal(size=(N, 3)), weights[:3].copy())),
        _solutions: ("systems of equations", (a, v)),
        _factors: ("triangular factors", (a, v)),
        _spectra: ("eigenvalues and singular values", (a, v)),
        _least_squares: ("least squares", (a, v)),
        _series: ("convolutions and Fourier transforms", (v, weights[:3].copy())),
        _likelihoods: ("likelihoods", (weights, a, v)),
        _special_functions: ("special functions", (np.abs(p), v)),
        _curves: ("splines", (v,)),
        _equations: ("roots, integrals, differential equations", (p,)),
    }


USUAL = _arguments()
"""The functions, each with what it has compiled, in words, and arguments."""
