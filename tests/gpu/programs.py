"""Functions whose loops over `prange` become kernels, each with arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import backsweep as bs
from benchmarks.cuda.problems import decays, price

RNG = np.random.default_rng(7)


@dataclass(frozen=True)
class Case:
    """A function, the names with respect to which it is differentiated, its arguments, and what its emitted text must hold."""

    function: Callable[..., Any]
    wrt: tuple[str, ...]
    args: tuple[Any, ...]
    holds: tuple[str, ...] = ()
    parallel: bool | None = None


def energy(x, m):
    n = x.shape[0]
    total = 0.0
    for i in bs.prange(n):
        for j in range(n):
            if i != j:
                d = x[i, 0] - x[j, 0]
                e = x[i, 1] - x[j, 1]
                total += m[i] * m[j] / math.sqrt(d * d + e * e + 1e-3)
    return total


def pulls(x, m, w):
    n = x.shape[0]
    a = np.zeros((n, 2))
    for i in bs.prange(n):
        a0 = 0.0
        a1 = 0.0
        for j in range(n):
            d = x[j, 0] - x[i, 0]
            e = x[j, 1] - x[i, 1]
            r = d * d + e * e + 1e-3
            s = m[j] / (r * math.sqrt(r))
            a0 += s * d
            a1 += s * e
        a[i, 0] = a0
        a[i, 1] = a1
    total = 0.0
    for i in bs.prange(n):
        total += w[i] * (a[i, 0] ** 2 + a[i, 1] ** 2)
    return total


def smoothed(u, weights):
    v = np.zeros(u.size)
    for i in bs.prange(1, u.size - 1):
        v[i] = weights[0] * u[i - 1] + weights[1] * u[i] + weights[2] * u[i + 1]
    s = 0.0
    for i in bs.prange(u.size):
        s += v[i] ** 2
    return s


def looked_up(x, places, scale):
    total = 0.0
    count = 0
    for i in bs.prange(places.size - 1, -1, -1):
        total += scale * math.sin(x[places[i]])
        if x[places[i]] > 0.0:
            count += 1
    return total * count


def rotated(angles, v):
    total = 0.0
    for i in bs.prange(angles.size):
        m = np.zeros((2, 2))
        m[0, 0] = math.cos(angles[i])
        m[1, 1] = m[0, 0]
        m[0, 1] = -math.sin(angles[i])
        m[1, 0] = -m[0, 1]
        for j in range(2):
            for k in range(2):
                total += m[j, k] * v[k] * v[j]
    return total


def stepped(x, steps):
    x = x.copy()
    y = np.empty(x.size)
    for _ in range(steps):
        for i in bs.prange(x.size):
            y[i] = x[i] + 0.1 * math.sin(x[i] * x[i - 1])
        for i in bs.prange(x.size):
            x[i] = y[i]
    s = 0.0
    for i in range(x.size):
        s += x[i] * x[i] * (i + 1.0)
    return s


def counted(x, p, c):
    total = 0.0
    for i in bs.prange(x.size):
        total += x[i]
    a, steps = 1.0, 0
    while a < 100.0:
        a = a * 1.5 + p[0] * p[1][steps % p[1].size]
        c *= np.float32(1.1)
        steps += 1
    return total * a * c * steps


def over_zero(x):
    total = 0.0
    for i in bs.prange(x.size):
        total += x[i]
    last = 0.0
    for i in range(x.size):
        last = 0.5 * last + x[i]
    return 1.0 / total + 1.0 / last


def single(x, w):
    total = np.float32(0.0)
    for i in bs.prange(x.size):
        total += w * math.exp(-x[i] * x[i])
    return total


def single_alone(x, w):
    total = np.float32(0.0)
    for i in bs.prange(x.size):
        y = w * x[i]
        for _ in range(2):
            y = np.tanh(y) ** 2 + math.exp(-y * y) + max(y, x[i])
        if y > 0.1:
            total += np.sqrt(y) / (np.float32(1.0) + abs(y))
    return total


def of_numbers(x, y):
    total = 0.0
    for i in bs.prange(x.size):
        a, b = x[i], y[i]
        if np.isfinite(a) and not np.isinf(b) and not np.signbit(a):
            total += np.multiply(a, b)
        total += np.exp(-a) + np.expm1(b) + np.log1p(a * a) * np.sqrt(a) + np.square(b) + np.reciprocal(a)
        total += np.abs(b) * np.sign(b) + np.cbrt(b) + np.exp2(b) + np.logaddexp(a, b) + np.logaddexp2(a, b)
        total += np.floor(b) * a + np.ceil(b) * a + np.trunc(b) * a + np.rint(b) * a + np.fmod(b, a)
        total += np.copysign(a, b) + math.hypot(a, b) + np.power(a, b) + np.maximum(a, b) + abs(b)
        total += np.arctan2(a, b) + math.lgamma(a) + math.erf(b) + np.float_power(a, 1.5) + np.clip(b, 0.1, a)
    return total


def chained(x, links):
    total = 0.0
    for i in bs.prange(x.size):
        row = np.ones(links)
        both = np.zeros((2, links))
        for k in range(1, links):
            row[k] = math.sin(row[k - 1] * row[k // 2] + x[i])
            both[k % 2, k] = row[k] * both[1 - k % 2, k - 1] + x[i]
        total += row[links - 1] * both[1, links - 1] + both[0, links - 1]
    return total


def twice(x, p):
    n, m = x.shape
    first = 0.0
    for i in bs.prange(n):
        s = p
        for j in range(m):
            s = math.sin(s * x[i, j])
        first += s
    second = 0.0
    for i in bs.prange(n):
        s = first
        for j in range(m):
            s = math.cos(s * x[i, j])
        second += s
    return second


def product(x, y):
    return np.tanh(x * y + 1.0)


batched = bs.batch(product, in_axes=(0, None))


def of_batch(x, y):
    return np.sum(batched(x, y))


def unmarked(x, y):
    total = 0.0
    for i in range(x.size):
        total += x[i] * y[i] ** 2
    last = 0.0
    for i in range(x.size):
        last = 0.5 * last + x[i]
    return total + last


CASES = [
    Case(
        price,
        ("start", "sigma", "rate"),
        (1.0, 0.2, 0.05, RNG.standard_normal((19, 5))),
        ("block_sum(sums, 2",),
    ),
    Case(energy, ("x",), (RNG.standard_normal((7, 2)), RNG.random(7)), ("warp_add_2(x_bar, j, 1, ",)),
    Case(
        pulls, ("x", "m"), (RNG.standard_normal((6, 2)), RNG.random(6), RNG.random(6)), ("a_bar[i, 1] += ",)
    ),
    Case(smoothed, ("u", "weights"), (RNG.random(9), RNG.random(3)), ("u_bar[0] += ",)),
    Case(looked_up, ("x", "scale"), (RNG.standard_normal(5), RNG.integers(0, 5, 21), 1.5)),
    Case(rotated, ("angles", "v"), (RNG.random(5), RNG.random(2)), ("cuda.local.array((2, 2), np.float64)",)),
    Case(stepped, ("x",), (RNG.random(5), 3), ("on_host(", "@njit(", "stepped_value_and_grad_loop2(")),
    Case(counted, ("x", "p"), (RNG.random(5), (2.0, RNG.random(4)), np.float32(1.5)), ("np.float32(parts[",)),
    Case(over_zero, ("x",), (np.zeros(3),)),
    Case(single, ("x", "w"), (RNG.random(5).astype(np.float32), np.float32(0.7))),
    Case(of_numbers, ("x", "y"), (RNG.random(4) + 0.2, RNG.standard_normal(4)), ("sqrt(a)",)),
    Case(
        single_alone,
        ("x", "w"),
        (RNG.random(5).astype(np.float32), np.float32(0.7)),
        ("np.float32(0.5) / ", "np.float32(tied(", "> 0.1"),
    ),
    Case(
        decays,
        ("y0", "k"),
        (RNG.random(7) + 0.5, RNG.random(7), 1e-4),
        ("while True:", "check_done(done, blocks)", "remember_rows("),
    ),
    Case(chained, ("x",), (RNG.random(19), 90), ("_of_threads[:, cuda.grid(1)]",)),
    Case(twice, ("x", "p"), (RNG.random((11, 3)), 0.4), ("in_thread_order((n, m))",)),
    Case(of_batch, ("x", "y"), (RNG.random(6), 0.3)),
    Case(unmarked, ("x", "y"), (RNG.random(6), RNG.random(6)), parallel=True),
]


def waves(x, y, n):
    out = np.zeros((n, 2))
    for i in bs.prange(n):
        s = 0.0
        for j in range(x.size):
            s += math.sin(x[j] * i) * y
        out[i, 0] = s
        out[i, 1] = s * s
    return out, y * y
