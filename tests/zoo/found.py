"""Programs that random testing once got wrong gradients for, kept as they were found or a little shorter."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(5), vector(5), matrix(3, 4))
def product_negated_then_added_to(x, y, c):
    for i in range(1, 5):
        for _ in range(y.size):
            a = y**2
            x[0] = a[4]
            c[i % 3, 1] = np.cos(np.dot(a, x))
    return np.sum(c)


@case(vector(5), matrix(3, 4), 0.5)
def rebound_in_while_after_a_store(x, c, s):
    x[1:4] = c[1, :3]
    for _ in range(3):
        w = 0
        while w < 2:
            w += 1
            x = 0.4 * x
        v = 0
        while v < 2:
            v += 1
            s += np.sum(x)
    return s


@case(vector(5), matrix(3, 4), 0.5)
def shadows_from_a_list(x, c, s):
    x[1:4] = c[1, :3]
    w = 0
    while w < 2:
        w += 1
        x = 0.4 * x
    s += np.sum(x)
    return s


@case(vector(3), vector(3), 0.5)
def swapped_then_scaled(x, y, t):
    for _ in range(4):
        for _ in range(3):
            x, y = (y, x)
        y *= t
        t += np.exp(-np.dot(y, y))
    return np.sum(y[:1])


@case(np.array([[2.0, 1.0], [0.5, 3.0]]))
def inverse_used_by_a_sum_in_between(a):
    b = 1.0 * np.linalg.inv(a).T
    s = np.sum(a)
    b[:] += s * np.linalg.inv(a).T
    return b


@case(vector(6))
def packed_triangle(x):
    """The inner loop only fills memory, but its counter also says where: it must not be run forwards."""
    a = np.zeros((4, 4))
    p = 0
    for c in range(4):
        for j in range(c + 1, 4):
            a[j, c] = x[p]
            p += 1
    total = 0.0
    for c in range(4):
        for j in range(4):
            total += (j + 2 * c) * a[j, c] ** 2
    return total


@case(vector(5), vector(5), 4)
def loop_that_never_runs(x, y, k):
    """Numba drops the loop, and with it what it would say of the types of what is appended in it."""
    done = 0
    while done < 5 and done > 1 and k < 3:
        done += 1
        for i in range(2):
            y[4] += np.sum(x * x)
            x[4 - i] *= y[4 - i]
    return x.sum() + y[0]
