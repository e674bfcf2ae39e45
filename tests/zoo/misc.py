"""The rest: checks, annotations, strings, literal arrays, other iterables."""

import math

import numba
import numpy as np

from tests.zoo.case import case, matrix, vector


def apply_twice(function, x):
    return function(function(x))


def bent(x):
    return x * x + 0.1


@case(0.7)
def guarded(x):
    """The square root of x."""
    if x < 0.0:
        raise ValueError("negative")
    assert x < 10.0
    return math.sqrt(x)


@case(0.7, 3)
def annotated(x: float, n: int) -> float:
    y: float = x * x
    total: float = 0.0
    for _ in range(n):
        total += y * x
        pass
    return total


@case(0.7, "double")
@case(0.7, "square")
def string_argument(x, mode):
    if mode == "square":
        return x * x
    return 2.0 * x


@case(0.7)
def function_as_argument(x):
    return apply_twice(bent, x) * apply_twice(math.sin, x)


@case(0.7, 0.2)
def literal_array(x, y):
    a = np.array([x, y, x * y])
    b = np.array([[x, 1.0], [y * y, x]])
    return np.sum(a * a) + b[0, 0] * b[1, 0] + np.sum(b[1])


@case(matrix(2, 3))
def made_like(a):
    b = np.zeros(a.shape)
    c = np.ones_like(a) * a
    d = np.empty((a.shape[1], a.shape[0]))
    for i in range(2):
        for j in range(len(a[0])):
            b[i, j] = a[i, j] * c[i, j]
            d[j, i] = b[i, j] * a.ndim
    return np.sum(d) + np.sum(b * c)


@case(vector(4))
def other_iterables(x):
    s = 0.1
    for i in np.arange(3):
        s += x[i] * x[i + 1]
    for i in (0, 2):
        s = s * x[i]
    return s


@case(vector(5), 0.3)
def parallel_range(x, w):
    y = np.empty(5)
    s = 0.0
    for i in numba.prange(5):
        y[i] = x[i] * w
        s += y[i] * y[i]
    return s


@case(0.7, 0.2)
def builtins(x, y):
    q, r = divmod(x, y)
    return pow(x, 3) + abs(-y) + q * x + r + max(x, y, 0.5) + float(x) + sum((x, y))


@case(0.7, 4)
def default_arguments(x, n, scale=1.5):
    return x * scale * n


@case(0.7, 3)
def tuple_built_in_branch_in_loop(x, n):
    p = (x, 1.0)
    for i in range(n):
        if i == 1:
            p = (p[1] * x, p[0])
        else:
            p = (p[0] + p[1], p[1] * x)
    return p[0] * p[1]


@case(vector(4))
def constant_array_local(x):
    w = np.array([0.1, 0.2, 0.3, 0.4])
    w[1] = 2.0
    return np.dot(w, x) * w[1]


SHAPE_OF_TAPES = (2, 3)


@case(1.5)
def arrays_called_tapes(x):
    a_tape = np.empty(SHAPE_OF_TAPES)
    b_tape = np.empty(SHAPE_OF_TAPES)
    c_tape = np.empty(SHAPE_OF_TAPES)
    d_tape = np.empty(SHAPE_OF_TAPES)
    for i in range(2):
        for j in range(3):
            a_tape[i, j] = x
            b_tape[i, j] = x * i
            c_tape[i, j] = x * j
            d_tape[i, j] = x * x
    return np.sum(a_tape * b_tape * c_tape * d_tape)
