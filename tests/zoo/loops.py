"""`for` loops over ranges: trip counts, steps, nests, the loop variable."""

import math

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(2.9, 0.3, 7)
@case(2.9, 0.3, 0)
@case(2.9, 0.3, 1)
def logistic(r, x, steps):
    for _ in range(steps):
        x = r * x * (1.0 - x) + 0.1 * math.sin(x)
    return x * x


@case(0.9, 5)
@case(0.9, 0)
def carried_product(x, n):
    p = 1.0
    for i in range(n):
        p = p * (x + 0.1 * i)
    return p


@case(vector(6))
@case(vector(0))
@case(np.array([0.5, 0.0, 0.8, 1.5]))
def product_of_entries(x):
    p = 1.0
    for i in range(x.size):
        p *= x[i]
    return p


@case(0.9, 4)
@case(0.9, 0)
def set_before_loop(x, n):
    y = x * x
    z = 0.0
    for _ in range(n):
        z = z + y * x
    return z * y


@case(vector(7))
def loop_variable_after_the_loop(x):
    for i in range(3):
        x = x * 1.5
    return x[i] * x[i + 1]


@case(vector(7), 0.4)
def loop_variable_written(x, w):
    s = 0.0
    for i in range(3):
        i = i * 2
        s += w * x[i]
    return s * x[i]


@case(vector(7), -3)
@case(vector(7), -1)
def negative_step(x, step):
    s = 0.2
    for i in range(6, -1, step):
        s = math.sin(s) * x[i] + x[i] * x[i]
    return s


@case(vector(9), 1, 8, 3)
@case(vector(9), 7, 1, -2)
@case(vector(9), 4, 4, 1)
@case(vector(9), 2, 6, -1)
def computed_range(x, first, last, step):
    s = 0.1
    for i in range(first, last, step):
        s = s * x[i] + x[i - 1]
    return s + x[0]


@case(0.8, 4, 3)
@case(0.8, 4, 0)
def nested_dynamic(x, n, m):
    y = x
    for i in range(n):
        z = y
        for j in range(m + i):
            z = math.sin(z * x) + 0.1 * j
        y = y * z
    return y


@case(matrix(5, 5), vector(5))
def triangular(a, x):
    s = 0.0
    for i in range(5):
        t = x[i]
        for j in range(i):
            t = t * a[i, j] + x[j]
            for k in range(j, i):
                t = t - 0.1 * a[k, j] * t
        s += t * t
    return s


@case(0.7, 6)
def bound_changed_in_body(x, n):
    for _ in range(n):
        n = n - 1
        x = x * 1.1 + 0.01 * n * x * x
    return x * n


@case(0.7, 5)
@case(0.7, 4)
def condition_on_the_index(x, n):
    y = 1.0
    for i in range(n):
        if i % 2 == 0:
            y = y * x
        else:
            x = x + 0.1 * y
    return y


@case(vector(5))
def over_the_elements(x):
    s = 1.0
    for value in x:
        s = s * value + value * value
    return s


@case(vector(5), vector(5, 1))
def zip_and_enumerate(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s += (i + 1.0) * a * b * b
    return s


@case(0.7, 3)
def temporary_lives_across_iterations(x, n):
    t = x
    s = 0.0
    for i in range(n):
        if i > 0:
            s = s + t * t
        t = t * x + s
    return s * t


@case(0.7, 3)
def two_loops_one_variable(x, n):
    for i in range(n):
        x = x * x + 0.1
    for i in range(n):
        x = math.sin(x) * (i + 1)
    return x


@case(0.7, 0.4, 5)
def fibonacci(a, b, n):
    for _ in range(n):
        a, b = b, a * b + a
    return a * b


@case(0.5, 5)
def integer_carried(x, n):
    k = 1
    y = x
    for i in range(n):
        k = k * 2 + i
        y = y * x + 0.01 * k * x
    return y * k


@case(0.5)
def literal_nest(x):
    y = x
    for i in range(2):
        for j in range(2, 0, -1):
            for k in range(1, 6, 2):
                y = y * x + 0.01 * (i + j * k) * y * y
    return y


@case(0.5, 3)
def else_clause(x, n):
    y = x
    for i in range(n):
        y = y * x + i
    else:
        y = y * y
    return y


@case(0.5, 0.3, 4)
@case(0.5, 0.3, 0)
def many_records_of_one_shape(x, y, n):
    for i in range(n):
        a = np.sin(x * y)
        b = np.exp(-a * x)
        c = np.tanh(a + b * y)
        x = x * c + 0.1 * b
        y = np.cos(y * a) + 0.01 * i
    return x * y


@case(np.array([0.4, 0.7, 0.2]), np.array([0.3, 0.9, 0.6]), 3)
@case(np.zeros(0), np.zeros(0), 3)
@case(np.array([0.4]), np.array([0.3]), -1)
def many_records_in_a_nest(cell, w, steps):
    for t in range(steps):
        for j in range(cell.size):
            keep = 1.0 / (1.0 + np.exp(-cell[j] * w[j]))
            if keep > 0.55:
                more = np.tanh(cell[j] + w[j] * t)
                cell[j] = np.sin(keep * cell[j]) * more + np.exp(more * w[j])
            else:
                cell[j] += np.exp(keep * w[j])
    return np.sum(cell * cell)


@case(vector(4), 2)
def from_below_zero(x, n):
    p = 0.7
    for i in range(-2, n):
        p = math.sin(p * x[i + 2])
    return p


@case(vector(3), 2)
def arrays_of_computed_lengths(x, n):
    p = 0.5
    for i in range(2):
        y = np.full(x.size + n + 2, p)
        y[i] = x[i]
        z = x[1:] * p
        p = np.sum(np.sin(y) * y) + np.sum(np.sin(z) * z)
    return p


@case(matrix(3, 2))
def assigned_in_an_inner_loop_alone(x):
    n = x.shape[0]
    total = 0.0
    for i in range(n):
        first = x[i]
        for k in range(n):
            if k == i or k > 4:
                continue
            apart = first - x[k]
            factor = apart.ndim * 0.5
            total += factor * np.sum(apart * apart)
    return total
