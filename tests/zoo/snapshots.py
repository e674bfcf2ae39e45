"""Arrays that a nest of loops reads and something writes later: one copy may serve every read of the nest."""

import numpy as np

from tests.zoo.case import case, matrix, transposed, vector


@case(vector(4), 3)
@case(vector(4), 0)
@case(vector(1), 2)
@case(vector(0), 2)
def pairs(x, steps):
    force = np.zeros(x.size)
    total = 0.0
    for _ in range(steps):
        for i in range(x.size):
            pull = 0.0
            for j in range(x.size):
                gap = x[j] - x[i]
                pull += gap / (1.0 + gap * gap)
            force[i] = pull
        for i in range(x.size):
            x[i] += 0.1 * force[i]
        for i in range(x.size):
            for j in range(i):
                total += (x[i] - x[j]) ** 2
    return total


@case(matrix(3, 2), vector(3), 2)
def components(x, m, steps):
    total = 0.0
    for _ in range(steps):
        for i in range(m.size):
            for j in range(m.size):
                dx, dy = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1]
                total += m[i] * m[j] * np.sqrt(0.1 + dx * dx + dy * dy)
        for i in range(m.size):
            for c in range(2):
                x[i, c] *= 0.9
    return total


@case(vector(6), 3)
@case(vector(2), 3)
def burgers(u, steps):
    new = u.copy()
    for _ in range(steps):
        for i in range(1, u.size - 1):
            new[i] = u[i] - 0.1 * u[i] * (u[i] - u[i - 1]) + 0.2 * u[i + 1] * u[i - 1]
        for i in range(1, u.size - 1):
            u[i] = new[i]
    return np.sum(u * u)


@case(matrix(4, 5), 3)
def planes(u, steps):
    total = 0.0
    for t in range(steps):
        for k in range(3):
            for j in range(1, u.shape[1]):
                total += k * u[0, j] * u[0, j - 1] * u[1, j]
        for j in range(u.shape[1]):
            u[0, j], u[1, j] = u[1, j] * 0.5, u[0, j] + u[1, j] * t
    return total


@case(matrix(3, 4), 2)
def one_row_of_many(u, steps):
    total = 0.0
    for t in range(steps):
        for r in range(u.shape[0]):
            for k in range(2, 4):
                for j in range(u.shape[1]):
                    total += u[r, j] ** k * u[r, j - 1]
            for j in range(u.shape[1]):
                u[r, j] *= 0.5 + 0.1 * t
    return total


@case(vector(5), np.array([0, 2, 2, 4, 1, 0]), np.array([0, 2, 3, 3, 5, 6]), 3)
def gathered(x, column, first, steps):
    y = np.zeros(x.size)
    for _ in range(steps):
        for i in range(x.size):
            total = 0.0
            for k in range(first[i], first[i + 1]):
                total += x[column[k]] * x[i]
            y[i] = np.tanh(total)
        for i in range(x.size):
            x[i] = y[i] + 0.5 * x[i]
    return np.sum(x)


@case(vector(5), 3, 4)
def window_while_it_moves(x, width, steps):
    total = 0.0
    for i in range(steps):
        for k in range(width):
            for p in range(1, 3):
                total += x[(i + k) % x.size] ** p * x[i]
        x[i] = 0.5 * x[i] + total
    return total + np.sum(x)


@case(vector(6), vector(6, 1), 3)
def swapped_between(a, b, steps):
    for _ in range(steps):
        for i in range(1, a.size - 1):
            b[i] = a[i - 1] * a[i] + a[i] * a[i + 1]
        a, b = b, a
    return np.sum(a * a)


@case(matrix(3, 4), 2)
@case(transposed(3, 4), 2)
def read_through_a_view(x, steps):
    turned = x.T
    total = 0.0
    for _ in range(steps):
        for k in range(1, 4):
            for i in range(x.shape[0]):
                row = x[i]
                for j in range(x.shape[1]):
                    total += turned[j, i] ** k * row[j - 1] * x[i, 0]
        x[1:] *= 0.5
        turned[0] += total * 0.01
    return total


@case(vector(5), 0.1)
@case(vector(5), 1e6)
def in_a_while_that_is_left(x, limit):
    total, step = 0.0, 0
    while step < 5:
        for i in range(x.size):
            for j in range(i + 1, x.size):
                total += x[i] * x[j] * x[j]
        if total > limit:
            break
        for i in range(x.size):
            x[i] *= 1.2
        step += 1
    return total * x[0]


@case(vector(4), 4)
@case(vector(4), 1)
def on_one_side(x, steps):
    total = 0.0
    for t in range(steps):
        if t % 2 == 1:
            for i in range(x.size):
                for j in range(x.size):
                    total += np.sin(x[i] * x[j])
        elif t == 2:
            continue
        for i in range(x.size):
            x[i] = x[i] * x[i] + 0.1
    return total


@case(vector(4), 3)
def written_at_the_end_of_the_nest(x, steps):
    total = 0.0
    for t in range(steps):
        for i in range(x.size):
            for j in range(x.size):
                for k in range(j):
                    total += x[j] * x[k]
            x[i] = np.cos(x[i]) * (t + 1)
    return total


@case(vector(4), 3)
def ended_early_within(x, steps):
    total = 0.0
    for _ in range(steps):
        for i in range(x.size):
            for j in range(x.size):
                if x[j] > 0.9 or total > 50.0:
                    break
                total += x[i] * x[j]
            k = 0
            while k < i:
                total += x[k] ** 3
                k += 1
        for i in range(x.size):
            x[i] = 0.3 + 0.5 * x[i]
    return total


@case(vector(5), np.array([3, 1, 0, 2, 4]), 2)
def integers_that_change(x, order, steps):
    total = 0.0
    for _ in range(steps):
        for i in range(x.size):
            for j in range(i):
                total += x[order[i]] * x[order[j]] ** 2
        for i in range(x.size):
            order[i] = (order[i] + 1) % x.size
    return total


@case(vector(4).astype(np.float32), 2)
def single_precision(x, steps):
    total = 0.0
    for _ in range(steps):
        for i in range(x.size):
            for j in range(x.size):
                total += x[i] * x[j] * x[j]
        x *= np.float32(0.5)
    return total


@case(vector(4), 3)
def read_before_and_after(x, steps):
    total = 0.0
    for t in range(steps):
        for i in range(x.size):
            for j in range(x.size):
                total += x[i] * x[j] ** 2
        x[t] = 2.0 * x[t]
        for i in range(x.size):
            for j in range(x.size):
                total -= x[i] ** 2 * x[j]
        fresh = np.ones(x.size)
        for i in range(x.size):
            fresh[i] *= x[i]
        for i in range(x.size):
            for j in range(x.size):
                total += fresh[i] * fresh[j] * x[j]
        fresh[0] = total
        x[0] += 0.01 * fresh[0]
    return total


@case(matrix(3, 2), 2)
def next_row_if_there_is_one(u, steps):
    total = 0.0
    for _ in range(steps):
        for i in range(u.shape[0]):
            below = i + 1
            for j in range(u.shape[1]):
                for k in range(u.shape[1]):
                    if below < u.shape[0]:
                        total += u[below, j] * u[below, k] * u[i, j]
            for j in range(u.shape[1]):
                u[i, j] = 0.5 * u[i, j] + 0.1
    return total


@case(np.empty((0, 3)), 0.5, 2)
@case(matrix(2, 3), 0.5, 2)
def edges_of_an_array_that_may_be_empty(u, s, steps):
    for _ in range(steps):
        for i in range(u.shape[0]):
            for j in range(u.shape[1]):
                s += u[0, j] * u[-1, j] ** 2
        u *= 0.5
    return s
