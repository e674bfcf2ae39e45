"""What is written last: memory that nobody reads any more, or only under another name, in another iteration, from outside."""

import math

import numpy as np

from tests.zoo.case import case, matrix, strided, vector


@case(vector(5))
@case(strided(5))
def written_and_left(x):
    u = x * x
    s = u[0] * u[1]
    u[2] = s * s
    return s + math.sin(u[1])


@case(vector(5), 3)
@case(vector(5), 0)
def read_by_the_next_iteration(x, n):
    u = x * 0.5
    s = 0.0
    for _ in range(n):
        s += u[1] * u[2]
        u[1] = u[0] * s
        u[2] = math.sin(s)
    return s


@case(vector(6))
def read_through_a_view(x):
    u = np.sin(x)
    v = u[1:4]
    s = v[0] * u[0]
    u[2] = s * s
    return s * v[1]


@case(vector(6))
def handed_out(x):
    u = np.sin(x)
    s = u[0] * u[1]
    u[3] = s * s
    return s, u


@case(vector(6))
def handed_out_in_a_part(x):
    u = np.sin(x)
    s = u[0] * u[1]
    u[3] = s * s
    u[1] = s
    return s, u[2:5]


@case(vector(4), 2)
@case(vector(4), 3)
def left_on_one_side(x, n):
    u = x * x
    w = x * 2.0
    c = u if n % 2 == 0 else w
    s = c[0] * c[1]
    c[0] = s
    u[1] = s * s
    return s + w[0] * w[1]


@case(vector(4), 3)
def held_by_a_list(x, n):
    rows = []
    u = x * 1.0
    for k in range(n):
        rows.append(u)
        u = u * x
        u[0] = u[1] * k
    s = u[1] * u[2]
    u[3] = s
    rows[0][2] = s * s
    total = s
    for row in rows:
        total += np.sum(row * row)
    return total


@case(vector(4), 3)
@case(vector(4), 0)
def left_by_a_while(x, n):
    u = x * x
    s, k = 0.0, 0
    while k < n:
        s += u[0]
        u[0] = u[1] * s
        u[3] = s
        k += 1
    return s * u[1]


@case(vector(5))
def argument_left(x):
    s = x[0] * x[1]
    x[1] = s
    x[2] = s * s
    return s * math.cos(x[3])


@case(matrix(3, 4))
def rows_left(a):
    b = a * a
    s = 0.0
    for row in b:
        s += row[0] * row[1]
        row[1] = s
        row[3] = s * row[2]
    return s


@case(vector(5), 2)
@case(vector(5), 3)
def added_to_itself_or_another(x, n):
    a = np.sin(x)
    b = np.cos(x)
    c = a if n % 2 == 0 else b
    a += c
    c *= a
    return np.sum(a * b)


@case(vector(6), 2)
@case(vector(6), 3)
def added_where_it_overlaps(x, n):
    a = np.sin(x)
    c = a[1:] if n % 2 == 0 else a[:-1]
    d = a[:-1]
    d += c
    c += d
    return np.sum(a * a)


@case(vector(6), vector(6, 4), 2)
@case(vector(6), vector(6, 4), 3)
def added_to_its_reverse_or_left(x, y, n):
    if n % 2 == 0:
        x, y = y, x
    else:
        x[::-1] += x
    return np.dot(x, x) + y[0]


@case(vector(6), vector(6, 4), 2)
@case(vector(6), vector(6, 4), 3)
def reversed_into_itself(x, y, n):
    if n % 2 == 0:
        x, y = y, x
    else:
        x[1:] = np.sin(x[:-1]) * x[1:]
        x[::-1] = 0.5 * x
    return np.dot(x, x * y)


@case(vector(5), vector(5, 4))
@case(vector(4), vector(4, 4))
def swapped_and_multiplied(x, y):
    s = np.dot(y, y)
    for _ in range(x.size):
        x, y = y, x
    return np.dot(y, x) + s


@case(vector(5), vector(5, 4), 3)
@case(vector(5), vector(5, 4), 2)
def chosen_and_multiplied(x, y, n):
    s = np.dot(x, x) * 0.5
    a, b = (x, y) if n % 2 == 0 else (y, x)
    return np.dot(a, b) + s + np.sum(a.T)


@case(vector(5), 4)
@case(vector(5), 0)
def carried_under_two_names(x, n):
    a = x * 1.0
    b = x * x
    for _ in range(n):
        a, b = b, a
        a += b
        b *= 0.5
    return np.sum(a * b * a)


@case(vector(5), 4)
def carried_as_parts(x, n):
    u = np.sin(x)
    a, b = u[1:], u[:-1]
    for _ in range(n):
        a, b = b, a
        a += 0.5 * b
    return np.sum(u * u)
