"""float32, integers and bools among the floats."""

import math

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(5).astype(np.float32))
def single_elements(x):
    s = 0.0
    for i in range(x.size):
        s += x[i] * x[i] * math.sin(x[i])
    return s


@case(vector(5).astype(np.float32))
def single_array(x):
    y = np.exp(x) * x
    return np.sum(y * y)


@case(vector(5).astype(np.float32), vector(5, 1))
def single_and_double(x, y):
    z = x * y
    return np.sum(z * x) + y[0] * x[1]


@case(vector(5).astype(np.float32))
def single_times_itself_in_double(x):
    wide = x.astype(np.float64)
    return np.sum(x * wide)


@case(matrix(2, 3).astype(np.float32), 0.4)
def single_written(a, w):
    b = a.copy()
    b[0, 1] = b[1, 1] * w
    b[1] *= a[0]
    return np.sum(b * b)


@case(vector(5).astype(np.float32))
def single_result(x):
    return x * x


@case(0.6, 4)
def integer_input(x, n):
    return x * n + n**2 * x / n + n // 3 * x


@case(vector(4), np.array([1, 2, 3, 4]))
def integer_array(x, k):
    return np.sum(x * k) + x[k[0]] * k[1] / 3


@case(vector(4), np.array([True, False, True, True]))
def bool_array(x, keep):
    s = 0.0
    for i in range(4):
        if keep[i]:
            s += x[i] * x[i]
    return s + np.sum(x * keep)


@case(2.6)
def rounded(x):
    k = int(x)
    r = math.floor(x) + math.ceil(x)
    return x * k + r * x + round(x) * x


@case(0.6, 3)
def bool_arithmetic(x, n):
    flag = n > 2
    return x * flag + (x > 0.5) * x * x


@case(0.6)
def true_division_of_integers(x):
    half = 1 / 2
    return x**half + x * (7 // 2) + x * (-7 // 2) + x * (7 % 3)


@case(vector(4))
def integer_through_float(x):
    y = np.zeros(4)
    for i in range(4):
        y[i] = i
    y[1] = 3
    return np.sum(x * y)


@case(0.6, np.int32(3))
def narrow_integer(x, n):
    k = n * 2
    return x * k + x**n


@case(vector(4))
def cast(x):
    y = x.astype(np.float32)
    z = np.float64(y[0]) * x[1]
    return z + np.float64(np.sum(y))


@case(vector(3), vector(3, 1).astype(np.float32))
@case(vector(1), vector(3, 1).astype(np.float32))
def double_added_to_single(x, y):
    """The adjoint of what is added is in its own precision, not in that of the array it is added to."""
    y += x
    return np.sum(y)


@case(vector(3), vector(3, 1).astype(np.complex64))
def double_times_single_complex(x, z):
    """The real part of a contribution in single precision is no double yet."""
    z *= x
    return np.sum(np.abs(z))


@case(vector(3).astype(np.complex128), vector(3, 1).astype(np.complex64))
def complex_added_to_single(w, z):
    z[::-1] += w
    return np.sum(np.abs(z))


@case(vector(2), vector(2, 1).astype(np.float32), vector(2, 2).astype(np.complex64))
def literal_times_single(x, r, c):
    """The adjoint of each product is a literal, which plain Python would take for one in single precision."""
    return 0.1 * np.dot(r, x) + 0.3 * np.sum(r * x) + 0.7 * np.dot(c, x).real + 0.9 * (c[0] * x[1]).real


@case(vector(2), vector(2, 1).astype(np.float32), 0.3)
def a_sine_times_single(x, r, c):
    """What `math` returns is a number of Python's, too, and so is the adjoint that it is."""
    return math.sin(c) * np.sum(r * x) + math.cos(c) * (r @ x)
