"""Branches and conditional expressions."""

import math

import numpy as np

from tests.zoo.case import case, vector


@case(0.5)
@case(-0.5)
def two_sided(x):
    if x > 0.0:
        y = x * x
    else:
        y = -math.sin(x)
    return y * x


@case(0.5, 2.0)
@case(3.0, 2.0)
def swapped_roles(x, y):
    if x > 1.0:
        a = x
        b = y * y
    else:
        b = x
        a = y * y
    return a * a * b


@case(0.5, 3)
@case(0.5, 1)
@case(0.5, -2)
def elif_chain(x, n):
    if n > 2:
        x = x * x
    elif n > 0:
        x = x + 1.0
        x = math.exp(x)
    else:
        x = 3.0
    return x * 2.0


@case(0.5, 1.5)
@case(-0.5, 1.5)
def rebound_condition(x, y):
    if x > 0.0:
        x = -x * y
    if x > 0.0:
        x = x * x * y
    if x <= 0.0:
        y = y * x
    return x * y


@case(0.8, 0.3)
@case(0.2, 0.3)
def conditional_expression(x, y):
    z = x * y if x > 0.5 else y - x
    return (z * z if y > 0.1 else z) * (x if x > y else y)


@case(0.8, True)
@case(0.8, False)
def flag_argument(x, flag):
    if flag:
        return x * x
    return math.cos(x)


@case(0.8, 0.5)
@case(-0.8, 0.5)
@case(-0.8, -0.5)
def boolean_operators(x, y):
    if x > 0.0 and y > 0.0:
        r = x * y
    elif not x > 0.0 or y > 1.0:
        r = x * x * y
    else:
        r = y
    if 0.0 < y < 1.0:
        r = r * x
    return r


@case(0.8)
@case(-0.8)
def early_returns(x):
    if x > 0.5:
        return x * x
    y = x * 3.0
    if y < -1.0:
        return y * x
    return y


@case(0.8, 4)
@case(-0.8, 4)
def nested(x, n):
    y = 1.0
    if n > 2:
        if x > 0.0:
            y = x
            x = y * y
        else:
            y = x * y * 2.0
        x = x * y
    return x + y


@case(vector(4))
@case(-vector(4))
def branch_on_array(x):
    s = x.sum()
    if s > 0.0:
        y = np.exp(x)
    else:
        y = x * x
    return y[0] * y[3] + s


@case(0.4, None)
@case(0.4, 0.7)
def optional_argument(x, scale):
    if scale is None:
        return x * x
    return x * scale


@case(0.7, 1)
@case(0.7, 0)
def assigned_on_one_path(x, n):
    y = x
    if n > 0:
        t = x * x
        y = t * t
    return y * x


@case(0.7, 0.4)
def sine_and_cosine_of_one_angle(x, w):
    if x > 0.0:
        s, c = math.sin(x * w), math.cos(x * w)
    else:
        s, c = x, w
    return s * c + s * w


@case(vector(4), 0.4)
def sine_and_cosine_in_a_loop(x, w):
    s = 0.0
    for i in range(4):
        angle = x[i] * w
        c = np.cos(angle)
        for _ in range(2):
            s = s * c + np.sin(angle)
    return s


@case(vector(4), True, True)
@case(vector(4), True, False)
@case(vector(4), False, False)
def array_on_one_side(x, p, q):
    """Where `p` is false there is no `u`, and no adjoint of it."""
    s = 0.0
    if p:
        u = np.sin(x)
        s += u[0]
    if q:
        s += np.sum(u * u)
    return s


@case(vector(4), True, True)
@case(vector(4), False, False)
def argument_on_one_side(x, p, q):
    s = x[1]
    if p:
        u = x
        s += u[0] * u[2]
    if q:
        for i in range(3):
            s += np.sum(u * u) * x[i]
    return s


@case(vector(4), 3)
@case(vector(4), 0)
def array_set_in_a_loop(x, n):
    s = x[0]
    for i in range(n):
        u = x * (i + s)
        s += u[1]
    if n > 0:
        s += np.sum(u * u)
    return s


@case(vector(4), 2, True)
@case(vector(4), 3, False)
def written_on_one_side(x, n, p):
    s = 0.0
    for i in range(n):
        if p:
            u = x * x
            u[i] = u[i + 1] * s + 1.0
        s += x[i]
        if p:
            s += u[0] * u[i]
    return s


@case(vector(6), 4)
@case(vector(6), 0)
def longer_in_each_iteration(x, n):
    s = 0.0
    for i in range(n):
        if i != 1:
            u = np.sin(x[: i + 2]) * (s + 1.0)
        s += np.sum(u * u) * s + u[0]
    return s


@case(vector(3), vector(5), 4)
def of_two_lengths_in_a_loop(x, y, n):
    s = 0.0
    for i in range(n):
        if i == 2:
            u = x * x
        elif i != 1:
            u = y * (i + 1.0)
        s += np.sum(np.sin(u) * s) + u[1]
    return s


@case(vector(5), 4)
def positions_on_one_side(x, n):
    s = 0.0
    for i in range(n):
        if i % 2 == 0:
            k = np.arange(3) + i // 2
            y = np.exp(x[k])
        s += x[i]
        if i % 2 == 0:
            s += y[1] * np.sum(x[k] * y) * s
    return s


@case(vector(4), 3)
def row_set_in_an_inner_loop(x, n):
    s = 0.0
    for i in range(n):
        v = x[i:] * s
        for j in range(i + 1):
            if j != 1:
                row = v + x[j]
            s += row[0] * s
        s += np.sum(row * row)
    return s


@case(vector(3), True)
@case(vector(3), False)
def array_of_a_side_and_its_entries(x, p):
    if p:
        a = np.sin(x)
        s = a[0] * a[1]
        y = a
    else:
        s = 2.0
        y = np.cos(x)
    return y, s


@case(vector(3), vector(3, 1), 2, True)
@case(vector(3), vector(3, 1), 2, False)
@case(vector(3), vector(3, 1), 0, True)
def written_on_one_side_and_read_in_a_loop(x, w, n, sure):
    if sure:
        y = x * 2.0
        y[0] = w[1]
    s = 0.0
    for i in range(n):
        u = x * w
        u[0] += i
        if sure:
            z = y * u
            s += np.sum(z * z)
            y[1] += s * 0.01
        x = u * np.sin(u)
    return s + np.sum(x)


@case(vector(3), vector(3, 1), 2, True)
@case(vector(3), vector(3, 1), 2, False)
@case(vector(3), vector(3, 1), 0, True)
def made_in_a_loop_on_one_side(x, w, n, sure):
    if sure:
        y = x + w
        y[0] = 1.0
        for _ in range(n):
            y = y * w
            w = w * x
    s = np.sum(w)
    if sure:
        for i in range(n):
            w = y * w
            y[i] += w[0]
        s += np.sum(w)
    return s


@case(vector(3), vector(3, 1), 2, True)
@case(vector(3), vector(1, 1), 1, True)
@case(vector(3), vector(3, 1), 2, False)
def broadcast_in_a_loop_on_one_side(x, w, n, sure):
    if sure:
        for _ in range(n):
            w = w - 0.1 * np.sin(x)
            x = x + 0.1 * w
        q = x * w
        q[0] = 2.0 * q[1]
    else:
        q = w.copy()
    for _ in range(n):
        q = q * 1.1
        if sure:
            x = x * q
    return np.sum(q) + np.sum(x)


@case(vector(4), 3, np.array([1, 3, 5]))
@case(vector(4), 2, np.array([[1, 3], [5, 7]]))
def chosen_by_what_holds_it(x, k, held):
    s = 0.0
    for i in range(x.size):
        if i in range(k, -1, -2) or (i + x[0] * 0.0) in range(1, 2):
            s += x[i] ** 2
        if k not in held:
            s += np.sin(x[i])
    return s
