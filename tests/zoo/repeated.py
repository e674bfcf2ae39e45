"""Inner loops that compute again in every round of the loop around them what the round does not change."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(matrix(3, 3), matrix(2, 3, 1), vector(3, 2))
@case(np.empty((0, 0)), np.empty((2, 0)), np.empty(0))
@case(matrix(12, 12), matrix(2, 12, 1), vector(12, 2))
def quadratic_forms(L, x, m):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(L.shape[0]):
            s = 0.0
            for c in range(j + 1):
                s += L[j, c] * (x[i, c] - m[c])
            total += s * s
    return total


@case(matrix(4, 3), vector(3, 1), vector(3, 2))
@case(np.empty((1, 0)), np.empty(0), np.empty(0))
@case(np.empty((0, 0)), np.empty(0), np.empty(0))
def below_the_diagonal(L, x, m):
    total = 0.0
    for j in range(L.shape[0]):
        s = 0.3
        for c in range(j):
            s += L[j, c] * (2.0 * x[c] * m[c] + x[c])
        total += s * s
    return total


@case(matrix(3, 4), vector(4, 1), vector(4, 2))
@case(np.empty((0, 4)), vector(1, 1), vector(2, 2))
@case(np.empty((3, 0)), vector(4, 1), vector(4, 2))
def every_row(A, x, y):
    total = 0.0
    for j in range(A.shape[0]):
        s = 0.0
        for c in range(A.shape[1]):
            s += A[j, c] * (x[c] - y[c])
        total += np.sin(s)
    return total


@case(matrix(3, 4), vector(4, 1), vector(4, 2), 2)
def rows_that_change(A, x, y, steps):
    x = x.copy()
    for _ in range(steps):
        for j in range(A.shape[0]):
            s = 0.0
            for c in range(A.shape[1]):
                s += A[j, c] * (x[c] * y[c])
            for c in range(A.shape[1]):
                x[c] += 0.1 * s * (x[c] + y[c])
    return np.sum(x * x)


@case(matrix(4, 4), matrix(4, 4, 1), 3)
def up_to_a_fewer_each_time(A, B, steps):
    total = 0.0
    for k in range(steps):
        for j in range(A.shape[0] - k):
            for c in range(A.shape[0] - k):
                total += A[j, c] * (A[k, c] - B[k, c]) * B[c, j]
    return total


@case(matrix(3, 5), vector(5, 1), vector(5, 2))
def two_terms(A, x, y):
    total = 0.0
    for j in range(A.shape[0]):
        s, t = 0.0, 1.0
        for c in range(A.shape[1]):
            s += A[j, c] * (x[c] - y[c])
            t += A[j, c] * A[j, c] * (x[c] * y[c])
        total += s * t
    return total


@case(matrix(3, 5), vector(5, 1), vector(5, 2), -1)
@case(matrix(3, 5), vector(5, 1), vector(5, 2), 4)
def rooms_of_no_length(A, x, y, n):
    total = x[0] * y[0]
    for j in range(A.shape[0]):
        s = 0.0
        for c in range(n):
            s += A[j, c] * (x[c] - y[c])
        total += s * s
    return total
