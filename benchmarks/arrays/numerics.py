"""Elementwise formulas, an alternating-direction solver and a contour integral."""

from __future__ import annotations

import numba
import numpy as np

from benchmarks.arrays.kernel import Kernel, by_size


def go_fast_arrays(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    out = a + trace
    return np.sum(out * out)


def go_fast_scratch(a):
    rows, columns = a.shape
    trace = 0.0
    for i in range(rows):
        trace += np.tanh(a[i, i])
    out = np.empty((rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = a[i, j] + trace
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += out[i, j] * out[i, j]
    return total


def go_fast_scalars(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += (a[i, j] + trace) ** 2
    return total


def go_fast_instance(n):
    return (np.random.default_rng(42).random((n, n)),)


def arc_distance_arrays(theta1, phi1, theta2, phi2):
    h = np.sin((theta2 - theta1) / 2.0) ** 2
    h = h + np.cos(theta1) * np.cos(theta2) * np.sin((phi2 - phi1) / 2.0) ** 2
    out = 2.0 * np.arctan2(np.sqrt(h), np.sqrt(1.0 - h))
    return np.sum(out * out)


def arc_distance_scratch(theta1, phi1, theta2, phi2):
    n = theta1.shape[0]
    h = np.empty(n)
    out = np.empty(n)
    for i in range(n):
        h[i] = np.sin((theta2[i] - theta1[i]) / 2.0) ** 2
        h[i] += np.cos(theta1[i]) * np.cos(theta2[i]) * np.sin((phi2[i] - phi1[i]) / 2.0) ** 2
    for i in range(n):
        out[i] = 2.0 * np.arctan2(np.sqrt(h[i]), np.sqrt(1.0 - h[i]))
    total = 0.0
    for i in range(n):
        total += out[i] * out[i]
    return total


@numba.njit
def haversine(theta1, phi1, theta2, phi2):
    h = np.sin((theta2 - theta1) / 2.0) ** 2
    h += np.cos(theta1) * np.cos(theta2) * np.sin((phi2 - phi1) / 2.0) ** 2
    return 2.0 * np.arctan2(np.sqrt(h), np.sqrt(1.0 - h))


def arc_distance_scalars(theta1, phi1, theta2, phi2):
    total = 0.0
    for i in range(len(theta1)):
        total += haversine(theta1[i], phi1[i], theta2[i], phi2[i]) ** 2
    return total


def arc_distance_instance(n):
    rng = np.random.default_rng(42)
    return tuple(rng.random(n) for _ in range(4))


def adi_arrays(start, steps):
    n = start.shape[0]
    u = start.copy()
    v = np.empty((n, n))
    p = np.empty((n, n))
    q = np.empty((n, n))
    along, across = 2.0 * n * n / (steps * n), n * n / (steps * n)
    a, b, c = -along / 2.0, 1.0 + along, -along / 2.0
    d, e, f = -across / 2.0, 1.0 + across, -across / 2.0
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -c / (a * p[1:-1, j - 1] + b)
            q[1:-1, j] = (
                -d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - f * u[j, 2:] - a * q[1:-1, j - 1]
            ) / (a * p[1:-1, j - 1] + b)
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            p[1:-1, j] = -f / (d * p[1:-1, j - 1] + e)
            q[1:-1, j] = (
                -a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - c * v[2:, j] - d * q[1:-1, j - 1]
            ) / (d * p[1:-1, j - 1] + e)
        u[1:-1, -1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]
    return np.sum(u * u)


def adi_scratch(start, steps):
    n = start.shape[0]
    u = start.copy()
    v = np.ones((n, n))
    p = np.zeros(n)
    q = np.zeros(n)
    along, across = 2.0 * n * n / (steps * n), n * n / (steps * n)
    a, b = -along / 2.0, 1.0 + along
    d, e = -across / 2.0, 1.0 + across
    for _ in range(steps):
        for i in range(1, n - 1):
            p[0] = 0.0
            q[0] = 1.0
            for j in range(1, n - 1):
                below = a * p[j - 1] + b
                p[j] = -a / below
                q[j] = (-d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - d * u[j, i + 1] - a * q[j - 1]) / below
            v[n - 1, i] = 1.0
            for j in range(n - 2, 0, -1):
                v[j, i] = p[j] * v[j + 1, i] + q[j]
            v[0, i] = 1.0
        for i in range(1, n - 1):
            u[i, 0] = 1.0
            p[0] = 0.0
            q[0] = 1.0
            for j in range(1, n - 1):
                below = d * p[j - 1] + e
                p[j] = -d / below
                q[j] = (-a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - a * v[i + 1, j] - d * q[j - 1]) / below
            u[i, n - 1] = 1.0
            for j in range(n - 2, 0, -1):
                u[i, j] = p[j] * u[i, j + 1] + q[j]
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += u[i, j] * u[i, j]
    return total


def adi_instance(n, steps):
    return np.random.default_rng(42).random((n, n)), steps


def contour_integral_arrays(blocks, sides, nodes):
    n, m = sides.shape
    first = np.zeros((n, m), dtype=np.complex128)
    second = np.zeros((n, m), dtype=np.complex128)
    for node in range(nodes):
        z = 3.0 * np.exp(2j * np.pi * (node + 0.5) / nodes)
        matrix = np.zeros((n, n), dtype=np.complex128)
        for k in range(blocks.shape[0]):
            matrix += z**k * blocks[k]
        solved = np.linalg.solve(matrix, sides.astype(np.complex128))
        first += z * solved
        second += z * z * solved
    return np.sum(np.abs(first) ** 2 + np.abs(second) ** 2)


def contour_integral_instance(n, m, blocks, nodes):
    rng = np.random.default_rng(42)
    return rng.normal(size=(blocks, n, n)) / np.sqrt(n) + np.eye(n), rng.random((n, m)), nodes


KERNELS = (
    Kernel(
        "go_fast",
        {"arrays": go_fast_arrays, "scratch": go_fast_scratch, "scalars": go_fast_scalars},
        go_fast_instance,
        by_size((4,), (700,), (2000,)),
        (0,),
    ),
    Kernel(
        "arc_distance",
        {"arrays": arc_distance_arrays, "scratch": arc_distance_scratch, "scalars": arc_distance_scalars},
        arc_distance_instance,
        by_size((5,), (100_000,), (1_000_000,)),
        (0, 1, 2, 3),
    ),
    Kernel(
        "adi",
        {"arrays": adi_arrays, "scratch": adi_scratch},
        adi_instance,
        by_size((5, 2), (100, 20), (200, 50)),
        (0,),
    ),
    Kernel(
        "contour_integral",
        {"arrays": contour_integral_arrays},
        contour_integral_instance,
        by_size((4, 2, 3, 3), (50, 50, 5, 16), (150, 100, 5, 32)),
        (0, 1),
    ),
)
