"""Parts of arrays whose ends are quotients of lengths: halves of a state, gates of a cell, groups of parameters."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(6), vector(3, 1), 3)
@case(vector(2), vector(1, 1), 3)
@case(vector(6), vector(1, 1), 2)
@case(np.empty(0), np.empty(0), 2)
def places_and_speeds(y, masses, steps):
    n = y.size // 2
    for _ in range(steps):
        q, v = y[:n], y[n:]
        y = y + 0.1 * np.concatenate((v, -q * masses * np.sum(v * v)))
    return np.sum(y * y)


@case(vector(7), 0.3)
@case(vector(6), 0.3)
@case(vector(1), 0.3)
def halves_of_any_length(x, a):
    k = len(x) // 2
    left, right = x[:k], x[k:]
    total = np.sum(left) * np.sum(right * right) * a
    for i in range(k):
        total += left[i] * right[i] * x[(i + k) // 2]
    return total + np.sum(x[: int(len(x) / 2)] * left)


@case(vector(8))
@case(vector(5))
@case(vector(1))
def pairs_added_until_one_is_left(x):
    while x.size > 1:
        half = x.size // 2
        rest = x[2 * half :]
        x = np.concatenate((x[:half] * x[half : 2 * half], rest * rest))
    return x[0]


@case(vector(12), matrix(2, 3))
@case(vector(6), matrix(1, 3))
def points_one_behind_the_other(theta, targets):
    points = theta.reshape(-1, 3)
    m = theta.size // 6
    first, second = points[:m], points[m:]
    return np.sum((first - second) ** 2 * targets) + np.sum(
        points[::2] * theta[: theta.size // 2].reshape(-1, 3)
    )


@case(matrix(6, 2), vector(6, 1))
@case(matrix(3, 1), vector(3, 1))
def gates_of_equal_lengths(w, b):
    h = np.zeros(w.shape[1] * 0 + w.shape[0] // 3)
    x = np.ones(w.shape[1])
    for _ in range(3):
        keep, forget, new = np.split(w @ x + b, 3)
        h = np.tanh(keep) * h + np.sin(forget) * new
    return np.sum(h * h)


@case(vector(9), 4)
@case(vector(9), 0)
@case(vector(1), 1)
def parts_between_places(x, k):
    total = 0.0
    first, second, third = np.split(x, [k, k + 2])
    total += np.sum(first) * np.sum(second * second) + np.sum(third)
    for j, part in enumerate(np.array_split(x, k + 1)):
        total += (j + 1) * np.sum(part * part)
    for part in np.split(x, np.arange(0, k, 2)):
        total *= 1.0 + np.sum(part)
    return total


@case(matrix(4, 6))
@case(matrix(2, 3))
def parts_of_matrices(a):
    upper, lower = np.vsplit(a, 2)
    left, middle, right = np.hsplit(upper, 3)
    back = np.array_split(lower, 2, axis=-1)
    return np.sum(left * middle) + np.sum(right * right) + np.sum(back[0]) * np.sum(back[-1] ** 2)


@case(vector(6), 2)
@case(vector(7), 3)
def number_of_the_run_divided(x, n):
    k = (n + 3) // 2
    m = (2 * n + 5) // 2 - n
    y = x[:k] * 2.0
    y[:m] += x[-m:]
    grid = x[: n // 2 * 2].reshape(n // 2, 2)
    return np.sum(y * y) + np.sum(grid[:, 0] * grid[:, 1])


@case(vector(9), vector(9, 1))
@case(vector(8), vector(8, 1))
@case(vector(3), vector(3, 1))
def coarse_and_fine(u, f):
    r = f[1:-1] - (2.0 * u[1:-1] - u[:-2] - u[2:])
    e = np.zeros(u.size)
    if u.size % 2 == 1:
        e[2:-2:2] = 0.25 * (r[:-2:2] + 2.0 * r[1:-1:2] + r[2::2])
        e[1::2] = 0.5 * (e[:-1:2] + e[2::2])
    else:
        e[::2] = u[::2] * f[1::2]
        e[1:-1:3] += u[:-1:3][: e[1:-1:3].size]
    return np.sum((u + e) ** 2)


@case(matrix(3, 4), 2)
@case(matrix(1, 1), 3)
@case(np.empty((0, 2)), 1)
def rolled_by_any_number(a, k):
    total = 0.0
    for step in range(k):
        a = (
            a
            + 0.1 * np.roll(a, step + 1, axis=0) * np.roll(a, -1, axis=1)
            + 0.2 * np.roll(a, (1, 2), axis=(0, 1))
        )
        total += np.sum(a * a)
    return total


@case(vector(12), 3)
@case(vector(12), 1)
def heads_of_a_matrix(x, heads):
    n, d = 2, 6
    q = x.reshape(n, d).reshape(n, heads, d // heads)
    total = 0.0
    for h in range(heads):
        s = q[:, h] @ q[:, h].T
        p = np.exp(s - s.max(axis=1, keepdims=True))
        total += np.sum(p / p.sum(axis=1, keepdims=True) * s)
    return total


@case(vector(5))
@case(vector(2))
@case(np.empty(0))
def ends_that_count_from_the_back(x):
    n = x.size
    y = np.ones(n + 5) * (1.0 + np.sum(x))
    last, every_other = x[: n - 3] * 2.0, y[: n - 1 : 2]
    total = np.sum(every_other * every_other) * (1.0 + every_other.size + n // 2)
    for i in range(last.size):
        total += last[i] * (i + 1)
    return total + np.sum(np.ones(max(n - 3, 0)))


@case(vector(3))
@case(vector(1))
@case(np.empty(0))
def neighbours_around_a_ring(x):
    n = x.size
    total = 0.0
    for i in range(n):
        k = (i + 1) % n
        total += x[i] * np.sum(x[:k] * x[:k])
    m = max(n - 1, 0)
    for i in range(m):
        total += x[i] * x[i + 1]
    return total + m


@case(vector(2), 7)
@case(vector(2), 3)
@case(vector(2), -3)
def steps_in_a_loop_that_may_not_run(x, n):
    total = 0.0
    for i in range(5, n):
        y = np.ones(n) * x[0]
        part = y[5:n:2]
        total += np.sum(part * part) * i
    m = max(n - 4, 0)
    for _ in range(m):
        total += x[0] * x[1]
    return total + m
