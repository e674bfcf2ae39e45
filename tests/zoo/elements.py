"""Elements, slices, rows and columns that are read."""

import numpy as np

from tests.zoo.case import case, matrix, strided, transposed, vector, window


@case(vector(5))
@case(strided(5))
@case(strided(5, -1))
def elements(x):
    return x[0] * x[1] + x[-1] * x[0] + x[x.size - 2]


@case(matrix(3, 4))
@case(transposed(3, 4))
@case(window(3, 4))
def matrix_elements(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j] * a[i - 1, j - 1] + a[i][j]
    return s * a[-1, 0]


@case(matrix(3, 4))
@case(transposed(3, 4))
@case(window(3, 4))
def row_and_column(a):
    return np.sum(a[0, :] * a[1, :]) + np.sum(a[:, 1] * a[:, -1]) + a[2].sum()


@case(vector(8))
@case(strided(8, -2))
def slices(x):
    return np.sum(x[1:] * x[:-1]) + np.sum(x[::2] * x[1::2]) + x[2:5].sum() * x[-3:].sum()


@case(vector(8))
def negative_step_slices(x):
    return np.sum(x[::-1] * x) + np.sum(x[6:1:-2] ** 2) + x[::-3][1]


@case(vector(7), 2, 6)
@case(vector(7), 3, 3)
@case(vector(7), 5, 99)
@case(vector(7), -4, -1)
def computed_slices(x, first, last):
    y = x[first:last]
    return np.sum(y * y) + x[0]


@case(vector(4), vector(3, 1))
def new_axes(x, y):
    a = x[:, None] * y[None, :]
    return np.sum(a * a)


@case(matrix(3, 4))
def ellipsis(a):
    return np.sum(a[..., 1] * a[..., 2]) + a[0, ...].sum()


@case(vector(5), np.array([3, 0, 3, 1]))
def gather_by_loop(x, index):
    s = 0.5
    for k in range(index.size):
        s = s * x[index[k]] + x[index[k] + 1]
    return s


@case(vector(5), np.array([3, 0, 3, 1]))
def gather(x, index):
    y = x[index]
    return np.sum(y * y * y)


@case(np.array(0.7))
def zero_dimensional(x):
    return x[()] * x[()] + 2.0


@case(np.zeros(0))
@case(vector(1))
def nothing_or_one(x):
    s = 1.0
    for i in range(x.size):
        s += x[i] * x[i]
    return s + x.sum()


@case(np.zeros((0, 3)))
@case(np.zeros((3, 0)))
@case(matrix(2, 2))
def empty_matrix(a):
    return np.sum(a * a) + 1.0


@case(np.random.default_rng(5).uniform(0.2, 1.2, (2, 3, 4)))
def three_axes(a):
    s = 0.0
    for i in range(2):
        plane = a[i]
        for j in range(3):
            s += plane[j, i] * a[1 - i, j, 3]
        s += np.sum(a[i, :, 1] * a[i, :, 2])
    return s


@case(vector(6))
def compress(x):
    s = 0.0
    y = np.empty(6)
    k = 0
    for i in range(6):
        if x[i] > 0.6:
            y[k] = x[i] * x[i]
            k += 1
    for i in range(k):
        s += y[i] * (i + 1.0)
    return s


@case(vector(6))
@case(np.zeros(0))
def returns_array(x):
    return np.sin(x) * x


@case(vector(6))
def returns_the_argument(x):
    return x


@case(vector(6))
def returns_view(x):
    return x[::-2]


@case(vector(4), 0.3)
def read_after_written(x, w):
    y = x.copy()
    s = 0.0
    for i in range(4):
        y[i] = w * y[i] * y[i]
        s += np.sin(y[i]) * y[i]
        y[i] += 0.5
        s += y[i] * y[i]
    return s


@case(vector(4), 0.3)
def read_again_after_another_name_wrote(x, w):
    y = x.copy()
    head = y[:2]
    s = y[1] * w
    head[1] = y[1] * y[1]
    return s + y[1] * y[1]


@case(vector(4), 0.3)
def read_around_a_loop_that_writes(x, w):
    y = x.copy()
    s = y[0] * y[0]
    for i in range(3):
        s += y[0] * y[i + 1]
        y[i] = w * y[i] * s
    return s * y[0]


@case(vector(4), 0.3)
def read_around_a_branch_that_writes(x, w):
    y = x.copy()
    s = y[0] * w
    for i in range(4):
        first = y[0] * y[0]
        if y[i] > 0.2:
            y[0] = s * y[i]
        s += first * y[0]
    return s


@case(vector(4), 0.3)
def read_in_a_while_that_writes(x, w):
    y = x.copy()
    k = 0
    s = y[0]
    while y[0] < 3.0 and k < 5:
        s += y[0] * y[k % 4]
        y[0] = y[0] + 1.0 + w * s
        k += 1
    return s * y[0]


@case(np.array(0.7))
def zero_dimensional_product(x):
    """NumPy and Numba give a number for it."""
    y = x * 2.0
    return y * np.sum(x * x) + np.mean(x)


@case(np.array(0.7), vector(3))
def zero_dimensional_beside_a_vector(x, v):
    y = x * v
    z = np.copy(x)
    return np.sum(y * x) + np.exp(x) * np.max(x) + z[()] * v[1]


@case(np.array(0.7), vector(3))
def zero_dimensional_written(x, v):
    w = x.copy()
    w[()] *= v[0] * x[()]
    u = v.copy()
    u[1] = w[()]
    return np.sum(u) * np.sum(w) * np.mean(x)


@case(np.array(0.7))
def zero_dimensional_reshaped(x):
    z = x.reshape(1)
    return z[0] * z[0] * np.maximum(x, 0.5)


@case(np.array(0.7), 3)
@case(np.array(0.7), 0)
def zero_dimensional_in_a_loop(x, n):
    y = np.zeros_like(x)
    for i in range(n):
        y[()] += x * i * y + x
    return y[()] * 2.0


@case(np.array(0.7), 2)
def zero_dimensional_carried(x, n):
    y = x
    for i in range(n):
        z = np.zeros_like(x)
        z[()] = np.sin(y) * (x + i)
        y = z
    return np.sum(y * y)


@case(vector(2))
def zero_dimensional_of_a_number(v):
    s = np.array(v[0] * v[1])
    w = np.asarray(v[1] * v[1])
    s[()] *= 2.0
    return s * s + np.sum(s) * w * v[0] + np.array(2.0)[()]
