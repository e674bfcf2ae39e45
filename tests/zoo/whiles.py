"""`while` loops."""

import math

import numpy as np

from tests.zoo.case import case, vector


@case(1.7)
@case(120.0)
def squaring(v):
    while v < 100.0:
        v = v * v
    return v


@case(2.7)
def newton_root(a):
    x = a
    while True:
        step = 0.5 * (x - a / x)
        x = x - step
        if abs(step) < 1e-12:
            break
    return x


@case(0.8, 5)
@case(0.8, 0)
def counted(x, n):
    i = 0
    y = x
    while i < n:
        y = math.sin(y) + x * y
        i += 1
    return y * i


@case(3.3, 0.6)
@case(0.1, 0.6)
def two_conditions(x, w):
    trips = 0
    while x > 0.5 and trips < 20:
        x = x * w
        trips = trips + 1
    return x * trips + w


@case(0.9, 20)
def more_than_one_tape_page(x, n):
    y = x
    k = 0
    while k < 3 * n:
        y = y + 0.05 * math.sin(y * x)
        k = k + 1
    return y


@case(vector(6), 0.45)
def nested_whiles(x, w):
    i = 0
    s = 0.0
    while i < x.size:
        t = x[i]
        while t < 2.0:
            t = t * (1.3 + w)
        s += t * w
        i += 2
    return s


@case(vector(6), 0.4)
def while_in_for(x, w):
    s = 0.0
    for i in range(x.size):
        t = x[i]
        while t < 1.5:
            t = t + w * t
        s = s * w + t
    return s


@case(0.6, 4)
def for_in_while(x, n):
    y = x
    while n > 0:
        for j in range(n):
            y = y * x + 0.1 * j
        n -= 1
    return y


@case(vector(8), 0.9)
def walking_an_index(x, w):
    i = 0
    s = w
    while i < x.size:
        s = s * x[i] + w
        if s > 1.0:
            i = i + 2
        else:
            i = i + 1
    return s


@case(0.7, 9)
def collatz(x, n):
    while n != 1:
        if n % 2 == 0:
            n = n // 2
            x = x * 1.01
        else:
            n = 3 * n + 1
            x = x + 0.01 * x * x
    return x


@case(vector(5), 4)
def inner_loop_grows_its_own_tape(x, n):
    a = x[0]
    for i in range(n):
        m = 0
        while m < 7 + 2 * i:
            m += 1
            a = a * 0.9 + x[i]
            j = 0
            while j < 3:
                a = a + 0.1 * math.sin(a)
                j += 1
        a = a * 0.3
    return a


@case(vector(3), 2)
@case(vector(3), 23)
def in_one_branch(x, n):
    y = x[0]
    if n > 2:
        k = 0
        while k < n:
            y = math.sin(y) * 1.3 + x[k % 3] * y
            k += 1
    else:
        y = y * y
    return y * x[1]


# Numba gives `i` another name in the rest of the loop where the break assigns it.
@case(vector(3))
@case(vector(1))
def counted_before_it_is_left(x):
    i = 0
    s = 1.0
    while True:
        i += 1
        if i >= x.size:
            break
        s += x[i] * x[i - 1] * s + 1.0
    return s


@case(vector(4))
def assigned_where_it_is_left(x):
    i = 0
    s = 1.0
    last = 0.0
    while True:
        i += 1
        if i >= x.size:
            last = s * s
            s = s * 2.0 + i
            break
        s += x[i] * s
        last = s
    return s * last


@case(vector(4))
def left_at_two_places(x):
    i = 0
    s = 1.0
    while True:
        i += 1
        if i >= x.size:
            s = s * 3.0
            break
        s += x[i] * x[i - 1] * s
        if s > 50.0:
            s = s / 7.0
            break
    return s * i


@case(vector(3), 3)
def left_within_a_loop(x, n):
    s = 1.0
    for k in range(n):
        i = 0
        while True:
            i += 1
            if i >= x.size:
                s = s * 0.5
                break
            s = np.sin(s + x[i] * x[i - 1]) + k
    return s


@case(1.5)
def left_at_once(y):
    r = 10
    q = 1
    while True:
        q = r
        r /= y
        break
    return r * 1.0 + q * y


@case(1.5)
@case(0.5)
def left_on_every_path(y):
    r = 10
    while True:
        if y > 1.0:
            r = 3 - y
            break
        r *= y
        break
    return r * r


@case(vector(4))
@case(vector(1))
def left_after_one_round(x):
    while True:
        ys = [math.sin(v) for v in x]
        break
    return sum(ys) / len(ys)


@case(vector(3))
def left_on_each_path(x):
    while True:
        ys = np.sin(x) * x[0]
        if ys[0] > 0.1:
            break
        ys[1] = 0.5 * x[1]
        break
    return ys.sum() * x[1]


@case(vector(3))
def chosen_and_left(x):
    while True:
        if x[0] > 0.0:
            ys = np.sin(x)
            break
        ys = np.cos(x)
        break
    return (ys * x).sum()


@case(vector(3))
def left_within_a_while(x):
    k = 0
    while k < 3:
        ys = x * x[k]
        break
    return ys.sum()


@case(vector(3))
def left_twice_in_a_loop(x):
    total = 0.0
    for i in range(3):
        while True:
            ys = x * x[i]
            while True:
                zs = ys * i
                break
            total += zs[i] * ys[0]
            break
        total += ys[1]
    return total


@case(vector(3))
def returned_from_within(x):
    while True:
        ys = np.exp(x)
        return ys.sum() * x[0]
