"""Arrays written in place: elements, slices, whole arrays, arguments."""

import math

import numpy as np

from tests.zoo.case import case, matrix, strided, transposed, vector, window


@case(vector(5), 0.4)
def element_plus(v, x):
    v = v.copy()
    for i in range(5):
        v[i] = v[i] + x
    return np.sum(v * v)


@case(vector(6), 0.4)
def smooth(x, w):
    y = x.copy()
    loss = 0.0
    for i in range(1, y.shape[0]):
        d = y[i] - w * y[i - 1]
        if d > 0.0:
            loss += d * d
        y[i] = np.tanh(d)
    return loss


@case(vector(5), 0.3)
def relax(x, w):
    y = x.copy()
    for _ in range(3):
        for i in range(1, y.size):
            y[i] = y[i] * y[i] * w + y[i - 1]
    return y.sum()


@case(vector(5), 0.4)
def augmented_elements(x, w):
    y = x.copy()
    for i in range(5):
        y[i] += w * x[i]
        y[i] *= y[i - 1]
        y[i] -= y[0] * w
        y[i] /= 1.0 + w
        y[i] **= 2
    return y.sum()


@case(vector(6), 0.4)
def augmented_slices(x, w):
    y = x.copy()
    y[1:3] += w
    y[::2] *= x[::2]
    y[3:] -= x[:3]
    y[:] /= 1.0 + w
    return np.sum(y * y)


@case(vector(6), 0.4)
def augmented_wholes(x, w):
    y = x * 1.0
    z = y
    y += x
    y *= w
    y -= x * x
    y /= x + 1.0
    return np.sum(z * y)


@case(vector(5))
def changed_between_use_and_reverse(x):
    y = x.copy()
    s = 0.0
    for i in range(5):
        s += math.sin(y[i])
        y[i] = 7.0
    a = y * x
    y[2] = s
    return np.sum(a * y)


@case(vector(5))
def overwritten_without_reading(x):
    y = x * x
    y[:] = 1.0
    y[2] = x[1]
    y[2] = x[3] * x[3]
    return y.sum()


@case(vector(5), 0.4)
@case(strided(5), 0.4)
@case(strided(5, -1), 0.4)
def argument_overwritten(x, w):
    for i in range(1, x.size):
        x[i] = x[i] * x[i - 1] + w
    x *= w
    return x.sum() * x[2]


@case(matrix(3, 4))
@case(transposed(3, 4))
@case(window(3, 4))
def matrix_argument_overwritten(a):
    for i in range(1, 3):
        for j in range(4):
            a[i, j] = a[i - 1, j] * a[i, j]
    a[0] = a[2] * a[0]
    a[:, 1] *= a[:, 2]
    return np.sum(a * a)


@case(vector(4))
def argument_returned_after_writing(x):
    x[1] = x[0] * x[2]
    return x


@case(matrix(3, 4), vector(4, 1), vector(3, 2), 0.4)
def broadcasting_stores(a, row, column, w):
    b = a * a
    b[1:] = row
    b[:, 2] = w
    b += row * w
    b[:, 1:3] *= column[:, None]
    b[0, :] = column[1]
    return np.sum(b * b)


@case(matrix(3, 4), 0.3)
def filled(a, w):
    b = np.empty_like(a)
    b.fill(w)
    b[1] = a[0] * b[1]
    b[0, :] = 0.0
    return np.sum(b * a)


@case(vector(6))
def overlapping_store(x):
    y = x.copy()
    y[1:] = 2.0 * y[:-1] * y[1:]
    y[:-1] = y[1:]
    y[::-1] = y * y
    return np.sum(y * x)


@case(vector(6))
def shift_by_loop(x):
    y = x.copy()
    for i in range(1, 6):
        y[i] = y[i - 1] * x[i]
    for i in range(4, -1, -1):
        y[i] = y[i + 1] * y[i]
    return np.sum(y)


@case(vector(5), np.array([1, 3, 1]))
def scatter_by_loop(x, index):
    y = np.zeros(5)
    for k in range(3):
        y[index[k]] += x[k] * x[k + 1]
        y[index[k]] *= x[4]
    return np.sum(y * y)


@case(vector(6))
def histogram(x):
    bins = np.zeros(3)
    for i in range(6):
        k = int(x[i] * 2.0)
        bins[k] += x[i] * x[i]
    return bins[0] * bins[1] + bins[2]


@case(vector(4))
def read_and_written_in_one_statement(x):
    y = x.copy()
    y[0], y[1] = y[1], y[0] * y[2]
    y[2] = y[2] * y[2] * y[0]
    y[y.size - 1] += y[3] * y[3]
    return np.sum(y)


@case(vector(5))
def integer_index_array_written(x):
    order = np.zeros(5, dtype=np.int64)
    for i in range(5):
        order[i] = (3 * i + 1) % 5
    s = 1.0
    for i in range(5):
        s = s * x[order[i]] + 0.1
        order[i] = 0
    return s


@case(vector(5), 0.4, True)
@case(vector(5), 0.4, False)
def store_in_branch(x, w, flag):
    y = x.copy()
    if flag:
        y[1] = y[0] * y[1] * w
    else:
        y[0] = w * y[1]
        y = y * w
    y[1] = y[1] * y[0]
    return y.sum()


@case(matrix(4, 4))
def lu_in_place(a):
    a = a + 4.0 * np.eye(4)
    for k in range(4):
        for i in range(k + 1, 4):
            a[i, k] /= a[k, k]
            for j in range(k + 1, 4):
                a[i, j] -= a[i, k] * a[k, j]
    return np.sum(a)


@case(vector(5), vector(6, 1))
@case(vector(5), vector(6, 1), 0)
def an_element_at_both_its_indices(x, w, k=0):
    y = np.empty(3)
    total = 0.0
    for i in range(k - 2, 3):
        y[i] = x[i] * x[i]
        total += y[i] * y[i] * w[i + 3]
    for i in range(-2, 3):
        y[i] = y[i] * y[i] * w[i + 3] + x[i]
    return total + np.sum(y)


@case(vector(3))
def both_terms_of_a_sum_read_before(x):
    u = np.cos(x)
    v = np.sin(x)
    s = v[0] * v[1]
    w = v + 1.0
    z = w + u
    return np.sum(z * z) + s


def smoothed_sum(a):
    b = np.empty(a.size)
    b[0] = a[0]
    for i in range(1, a.size):
        b[i] = 0.5 * (b[i - 1] + a[i] * a[i])
    return b


def first_changed(a):
    a[0] = a[1] * a[1]
    return a[0] * 2.0


@case(vector(4))
def added_to_what_a_function_reads(x):
    u = x * x
    u[:] += smoothed_sum(u)
    u[1] += smoothed_sum(u)[2] * u[0]
    return np.sum(u * u)


@case(vector(4))
def added_to_what_a_function_writes(x):
    u = x * x
    u[0] += first_changed(u)
    return np.sum(u * u)


@case(matrix(4, 5))
@case(matrix(2, 1))
def columns_from_those_before(a):
    b = a * 0.5
    for j in range(1, b.shape[1]):
        b[:, j] = b[:, j - 1] * a[:, j] + b[:, j]
    for j in range(b.shape[1] - 2, -1, -1):
        b[:, j] = np.sin(b[:, j + 1]) / (2.0 + b[:, j] ** 2)
    return np.sum(b * b)


@case(matrix(4, 5))
@case(matrix(3, 1))
def columns_from_the_last(a):
    b = a * 0.5
    for j in range(b.shape[1]):
        b[1:, j] = b[:-1, j - 1] * a[1:, j]
        b[:, -1] += b[:, j] * 0.3
    return np.sum(b * b)


@case(vector(3))
def a_row_of_a_matrix_to_a_vector(x):
    w = x.reshape(1, x.size)
    w[0, 1:] = w[:, 0:1]
    return np.sum(w * w)


@case(vector(4))
def a_row_that_overlaps_itself(x):
    w = x.reshape(1, x.size)
    w[0, 1:] = w[:, :-1] * 1.0
    w[0, 1:] = w[:, :-1]
    return np.sum(w * w * np.arange(4.0))


@case(vector(3))
def more_axes_than_the_part(x):
    w = np.zeros((3, x.size))
    w[0] = x.reshape(1, x.size)
    w[1, :] = w[0:1] * 2
    w[2, 1:] = x.reshape((1, 1, x.size))[:, :, 1:]
    return np.sum(w * w)


@case(transposed(3, 3))
def a_row_to_a_column_that_it_crosses(b):
    """With rows that lie apart in memory, NumPy computes what is stored first."""
    b[:, -1] = b[1]
    b[2] = b[:, 0]
    b[:2, 0] = b[0, 1:]
    return np.sum(b * b * np.arange(9.0).reshape(3, 3))


@case(vector(6))
def every_other_entry_from_the_last(x):
    x[::2] = x[2::-1]
    x[:] = x[::-1]
    x[4:] = x[1::3]
    return np.sum(x * x * np.arange(6.0))


@case(vector(3))
def results_of_functions(x):
    y = 2.0 * x
    np.clip(y, 0.7, 1.5, y)
    z = np.ones((3, 3))
    np.outer(x, y, z)
    w = y - 0.5
    w[1] = np.nan
    np.nan_to_num(w, copy=False, nan=2.0)
    return np.sum(y * z) + np.sum(w * x)


@case(vector(3) + 1j * vector(3, 1))
def parts_made_finite(z):
    w = 2.0 * z
    w[1] = np.nan
    np.nan_to_num(w, copy=False)
    return np.sum(np.abs(np.nan_to_num(z * w)) ** 2)


@case(vector(5))
def added_at_by_a_part_of_itself(x):
    y = x.copy()
    np.add.at(y, np.array([1, 2, 3]), y[:3])
    np.multiply.at(y, [4, 0], y[1:3])
    return np.sum(y * y)
