"""Names bound again, also to something of another type."""

import math

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(0.7)
def again_and_again(x):
    x = x * x
    x = math.sin(x)
    y = x
    x = x + y * x
    return x * y


@case(0.7)
def integer_to_float(x):
    y = 2
    z = y * x
    y = z * x
    return y * z


@case(vector(4))
def array_to_scalar(x):
    x = x * x
    x = x.sum()
    return math.sin(x)


@case(matrix(3, 2))
def falling_rank(a):
    a = a.sum(axis=0)
    a = a[0] * a[1]
    return a * a


@case(0.7)
def scalar_to_array(x):
    x = np.full(3, x)
    x[1] = x[0] * x[2]
    return x.sum()


@case(0.7, 0.2)
def swap(x, y):
    x, y = y, x * y
    x, y = y - x, y
    return x * y * y


@case(0.7, 0.2, 0.5)
def rotation_in_loop(x, y, z):
    for _ in range(4):
        x, y, z = y, z, x * y + z
    return x * y * z


@case(0.7, 0.2)
def augmented(x, y):
    x += y
    x *= x
    x -= y * x
    x /= 1.0 + y
    x **= 2
    return x


@case(0.7, 0.2)
def inplace_product(x, y):
    y *= x
    y *= y
    return y * x


@case(0.7, 3)
def float_then_integer(x, n):
    y = x * n
    n = n + 1
    y = y * n
    y = y + (n // 2) * x
    return y


@case(vector(3), vector(3, 1))
def arrays_exchanged(x, y):
    t = x
    x = y
    y = t * x
    return np.sum(x * y * y)


@case(vector(3))
def product_in_a_loop_and_its_entries(x):
    y = x
    total = 0.0
    for k in range(3):
        y = y * x
        total += y[k] * y[0]
    return y, total


@case(vector(3))
def two_names_for_one_array_in_a_loop(x):
    a = np.sin(x)
    b = np.cos(x)
    for _ in range(3):
        a = a * np.sin(b)
        b = a
    return np.sum(a * b * b)


@case(vector(4), vector(4, 1), 3)
@case(vector(4), vector(4, 1), 0)
def half_steps(x, v, n):
    """Each array keeps its shape as long as the other does."""
    for _ in range(n):
        v = v - 0.05 * np.sin(x)
        x = x + 0.1 * v
        v = v - 0.05 * np.sin(x)
    return np.sum(x * x) + np.sum(v * v * x)


@case(vector(4), vector(4, 1), 3)
def half_steps_in_a_while(x, v, n):
    while n > 0:
        a = v - 0.05 * x * x
        for k in range(2):
            x, v = x + a * 0.1, a * np.cos(x) + v * k
        n -= 1
    return np.sum(x * x * v)


@case(vector(4), vector(3, 1), 3)
@case(vector(4), vector(3, 1), 2)
def two_lengths_swapped(x, y, n):
    for _ in range(n):
        x, y = np.sin(y), x * x
    return np.sum(x) * y[0] + np.sum(y * y)


@case(vector(6), vector(6, 1), 3)
def one_shorter_and_shorter(x, y, n):
    """The second array is as long as the first, which does not stay as long."""
    for _ in range(n):
        x = x[1:] * x[:-1]
        y = y[1:] + x
    return np.sum(x * y) + np.sum(np.exp(y))


@case(vector(1), vector(4, 1), 3)
def stretched_in_the_loop(x, y, n):
    """One entry in the first iteration, many from the second on."""
    for _ in range(n):
        z = x * 2.0
        x = x + y
        y = y * np.sum(z)
    return np.sum(x * x * y)


@case(matrix(2, 3), vector(3), 3)
def matrix_and_vector_carried(a, x, n):
    for _ in range(n):
        b = a * x
        x = x + b[0]
        a = b + a
    return np.sum(a * x)


@case(vector(6))
def turning_sign_of_some(x):
    total, sign = 0.0, 1.0
    for j in range(x.size):
        if j * j % 3 != 1:
            total += sign * x[j] ** 2
            sign = -sign
    return total * total


@case(vector(6), np.array([3, 0, 2, 5, 1, 4]))
def toggles(x, order):
    taken, flag, bits, place = 0, True, 5, 0
    y = 1.0
    for j in range(x.size):
        y = y * (x[place % x.size] + (0.5 if flag else x[bits % 6]))
        place += order[j] * j
        bits ^= 1 << j
        if order[j] > 2:
            taken = 3 - taken
            flag = not flag
        elif j > 3:
            taken -= order[j]
        y += x[taken % 6]
    return y


@case(vector(5))
def turned_while(x):
    k, sign, y = 0, 1.0, 1.0
    while k < x.size:
        for j in range(k):
            if (j ^ k) & 1:
                sign = -sign
            y = y * (1.0 + sign * x[j]) + sign * x[k]
        k += 1
    return y


@case(vector(6))
def sign_of_a_value(x):
    sign, y = 1.0, 1.0
    for j in range(x.size):
        if y > 1.0:
            sign = -sign
        y = y * (2.0 + sign * x[j])
        if x[j] > 0.3:
            break
    return y
