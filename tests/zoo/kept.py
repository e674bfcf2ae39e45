"""Values that the program stores itself: read back where their memory stays as it is, and recorded where it does not."""

import math

import numpy as np

from tests.zoo.case import case, matrix, strided, vector


@case(vector(4), 3)
@case(strided(4), 3)
@case(vector(4), 0)
@case(vector(0), 2)
def rows_stored(x, n):
    path = np.empty((n, x.size))
    y = x * 0.5
    for t in range(n):
        path[t] = y
        y = np.sin(y) * x + y * y
    return np.sum(path * path) + np.sum(y)


@case(vector(4), 3)
@case(vector(4), 1)
def rows_scaled_afterwards(x, n):
    path = np.empty((n, x.size))
    y = x * 0.5
    for t in range(n):
        path[t] = y
        y = np.sin(y) * x
    for t in range(n):
        path[t] *= 2.0 + t
    return np.sum(path * path) + np.sum(y)


@case(vector(4), 3)
def one_entry_of_a_row_changed(x, n):
    path = np.empty((n, x.size))
    y = x * 0.5
    for t in range(n):
        path[t] = y
        y = np.sin(y) * x
        path[t, 1] = y[0] * y[2]
    return np.sum(path * path) + np.sum(y)


@case(vector(4), 5)
def rows_overwritten_in_turn(x, n):
    path = np.zeros((2, x.size))
    y = x * 0.5
    for t in range(n):
        path[t % 2] = y
        y = np.sin(y) * x + path[0]
    return np.sum(path * path)


@case(vector(4), 5)
def last_row_kept(x, n):
    path = np.zeros((2, x.size))
    y = x * 0.5
    for _ in range(n):
        path[1] = y
        y = np.exp(-y) * x
    return np.sum(path * path) + np.sum(y * y)


@case(vector(4), 3)
def row_of_one_number(x, n):
    """The row is what the number is stretched to."""
    path = np.empty((n, x.size))
    y = x[:1] * 0.5
    for t in range(n):
        path[t] = y
        y = np.sin(y) * x[t]
    return np.sum(path * path) + y[0]


@case(vector(4), 3)
def rows_in_single_precision(x, n):
    """What is stored is rounded; what is used is not."""
    path = np.zeros((n, x.size), np.float32)
    y = x * 0.5
    for t in range(n):
        path[t] = y
        y = np.sin(y) * x
    return np.sum(y * y) + int(path[0, 0])


@case(vector(4), 3)
def row_changed_after_it_was_stored(x, n):
    path = np.empty((n, x.size))
    y = x * 0.5
    for t in range(n):
        path[t] = y
        y[1] = y[0] * x[2]
        y = np.sin(y) * x + y * y
    return np.sum(path * path) + np.sum(y)


@case(matrix(3, 4), 2)
def matrices_stored(a, n):
    states = np.empty((n, 2, *a.shape))
    y = a * 1.0
    for t in range(n):
        for k in range(2):
            states[t, k] = y
            y = np.tanh(y) * a + y * y * 0.5
    return np.sum(y) + np.sum(states[1, 0])


@case(vector(4), 3)
@case(vector(4), 0)
def rows_of_a_branch(x, n):
    path = np.zeros((n, x.size))
    s = 0.0
    for t in range(n):
        if t != 1:
            y = np.exp(x * t * 0.3)
            path[t] = y
            s += np.sum(y * y * y)
    return s + np.sum(path)


@case(vector(4), 3)
def rows_from_the_end(x, n):
    path = np.zeros((n, x.size))
    y = x * 0.5
    for t in range(n - 1, -1, -1):
        path[t] = y
        y = np.sin(y) * x + y * y
    return np.sum(y) + np.sum(path[0] * path[n - 1])


@case(vector(5))
def read_stored_and_overwritten(x):
    y = x * 1.0
    before = np.empty(5)
    for i in range(5):
        v = y[i]
        before[i] = v
        y[i] = math.sin(v) * v
    return np.sum(y * before)


@case(vector(5))
def read_and_stored_where_it_changes(x):
    y = x * 1.0
    before = np.empty(5)
    for i in range(5):
        v = y[i]
        before[i] = v
        y[i] = math.sin(v) * v
    for i in range(4):
        before[i] *= before[i + 1]
    return np.sum(y * before)


@case(vector(5))
def read_and_stored_at_one_place(x):
    y = x * 1.0
    last = np.empty(1)
    for i in range(5):
        v = y[i]
        last[0] = v
        y[i] = math.sin(v) * v + last[0]
    return np.sum(y) * last[0]


@case(vector(4), 3)
def terms_of_a_carried_array(x, n):
    """Its adjoint has a term for each of its uses."""
    y = x * 0.5
    for _ in range(n):
        z = np.exp(-y)
        y = y * x + np.sin(y) + z * y
    return np.sum(y * y)


@case(vector(4), vector(4, 1))
def one_array_at_both_places(x, y):
    a = x * y
    a[1] = y[0]
    b = a * a + np.dot(a, a)
    return np.sum(b / (a * a + 1.0)) + np.sum(np.maximum(a, a)) + np.sum(np.outer(a, a))


@case(matrix(2, 3), vector(3))
def one_array_stretched_at_one_of_two_places(a, x):
    b = a * 1.0
    b[0] = x
    return np.sum((b * b) * x * x + b * x)


@case(vector(4), True, True, True)
@case(vector(4), True, False, True)
@case(vector(4), False, True, False)
def array_in_an_inner_branch(x, p, q, r):
    s = x[0]
    if p:
        if q:
            u = np.sin(x)
            w = u[1:]
        s += x[1]
    if p and q:
        s += np.sum(u * x) * np.sum(w * w)
    if r:
        s += x[2]
    return s


@case(matrix(2, 3), vector(3), True)
@case(matrix(2, 3), vector(3), False)
def arrays_of_many_shapes_on_one_side(a, x, p):
    s = x[0]
    if p:
        b = a * x
        c = a.T.copy()
        d = np.dot(a, x)
        e = np.arange(3) * x[1]
    for _ in range(2):
        s = s * x[1]
    if p:
        s += np.sum(b * a) + np.sum(np.dot(b, c)) + np.sum(d * d) + np.sum(e * x)
    return s


@case(vector(4), 3)
def array_on_one_side_of_a_branch_in_a_loop(x, n):
    s = 0.0
    for i in range(n):
        if i > 0:
            u = np.sin(x) * (i + s)
        s += x[i]
        if i > 0:
            s += np.sum(u * u * x)
    return s


@case(matrix(3, 4))
def a_row_in_column_order(a):
    """The product is only asked for its shape by the gradient."""
    b = np.asfortranarray(a)
    return np.sum(b[0] * b[0]) * b[1, 2]


@case(matrix(3, 4))
def a_column_of_the_argument(a):
    return np.sum(a[:, 1] * a[:, 1]) + np.sum(a[:, 2] * a[:, 1])


@case(0.7, matrix(4, 4), matrix(4, 3))
def triangular_of_copies(alpha, a, matrix):
    b = matrix.copy()
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i].copy(), b[i + 1 :, j].copy())
    b *= alpha
    return np.sum(b * b)


@case(matrix(4, 4))
def copies_before_stores(a):
    """What is copied first keeps what was there."""
    b = a * a
    total = 0.0
    for i in range(1, 4):
        row, column = b[i, :i].copy(), b[:i, i].copy()
        b[i, 0] = total
        total += np.dot(row, column)
        b[:, i] = np.dot(b[i, :], b[i].copy()) * a[0]
    return total + np.sum(b)


@case(matrix(3, 5), vector(3))
def columns_of_a_history(start, w):
    h = start * 1.0
    for k in range(1, h.shape[1]):
        h[:, k] = np.tanh(h[:, k - 1] * w + start[:, k])
    return np.sum(h * h)


@case(matrix(3, 5), vector(3))
def columns_that_are_written_again(start, w):
    h = start * 1.0
    for k in range(1, h.shape[1]):
        h[:, k] = np.tanh(h[:, k - 1] * w)
        h[:, 0] = h[:, k] * h[:, 0]
    h[:, 2] = 0.5
    return np.sum(h * h * start)


@case(matrix(3, 5), vector(3))
def columns_that_the_next_iteration_writes(start, w):
    h = start * 1.0
    for k in range(h.shape[1] - 1):
        total = np.exp(h[:, k + 1] * w) + h[:, k] ** 2
        h[:, k] = total
        h[:, k + 1] = total * h[:, k + 1]
    return np.sum(h * start)


@case(matrix(4, 3), vector(3))
@case(matrix(4, 3).astype(np.float32), vector(3).astype(np.float32))
def a_column_stored_before_it_changes(start, w):
    h = np.zeros((3, 4), start.dtype)
    x = np.exp(start[0] * w)
    for k in range(4):
        x = np.sqrt(x * x + start[k] ** 2)
        h[:, k] = x
        x *= w
    return np.sum(h) + np.sum(x)


@case(matrix(3, 4), vector(4))
def products_of_columns(a, w):
    h = np.zeros((4, 3))
    x = a @ w
    for k in range(4):
        x = np.tanh(0.1 * (a @ (a.T @ x)))
        h[k, :] = x
    g = np.zeros((3, 4))
    for k in range(1, 4):
        g[:, k] = np.sin(h[k, :] * h[k - 1, :]) + g[:, k - 1]
    return np.sum(g * a) + h[2] @ h[3]
