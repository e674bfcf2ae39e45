"""`break`, `continue` and `return` inside loops."""

import math

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(0.9, 10)
@case(0.9, 2)
def break_on_value(x, n):
    y = x
    for _ in range(n):
        y = y * (1.0 + x)
        if y > 3.0:
            break
        y = y + 0.1 * x
    return y * x


@case(vector(7))
def break_first(x):
    s = 0.3
    for i in range(x.size):
        if i == 4:
            break
        s = s * x[i] + math.sin(x[i])
    return s * x[i]


@case(0.9, 6)
def continue_in_loop(x, n):
    y = x
    for i in range(n):
        if i % 3 == 1:
            continue
        y = y * x + 0.1 * i
    return y


@case(vector(7))
def continue_after_change(x):
    s = 1.0
    for i in range(x.size):
        s = s * x[i]
        if s < 0.5:
            s = s + x[i]
            continue
        s = math.sqrt(s) * x[0]
    return s


@case(0.4, 20)
@case(5.0, 20)
@case(0.4, 0)
def return_from_loop(x, n):
    for i in range(n):
        x = x * 1.3
        if x > 2.0:
            return x * x * i
    return x


@case(matrix(4, 4))
def return_from_inner_loop(a):
    s = 0.0
    for i in range(4):
        for j in range(4):
            s = s + a[i, j] * a[j, i]
            if s > 2.5:
                return s * a[i, j]
        s = s * 0.9
    return s * 0.5


@case(matrix(4, 5))
def exits_in_both_loops(a):
    s = 0.1
    for i in range(4):
        if i == 1:
            continue
        for j in range(5):
            if (i + j) % 4 == 2:
                continue
            if i + j > 5:
                break
            s = s * a[i, j] + a[i, 0]
        if s > 3.0:
            break
        s = s + a[i, 4] * s
    return s


@case(0.8, 7)
def all_three(x, n):
    y = x
    k = 0
    while k < n:
        k += 1
        if k == 2:
            continue
        y = math.sin(y) + x
        if k == 5:
            break
        if y < 0.0:
            return y * y
    return y * k


@case(0.8, 5)
def break_two_ways(x, n):
    y = x
    for i in range(n):
        if i == 3:
            y = y * 2.0
            break
        elif y > 10.0:
            y = x
            break
        else:
            y = y * y + x
    return y


@case(0.8, 5)
@case(0.8, 2)
def for_else(x, n):
    y = x
    for i in range(n):
        y = y * x + 0.3
        if i == 3:
            break
    else:
        y = y * 10.0 * x
    return y


@case(0.8)
@case(60.0)
@case(-1.0)
def break_behind_else_of_inner_loop(x):
    y = x
    if x > 0.0:
        while True:
            y = y * 2.0
            if y > 50.0:
                return y * y
            for _ in range(3):
                if y < 10.0:
                    break
            else:
                break
    return y * x


@case(0.4)
@case(3.0)
@case(-1.0)
def return_behind_else_of_loop(x):
    y = x
    if x > 0.0:
        for _ in range(3):
            if y > 5.0:
                break
            y = y * 2.0
        else:
            return y * y * 7.0
    return y * x


@case(0.4)
@case(3.0)
def return_behind_else_of_while(x):
    y = x
    with np.errstate(all="ignore"):
        while y < 1.0:
            y = y * 2.0
            if y > 3.0:
                break
        else:
            return y * x
    return y


@case(0.2)
@case(0.7)
@case(3.0)
def break_past_else_of_outer_loop(x):
    y = x
    for k in range(4):
        for _ in range(2):
            if y > 4.0:
                break
            y = y * 1.5
        else:
            if k > 1:
                break
        with np.errstate(all="ignore"):
            if y > 9.0:
                break
        y = y + x
    else:
        return y * y * 5.0
    return y * x


@case(0.8, 3)
def break_in_while_true(x, n):
    k = 0
    while True:
        for j in range(4):
            if j > k:
                break
            x = x + 0.1 * x * x
        k += 1
        if k > n:
            break
    return x


@case(vector(5), 0.4)
def break_keeps_stores(x, w):
    y = x.copy()
    for i in range(1, 5):
        y[i] = y[i - 1] * y[i] + w
        if i == 3:
            y[0] = y[i] * w
            break
        y[i - 1] = y[i] * y[i]
    return y[0] * y[1] + y[2] * y[3] + y[4]


@case(vector(3), 0.4)
def never_left_by_a_remainder(x, t):
    for _ in range(1, 3):
        for _ in range(1, 5):
            k = 0
            if k % 2 == 1:
                return t
    return np.dot(x, x) * t


@case(vector(4))
def left_by_a_kind(x):
    failed = False
    s = x[0]
    for i in range(4):
        s = s * (x[i] + 1.0)
        if isinstance(s, float) and s > 3.0:
            failed = True
            break
    return s * (2.0 if failed else 1.0)
