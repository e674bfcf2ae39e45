"""Norms that are written out, of vectors that may be zero: a point's distance from itself adds nothing to a gradient."""

import math

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(matrix(4, 3), matrix(4, 3, 1))
def roots_of_sums(v, w):
    t = 0.0
    for i in range(4):
        for j in range(4):
            t += np.sum((v[i] - v[j]) ** 2) ** 0.5 * (1 + i) + np.sqrt(np.sum((w[i] - w[j]) ** 2))
    return t


@case(matrix(4, 2))
def roots_of_numbers(v):
    t = 0.0
    for i in range(4):
        for j in range(4):
            dx = v[i, 0] - v[j, 0]
            dy = v[i, 1] - v[j, 1]
            t += (dx * dx + dy * dy) ** 0.5 + math.sqrt(dx**2 + 2.0 * dy**2) * i + np.hypot(dx, dy)
    return t


@case(matrix(3, 2))
def table_of_distances(v):
    d = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            difference = v[i] - v[j]
            d[i, j] = np.sqrt(difference @ difference)
    apart = v.reshape(3, 1, 2) - v.reshape(1, 3, 2)
    return np.sum(np.exp(-d)) + np.sum(np.sqrt(np.sum(apart * apart, axis=2)) * d)


@case(matrix(3, 2), vector(2))
def sums_by_loops(v, w):
    t = 0.0
    for i in range(3):
        for j in range(3):
            s = 0.0
            for k in range(2):
                s += w[k] * 0.0 + (v[i, k] - v[j, k]) ** 2 / 3.0
            q = 0.0
            for k in range(2):
                q += (v[i, k] - v[j, k]) ** 4
            t += q**0.5 + s
    return t


@case(vector(4), 0)
@case(vector(4), 2)
@case(vector(4), np.inf, wrt=0)
@case(vector(4), 2.5)
def of_complex_vectors(x, order):
    z = x + 1j * x**2
    return np.linalg.norm(z, order) * x[0] + np.linalg.norm(z[::-2], ord=order) + np.linalg.norm(z, None) ** 3


@case(vector(4), 2.5)
@case(vector(4), 2.0)
@case(vector(4), -1.5)
def by_order(x, p):
    return np.linalg.norm(x, p) * p + np.linalg.norm(x * (1.0 + 2.0j) + 1j, p) ** 2


@case(matrix(3, 2))
def of_complex_matrices(a):
    z = a + 1j * np.sin(3.0 * a)
    t = np.linalg.norm(z, None) + np.linalg.norm(z, "fro") ** 3 + np.linalg.norm(a, ord=None)
    return t + np.linalg.norm(z, 1) * np.linalg.norm(z, -np.inf) + np.linalg.norm(z, 2) ** 2


@case(vector(3))
def roots_before_and_after_a_write(x):
    a = x.copy()
    before = np.sqrt(np.sum(a**2))
    a[0] = 3.0
    return before * np.sqrt(np.sum(a**2)) + np.linalg.norm(a) * before
