"""Loops over `prange`: what iterations share, what is their own, and what has to stay in order."""

import math

import numpy as np
from numba import njit, prange

from tests.zoo.case import case, vector

PATHS = np.linspace(-1.0, 1.5, 12).reshape(4, 3)
PLACES = np.array([0, 2, 2, 1, -1, 0])


@case(1.1, 0.2, PATHS)
def price_of_paths(start, sigma, z):
    n, m = z.shape
    total = 0.0
    for k in prange(n):
        s = start
        for i in range(m):
            s = s * math.exp(0.01 - 0.5 * sigma * sigma + sigma * z[k, i])
        total += max(s - 1.0, 0.0)
    return total / n


@case(vector(6), vector(6, 1))
def heat(u, c):
    n = u.shape[0]
    v = np.zeros(n)
    for i in prange(1, n - 1):
        v[i] = u[i] + c[i] * (u[i - 1] - 2 * u[i] + u[i + 1]) ** 2
    return np.sum(v * v)


@case(np.linspace(-1.0, 1.0, 14), np.linspace(0.5, 1.0, 14), 2)
def heat_in_a_table(start, c, steps):
    n = start.shape[0]
    u = np.zeros((steps + 1, n))
    u[0] = start
    for t in range(steps):
        for i in prange(1, n - 1):
            u[t + 1, i] = u[t, i] + c[i] * (u[t, i - 1] - 2 * u[t, i] + u[t, i + 1]) ** 2
    return np.sum(u[steps] ** 2)


@case(vector(9), vector(9, 1))
def neighbours_on_a_ring(u, c):
    n = u.shape[0]
    total = 0.0
    for i in prange(n):
        total += c[i] * (u[i] - u[i - 1]) ** 2 * u[(i + 1) % n]
    return total


@case(vector(4), 0.3)
def of_different_lengths(x, a):
    out = np.empty(x.shape[0])
    for k in prange(x.shape[0]):
        y = abs(x[k]) + 0.5
        t = 0
        while y < 3.0 and t < 20:
            y = y + a * y * y
            t += 1
        out[k] = y + t
    return np.sum(out**2) / np.max(out)


@case(vector(4), 2.0)
def left_early(x, p):
    total = 1.0
    for i in prange(x.shape[0]):
        z = x[i] + 2.0
        for _ in range(30):
            z = z - (z * z - p) / (2 * z)
            if abs(z * z - p) < 0.1:
                break
        total += z * x[i]
    return total


@case(vector(3), PLACES, vector(6))
def read_at_places(w, places, y):
    total = 0.0
    for i in prange(places.shape[0]):
        d = w[places[i]] - y[i]
        total += d * d if i % 2 == 0 else d
    return total


@case(vector(4), vector(6))
def added_to_by_all(x, y):
    out = np.zeros(2)
    for i in prange(x.shape[0]):
        for j in range(y.shape[0]):
            out[j % 2] += x[i] * y[j] ** 2
    return out[0] * out[1]


@case(PATHS, vector(3))
def with_memory_of_its_own(a, x):
    total = 0.0
    for i in prange(a.shape[0]):
        row = a[i] * x
        row[1] += row[0] * row[2]
        total -= np.sum(np.tanh(row) * row)
    return total


@case(PATHS, vector(3))
def each_fills_an_array(a, x):
    total = 0.0
    for i in prange(a.shape[0]):
        r = np.zeros(a.shape[1])
        for j in range(a.shape[1]):
            r[j] = a[i, j] * x[j]
            if j > 0:
                r[j] += 0.5 * r[j - 1]
        m = np.max(r)
        total += m + np.log(np.sum(np.exp(r - m)))
    return total


@case(PATHS, vector(3))
def each_fills_a_row(a, x):
    out = np.zeros(a.shape)
    for i in prange(a.shape[0]):
        r = np.zeros(a.shape[1])
        r[:] = a[i] * x
        r[1:] *= r[:-1]
        out[i] = r
    return np.sum(out**2)


@case(vector(5))
def one_within_the_other(x):
    n = x.shape[0]
    table = np.empty((n, n))
    for i in prange(n):
        for j in prange(n):
            table[i, j] = x[i] * np.sin(x[j])
    total = 0.0
    for i in prange(n):
        part = 0.0
        for j in prange(n):
            part += table[j, i] ** 2
        total += part * x[i]
    return total


@case(vector(4), True)
@case(vector(4), False)
def recorded_on_one_side(x, p):
    s = x[1]
    u = x * x
    if p:
        for i in prange(3):
            s += np.sum(u * u) * x[i]
    return s


@case(vector(5), 3)
def in_steps_of_time(u, steps):
    n = u.shape[0]
    v = np.zeros(n)
    for t in range(steps):
        for i in prange(1, n - 1):
            v[i] = u[i] * (1.0 + 0.1 * t) + 0.2 * (u[i - 1] * u[i + 1])
        u = v.copy()
    return np.sum(u * u)


@njit(parallel=True)
def _squares(x, y):
    for i in prange(x.shape[0]):
        y[i] = x[i] * x[i]
    return y


@case(vector(4))
def in_a_helper(x):
    y = np.empty(x.shape[0])
    _squares(x, y)
    return np.sum(_squares(y, np.zeros(x.shape[0])) * x)


@case(vector(5))
def each_needs_the_one_before(x):
    y = np.zeros(x.shape[0])
    s = 1.0
    for i in prange(x.shape[0]):
        s = s * x[i] + 1.0
        y[i] = s + (y[i - 1] if i else 0.0)
    return np.sum(y * y)


@case(vector(3), np.array([2, 0, 1]))
def written_at_places(x, places):
    y = np.zeros(3)
    for i in prange(3):
        y[places[i]] = x[i] * x[places[i]]
    return y[0] * y[1] + y[2]


@case(vector(3), 0)
def of_no_iteration(x, n):
    total = np.sum(x)
    for i in prange(n):
        total += x[i] * x[0]
    for i in prange(2, n):
        total += x[i]
    return total * x[1]


@case(vector(4).astype(np.float32), 4)
def counted_in_other_types(x, n):
    total, positive = np.float32(0.0), 0
    for i in prange(n):
        total += x[i] * x[i]
        positive += 1 if x[i] > 0 else 0
    return float(total) * positive


@case(vector(4))
def a_number_of_the_last(x):
    last = 0.0
    for i in prange(4):
        last = x[i] * x[i]
    return last * x[0]


@case(vector(7), 0.6)
def added_up_on_all_paths(x, p):
    total = 0.0
    for i in prange(x.shape[0]):
        total += x[i] * p
        if x[i] > 0.0:
            total += x[i] ** 2
            for j in range(4):
                if j > x[i]:
                    total -= p * j
                    break
                total += math.sin(x[i] * j)
        else:
            total -= p * x[i]
        left = abs(x[i])
        while left > 0.3:
            total += left * p
            left *= 0.5
    return total
