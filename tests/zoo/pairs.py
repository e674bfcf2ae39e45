"""Every body acts on every other one: loops of square roots and quotients that add up, which become two."""

import math

import numpy as np

from tests.zoo.case import case, matrix, strided, transposed, vector


@case(vector(5), matrix(5, 3))
@case(vector(1), matrix(1, 3))
@case(np.zeros(0), np.zeros((0, 3)))
@case(vector(6), transposed(6, 3))
def forces(m, x):
    n = m.size
    total = 0.0
    for i in range(n):
        a, b, c = 0.0, 0.0, 0.0
        for j in range(n):
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            square = dx * dx + dy * dy + dz * dz + 0.01
            pull = m[j] / (square * math.sqrt(square))
            a += pull * dx
            b += pull * dy
            c += pull * dz
        total += a * a + 2.0 * b * b + 3.0 * c * c
    return total


@case(vector(5), matrix(5, 2))
@case(vector(1), matrix(1, 2))
@case(np.zeros(0), np.zeros((0, 2)))
def energies_after_the_diagonal(m, x):
    total = 0.0
    for i in range(m.size):
        for j in range(i + 1, m.size):
            dx, dy = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1]
            total -= m[i] * m[j] / math.sqrt(0.1 + dx * dx + dy * dy)
    return total


@case(vector(5), matrix(5, 2))
@case(vector(1), matrix(1, 2))
def energies_before_the_diagonal(m, x):
    total = 0.0
    for i in range(m.size):
        for j in range(i):
            dx, dy = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1]
            total -= m[i] * m[j] / math.sqrt(0.1 + dx * dx + dy * dy)
    return total


@case(vector(4), strided(5), 0.3)
@case(np.zeros(0), strided(3), 0.3)
def distances_of_two_sets(x, y, s):
    total = 0.0
    for i in range(x.size):
        for j in range(y.size):
            d = x[i] - y[j]
            r = math.sqrt(d * d + s * s)
            total += x[i] * y[j] / r + 1.0 / (r + s)
    return total


@case(matrix(5, 2), 3)
@case(matrix(5, 2), 0)
def relaxed_in_steps(x, steps):
    x = x.copy()
    n = x.shape[0]
    total = 0.0
    for _ in range(steps):
        for i in range(n):
            push = 0.0
            for j in range(n):
                dx, dy = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1]
                r = math.sqrt(dx * dx + dy * dy + 0.2)
                push += dx / (r * r * r) + 0.1 * dy / r
            x[i, 1] += 0.01 * push
        for i in range(n):
            total += x[i, 0] * x[i, 1]
    return total


@case(matrix(4, 2), vector(4))
def neighbours_in_a_row(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(1, w.size):
            d = x[i, 0] * w[j - 1] + x[j, 1]
            total += w[j] / math.sqrt(1.0 + d * d) + d / (2.0 + w[j])
    return total


@case(matrix(3, 4), vector(3))
def rows_of_the_same_name(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            d = x[i, j] / (1.0 + w[i] * w[i])
            d = math.sqrt(d + w[i])
            d = 1.0 / (d + x[i, j])
            total += d * w[i]
    return total


@case(vector(6))
def functions_beside_parts(x):
    total = 0.0
    for apply, part in zip((np.sin, np.cos, lambda v: v * v), np.split(x, 3)):
        total += np.sum(apply(part)) * part[0]
    return total + sum(f(v) for v, f in zip(x, [np.exp, np.tanh]))
