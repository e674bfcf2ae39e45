"""Arrays of perhaps different shapes that a loop carries: the first iteration broadcasts them, or never does."""

import math

import numpy as np

from tests.zoo.case import case, matrix, strided, vector


def verlet(x, v, n, h):
    for _ in range(n):
        v = v - 0.5 * h * np.sin(x)
        x = x + h * v
        v = v - 0.5 * h * np.sin(x)
    return x, v


@case(vector(4), vector(4, 1), 3, 0.1)
@case(vector(4), vector(4, 1), 0, 0.1)
@case(vector(4), vector(1, 1), 3, 0.1)
@case(vector(1), vector(4, 1), 2, 0.1)
@case(vector(4), vector(1, 1), 0, 0.1)
@case(vector(4), vector(4, 1), -2, 0.1)
@case(vector(0), vector(0, 1), 2, 0.1)
@case(strided(4), strided(4), 2, 0.1)
@case(matrix(3, 1), matrix(1, 2, 1), 2, 0.1)
@case(matrix(3, 1), matrix(1, 2, 1), 0, 0.1)
def energy_afterwards(x, v, n, h):
    x, v = verlet(x, v, n, h)
    return np.sum(x * x) * np.sum(v) + x.size


@case(vector(4), vector(1, 1), 3)
@case(vector(4), vector(1, 1), 0)
def arrays_afterwards(x, v, n):
    return verlet(x, v, n, 0.2)


@case(vector(4), vector(1, 1), 3)
@case(vector(1), vector(4, 1), 3)
@case(vector(1), vector(4, 1), 0)
def looked_at_before_it_settles(x, v, n):
    s = 0.0
    for k in range(n):
        s += np.sum(x) * (k + 1)
        x = x + 0.1 * v
        v = v - 0.1 * x
    return s + np.sum(v)


@case(vector(1), vector(4, 1), 3)
@case(vector(4), vector(1, 1), 2)
def looked_at_where_it_has_settled(x, v, n):
    s = 0.0
    for k in range(n):
        y = np.sin(x) * v
        s += np.sum(y) * (k + 1)
        x = y + 0.1 * v
        v = y - 0.1 * x
    return s + np.sum(v)


@case(vector(1), vector(4, 1), 3)
@case(vector(4), vector(1, 1), 3)
def one_that_never_meets_the_other(x, v, n):
    for _ in range(n):
        x = np.sin(x) * 1.5
        v = v + 0.1 * x
    return np.sum(x) * np.sum(v)


@case(vector(4), vector(1, 1), vector(4, 2), 3)
@case(vector(1), vector(1, 1), vector(4, 2), 2)
@case(vector(1), vector(1, 1), vector(4, 2), 0)
def with_one_from_outside(x, v, w, n):
    for k in range(n):
        x = x + 0.1 * v * w
        v = v - 0.1 * x * k
    return np.sum(x * x) + np.sum(v) + np.sum(w * w)


@case(vector(1), vector(4, 1), 3)
@case(vector(4), vector(1, 1), 3)
def one_from_outside_looked_at_too(x, w, n):
    s = 0.0
    for k in range(n):
        s += w[0] * np.sum(w)
        x = np.sin(x) * w + 0.1 * k
    return s * np.sum(x)


@case(vector(1), vector(4, 1), vector(1, 2), 3)
@case(vector(4), vector(1, 1), vector(4, 2), 2)
def three_carried(x, v, a, n):
    for _ in range(n):
        half = v + 0.05 * a
        x = x + 0.1 * half
        a = -np.sin(x)
        v = half + 0.05 * a
    return np.sum(x * v) + np.sum(a)


@case(vector(1), vector(4, 1), 3)
@case(vector(4), vector(4, 1), 3)
def remembers_the_one_before(x, v, n):
    before = x
    for _ in range(n):
        before = x
        x = x + 0.1 * v
        v = v - 0.1 * x
    return np.sum(before) * np.sum(v * x)


@case(vector(1), vector(4, 1), 4)
@case(vector(4), vector(4, 1), 1)
def backwards(x, v, n):
    for k in range(n, 0, -1):
        x = x + 0.1 * v * k
        v = v - 0.1 * x
    return np.sum(x * v)


@case(vector(1), vector(4, 1), 5)
@case(vector(4), vector(4, 1), 5)
def with_a_way_out(x, v, n):
    for k in range(n):
        x = x + 0.1 * v * k
        v = v - 0.1 * x
        if np.sum(x) > 3.0:
            break
    return np.sum(x * v)


@case(vector(1), vector(4, 1), 3)
@case(vector(4), vector(4, 1), 0)
def listed(x, v, n):
    rows = []
    for _ in range(n):
        rows.append(x)
        x = x + 0.1 * v
        v = v - 0.1 * x
    total = np.sum(x)
    for row in rows:
        total += np.sum(row * row)
    return total


@case(vector(1), vector(4, 1), 3)
@case(vector(4), vector(4, 1), 3)
def written_where_it_has_settled(x, v, n):
    for k in range(n):
        x = x + 0.1 * v
        x[0] = math.sin(x[-1]) * k
        v = v - 0.1 * x
        v *= 0.9
    return np.sum(x * v)


@case(vector(1), vector(4, 1), 2)
@case(vector(4), vector(4, 1), 2)
def loops_within_loops(x, v, n):
    total = 0.0
    for i in range(n):
        y = x * (i + 1.0)
        u = v
        for _ in range(i + 1):
            y = y + 0.1 * u
            u = u - 0.1 * np.sin(y)
        total += np.sum(y * u)
    return total


@case(vector(4).astype(np.float32), vector(4, 1), 3)
@case(vector(1), vector(4, 1).astype(np.float32), 2)
def precisions(x, v, n):
    y = x + 0.0 * v
    for _ in range(n):
        y = y + 0.1 * v
        v = v * v
    return np.sum(y * v)


@case(vector(4), vector(1, 1), 3)
@case(vector(1), vector(4, 1), 3)
def chosen_in_the_loop(x, v, n):
    for k in range(n):
        if k % 2 == 0:
            x = x + 0.1 * v
        else:
            v = v - 0.1 * np.sin(x)
    return np.sum(x * v)


@case(vector(1), vector(4, 1), 3)
@case(vector(4), vector(1, 1), 3)
def like_one_of_them(x, v, n):
    for _ in range(n):
        z = np.full_like(x, 0.3)
        x = x + 0.1 * v + z
        v = v - 0.1 * np.ones_like(v) * x
    return np.sum(x * v)


@case(vector(4))
def of_one_array_twice(x):
    a, b = x, x
    for _ in range(3):
        a = a + 0.1 * b
        b = b - 0.1 * np.sin(a)
    return np.sum(a * b)


@case(vector(4), vector(1, 1), 3)
@case(vector(1), vector(4, 1), 3)
def one_from_outside_written(x, v, n):
    w = np.cos(v)
    for k in range(n):
        x = np.sin(x) + w
        w[0] = v[-1] * (k + 1)
    return np.sum(x * x)


@case(vector(4), vector(1, 1), 3)
@case(vector(4), vector(4, 1), 2)
def one_from_outside_written_under_another_name(x, v, n):
    w = np.cos(v)
    u = w[:1]
    for k in range(n):
        x = np.sin(x) + w
        u *= v[0] * (k + 1)
    return np.sum(x * x)


@case(vector(1), vector(4, 1), 3)
@case(vector(4), vector(1, 1), 3)
def begins_as_what_is_written(x, v, n):
    u = np.sin(x)
    y = u
    for k in range(n):
        u[0] = v[0] * (k + 2)
        y = y * v
        v = v * y
    return np.sum(y) + np.sum(v)


@case(vector(4), vector(1, 1), 3)
@case(vector(1), vector(4, 1), 1)
@case(vector(1), vector(4, 1), 0)
@case(vector(4), vector(4, 1), 2)
def in_a_while(x, v, n):
    while n > 0:
        v = v - 0.1 * np.sin(x)
        x = x + 0.1 * v * n
        n -= 1
    return np.sum(x * x) + np.sum(v) * x.size


@case(vector(4), vector(1, 1), 2)
@case(vector(1), vector(4, 1), 1)
@case(vector(1), vector(4, 1), 0)
def surely_in_a_loop_within(x, v, n):
    for i in range(n):
        for k in range(2):
            v = v - 0.1 * np.sin(x) * k
            x = x + 0.1 * v * i
    return np.sum(x * v) + np.sum(x)


@case(vector(4), vector(1, 1), 2)
@case(vector(1), vector(4, 1), 2)
@case(vector(1), vector(4, 1), 0)
def perhaps_in_a_loop_within(x, v, n):
    s = 0.0
    for i in range(n):
        for k in range(i):
            v = v - 0.1 * np.sin(x) * k
            x = x + 0.1 * v
        s += np.sum(x) * np.sum(v)
    return s + np.sum(x)


@case(vector(1), vector(4, 1))
@case(vector(4), vector(1, 1))
def goes_on_by_what_settles(x, v):
    while np.sum(x) < 6.0:
        x = x + 0.5 * v * v
        v = v + 0.1 * x
    return np.sum(x * v)


@case(vector(1), vector(4, 1), 2)
@case(vector(4), vector(1, 1), 2)
@case(vector(1), vector(4, 1), 0)
def with_one_made_of_them(x, v, n):
    a = np.exp(-x) * v
    for _ in range(n):
        x = x + 0.1 * a
        v = v * a
    return np.sum(x) * np.sum(v) + np.sum(a)


@case(vector(1), vector(4, 1), 2, True)
@case(vector(4), vector(1, 1), 2, True)
@case(vector(1), vector(4, 1), 2, False)
def on_one_side(x, v, n, sure):
    y = x * x
    if sure:
        for _ in range(n):
            y = y + 0.1 * v
            v = v - 0.1 * y * x
    return np.sum(y) * np.sum(v)


@case(vector(4), vector(1, 1), 3)
@case(vector(1), vector(4, 1), 2)
@case(vector(4), vector(4, 1), 0)
def written_before_and_afterwards(x, v, n):
    y = x * v
    z = y
    y[0] = 0.5 * x[0]
    v[-1] = y[0]
    for _ in range(n):
        y = y * v + x
        v = v - 0.1 * y
    z[0] += v[0]
    y[-1] = z[0] * v[-1]
    v[0] = y[0]
    return np.sum(y * y) + np.sum(z) + np.sum(v * v)


@case(vector(4), vector(1, 1), 3)
@case(vector(1), vector(4, 1), 2)
@case(vector(4), vector(4, 1), 0)
def written_in_the_loop_under_another_name(x, v, n):
    y = x * v
    z = y
    for k in range(n):
        z[0] += 0.1 * k
        y = y * v + x
        v = v - 0.1 * y
    return np.sum(y * y) + np.sum(z) * np.sum(v)


@case(vector(4), vector(1, 1), 2)
@case(vector(1), vector(4, 1), 2)
@case(vector(4), vector(4, 1), 0)
def viewed_and_written_afterwards(x, v, n):
    u = x * 1.0
    part = u[:]
    for _ in range(n):
        u = u + 0.1 * np.sin(v)
        v = v * u
    part[0] = v[0]
    u[-1] *= 2.0
    return np.sum(u * v) + np.sum(part * part)


@case(vector(4), vector(1, 1), 2)
@case(vector(4), vector(4, 1), 2)
@case(vector(4), vector(4, 1), 0)
def from_outside_and_written_afterwards(x, w, n):
    v = x * 0.5
    w[0] = x[0]
    for _ in range(n):
        x = x + 0.1 * v * w
        v = v - 0.1 * x
    w[0] = v[1]
    return np.sum(x * x) + np.sum(w) * np.sum(v)


@case(vector(4))
def same_shapes_met_again_behind_a_loop(y):
    q = np.full((2, 4, 3), 0.5)
    for _ in range(3):
        for i in range(2):
            q[i, :, 1] *= y
    return np.sum(q[1, :, 1] * y) + np.sum(q[0, :, 0] * y)
