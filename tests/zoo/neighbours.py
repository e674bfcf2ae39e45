"""Stencils: the reverse sweep adds to neighbouring places, which loops of their own may do."""

import numpy as np

from tests.zoo.case import case, matrix, transposed, vector


@case(matrix(4, 5), matrix(4, 5, 1), 2)
@case(matrix(2, 2), matrix(2, 2, 1), 2)
@case(np.empty((0, 0)), np.empty((0, 0)), 2)
@case(transposed(4, 5), matrix(4, 5, 1), 1)
def back_and_forth(a, b, steps):
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = 0.5 * b[i, j] - b[i, j - 1] + 0.1 * b[i - 1, j + 1] - 0.2 * b[i + 1, j]
    return np.sum(a * a) + np.sum(b * b)


@case(vector(6), vector(6, 1))
@case(vector(1), vector(1, 1))
def wrapped_at_the_ends(x, w):
    total = 0.0
    y = np.zeros(x.size)
    for i in range(x.size):
        y[i] = w[i] * x[i] - 2.0 * x[i - 1] + x[i - 2 + 1] * w[i - 1]
    for i in range(x.size):
        total += y[i] * y[i] * w[i]
    return total


@case(vector(7), 3)
def weights_that_are_differentiated(x, steps):
    y = x.copy()
    for _ in range(steps):
        for i in range(1, x.size - 1):
            y[i] = x[i - 1] * x[i] + x[i] * x[i + 1]
        for i in range(1, x.size - 1):
            x[i] = y[i] - 0.5 * y[i + 1] - y[i - 1]
    return np.sum(x * y)


@case(vector(7))
def in_place(x):
    for i in range(1, x.size - 1):
        x[i] = 0.3 * x[i - 1] + 0.2 * x[i] + 0.5 * x[i + 1]
    return np.sum(x * x)


@case(vector(8), vector(8, 1))
def into_two_arrays(x, y):
    u, v = np.zeros(x.size), np.zeros(x.size)
    for i in range(1, x.size - 1):
        u[i] += x[i + 1] - x[i - 1] + y[i]
        v[i] = y[i + 1] - 0.5 * y[i - 1] + x[i] * 3.0
        u[i - 1] = v[i] * 2.0
    return np.sum(u * v)


@case(vector(9))
def even_and_odd(x):
    y = np.zeros(x.size)
    for i in range(1, x.size - 1, 2):
        y[i] = x[i - 1] + 2.0 * x[i + 1]
    for i in range(x.size - 2, 0, -2):
        y[i] -= x[i - 1] * 0.5 - x[i + 1]
    return np.sum(y * y)


@case(matrix(4, 6), 0)
@case(matrix(4, 6), 2)
def rows_of_a_view(a, first):
    part = a[first:]
    b = np.zeros(a.shape)
    for i in range(part.shape[0]):
        row = b[i]
        for j in range(1, a.shape[1] - 1):
            row[j] = part[i, j + 1] - 2.0 * part[i, j] + a[i, j - 1]
    return np.sum(b * b)


@case(vector(8), np.array([0, 3, 3, 1, 6, 2]))
def beside_gathered_places(x, order):
    y = np.zeros(x.size)
    for i in range(order.size):
        y[i] = x[order[i]] - x[order[i] + 1] + x[i] * 0.5 + x[i + 1]
    return np.sum(y * y)


@case(vector(8), 0.7)
def added_to_a_number_too(x, w):
    y = np.zeros(x.size)
    for i in range(1, x.size - 1):
        y[i] = w * (x[i - 1] + x[i + 1]) + w * w * x[i]
    return np.sum(y * y)


@case(vector(8).astype(np.float32))
def in_single_precision(x):
    y = np.zeros(x.size)
    for i in range(1, x.size - 1):
        y[i] = x[i - 1] + x[i + 1] - x[i]
    total = 0.0
    for i in range(x.size):
        total += y[i] * y[i]
    return total


@case(vector(9), 0.7)
@case(vector(5), 0.7)
@case(vector(4), 0.7)
@case(vector(3), 0.7)
def far_to_one_side(x, w):
    y = np.zeros(x.size)
    for i in range(2, x.size - 1):
        y[i] = 0.5 * x[i - 2] - w * x[i + 1] + 0.25 * x[i]
    return np.sum(y * y)


@case(matrix(6, 7), matrix(6, 7, 1))
@case(matrix(4, 5), matrix(4, 5, 1))
@case(matrix(3, 9), matrix(3, 9, 1))
@case(matrix(9, 3), matrix(9, 3, 1))
def nine_points(a, w):
    b = np.zeros(a.shape)
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            around = a[i - 1, j - 1] + a[i - 1, j + 1] + a[i + 1, j - 1] + a[i + 1, j + 1]
            b[i, j] += 0.05 * around + 0.2 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
            b[i, j] -= w[i, j] * a[i, j]
    return np.sum(b * b)


@case(matrix(6, 5), 2)
@case(matrix(6, 5), 3)
@case(matrix(3, 3), 1)
def grids_that_change_places(a, steps):
    old, new = a.copy(), np.zeros(a.shape)
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                new[i, j] = 0.5 * old[i, j] + 0.125 * (
                    old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1]
                )
        old, new = new, old
    return np.sum(old * old) + 0.5 * np.sum(new)


@case(vector(7), vector(7, 1), 3)
@case(vector(3), vector(3, 1), 2)
def grids_chosen_by_a_branch(a, b, steps):
    a, b = a.copy(), b.copy()
    for step in range(steps):
        if step % 2 == 0:
            old, new = a, b
        else:
            old, new = b, a
        for i in range(1, a.size - 1):
            new[i] += old[i - 1] - 0.5 * old[i] + 0.3 * old[i + 1]
    return np.sum(a * a) + np.sum(b)


@case(vector(7), vector(7, 1), 3)
def grids_that_are_one_at_times(a, b, steps):
    a, b = a.copy(), b.copy()
    for step in range(steps):
        old, new = a, b
        if step == 1:
            new = a
        for i in range(1, a.size - 1):
            new[i] += old[i - 1] - 0.5 * old[i] + 0.3 * old[i + 1]
    return np.sum(a * a) + np.sum(b)


@case(vector(6), vector(6, 1), vector(6, 2), 4)
def three_grids_in_turn(a, b, c, steps):
    a, b, c = a.copy(), b.copy(), c.copy()
    for _ in range(steps):
        for i in range(1, a.size - 1):
            c[i] = 2.0 * b[i] - a[i] + 0.1 * (b[i - 1] - 2.0 * b[i] + b[i + 1])
        a, b, c = b, c, a
    return np.sum(c * c) + np.sum(b * a)


@case(np.random.default_rng(3).uniform(0.2, 1.2, (4, 5, 6)))
def seven_points(a):
    b = np.zeros(a.shape)
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            for k in range(1, a.shape[2] - 1):
                along = a[i - 1, j, k] + a[i + 1, j, k]
                across = a[i, j - 1, k] + a[i, j + 1, k]
                up = a[i, j, k - 1] + a[i, j, k + 1]
                b[i, j, k] = a[i, j, k] * 0.4 + 0.1 * (along + across + up)
    return np.sum(b * b)


@case(matrix(5, 6))
def slices_of_neighbours(a):
    b = a.copy()
    b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
    c = b[1:, :] - 0.5 * b[:-1, :]
    return np.sum(b * b) + np.sum(c * c)


@case(vector(9) + 1j * vector(9, 1), wrt=0)
def of_complex_numbers(z):
    y = np.zeros(z.size, np.complex128)
    for i in range(1, z.size - 1):
        y[i] = 0.5j * z[i - 1] - z[i] * (0.3 + 0.1j) + z[i + 1]
    return np.sum(np.abs(y) ** 2)


@case(vector(7), 0.0)
def steps_upwards(x, least):
    """The branch keeps the loop from being gathered: it adds to two neighbouring elements."""
    s = 0.0
    for i in range(x.size - 1):
        d = x[i + 1] - x[i]
        if d > least:
            s += d * d * d
    return s
