"""Several names for one piece of memory: aliases, views of views, swaps, buffers that take turns."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(5), 0.4)
def alias(x, w):
    y = x.copy()
    z = y
    z[1] = y[0] * w
    y[2] = z[1] * z[2]
    return np.sum(z * y)


@case(vector(8), 0.4)
def view_of_view(x, w):
    y = x.copy()
    z = y[1:]
    v = z[::2]
    v[1] = y[0] * w
    y[3] *= z[2]
    z[2] += v[1] * v[0]
    v *= w
    return np.sum(y * y) + z[0] * v[2]


@case(matrix(3, 4), 0.4)
def row_written(a, w):
    b = a * a
    row = b[1]
    for j in range(1, 4):
        row[j] = row[j - 1] * w + b[0, j]
    b[1, 2] *= row[3]
    return np.sum(b * b)


@case(matrix(3, 4), 0.4)
def column_written(a, w):
    b = a.copy()
    column = b[:, 2]
    column[1:] = column[:2] * w
    b[0] = b[1] * b[2]
    return np.sum(b * b) + column[0]


@case(matrix(3, 4))
def swap_rows(a):
    b = a.copy()
    for j in range(4):
        t = b[0, j]
        b[0, j] = b[2, j] * a[1, j]
        b[2, j] = t * t
    keep = b[1].copy()
    b[1] = b[0]
    b[0] = keep
    return np.sum(b[0] * b[1] * b[2])


@case(vector(6), 4)
@case(vector(6), 3)
@case(vector(6), 0)
def ping_pong(x, n):
    a = x.copy()
    b = np.zeros_like(x)
    for _ in range(n):
        for i in range(1, 5):
            b[i] = a[i - 1] * a[i] + 0.5 * a[i + 1]
        a, b = b, a
    return np.sum(a * a) + b[1]


@case(vector(6), 4)
def ping_pong_of_argument(x, n):
    y = np.ones(6)
    for _ in range(n):
        for i in range(1, 6):
            y[i] = np.sin(x[i - 1]) * y[i]
        x, y = y, x
    return np.sum(x * y)


@case(vector(5), 4)
def buffer_reused(x, n):
    t = np.empty(5)
    s = 0.0
    for k in range(n):
        for i in range(5):
            t[i] = x[i] * x[i] + k * s
        for i in range(4):
            s += t[i] * t[i + 1] * 0.1
    return s


@case(vector(5), 3)
def fresh_each_iteration(x, n):
    s = 0.3
    for _ in range(n):
        t = np.zeros(5)
        for i in range(5):
            t[i] += x[i] * s
            t[0] = t[0] * t[i] + 0.1
        s = np.sum(t)
    return s


@case(vector(5), 3)
def array_carried(x, n):
    y = x
    for _ in range(n):
        y = y * x + np.sin(y)
    return np.sum(y)


@case(vector(5), 3)
def carried_then_written(x, n):
    y = x.copy()
    for k in range(n):
        z = y * x
        y[k] = z[k] * z[k + 1]
        y = z + y
    return np.sum(y)


@case(vector(6), True)
@case(vector(6), False)
def alias_on_branches(x, flag):
    a = x * 2.0
    b = x * x
    if flag:
        c = a
    else:
        c = b
    c[1] = c[0] * c[2]
    return np.sum(a * b) + c[1]


@case(vector(6))
def overlapping_views(x):
    y = x.copy()
    low = y[:4]
    high = y[2:]
    for i in range(4):
        low[i] = high[i] * low[i]
        high[i] += low[3 - i]
    return np.sum(y * y)


@case(vector(6))
def reversed_view(x):
    y = x.copy()
    z = y[::-1]
    for i in range(6):
        z[i] = y[i] * 1.5 + z[i] * z[i]
    return np.sum(y * x)


@case(vector(6))
def reshaped_view(x):
    y = x.copy()
    b = y.reshape(2, 3)
    b[1, 0] = b[0, 1] * y[5]
    y[4] = b[1, 0] * b[1, 1]
    return np.sum(b * b)


@case(matrix(3, 3))
def transposed_view(a):
    b = a.copy()
    t = b.T
    for i in range(3):
        for j in range(i):
            t[i, j] = b[i, j] * t[j, j]
    return np.sum(b * a)


@case(matrix(4, 3))
def view_in_loop(a):
    b = a.copy()
    for i in range(1, 4):
        row = b[i]
        above = b[i - 1]
        row[0] = above[0] * row[1]
        above[2] = row[2] * row[0]
    return np.sum(b * b)


@case(vector(5))
def copy_is_no_alias(x):
    y = x.copy()
    z = y.copy()
    z[0] = y[1] * y[1]
    y[0] = z[0] * z[2]
    return np.sum(y * z)


@case(vector(5), vector(5, 1))
def same_array_twice(x, y):
    def step(a, b):
        a[0] = b[0] * b[1]
        b[1] = a[0] * a[1]

    z = x * y
    step(z, z)
    step(z, z[1:])
    return np.sum(z)


@case(vector(4), 0.6)
def two_rows(x, w):
    memory = np.zeros((2, x.size))
    for i in range(x.size):
        memory[0, i] = x[i]
        memory[1, i] = w
    for _ in range(3):
        top, bottom = memory[0], memory[1]
        for i in range(x.size):
            kept = bottom[i]
            bottom[i] = top[i] * kept
            top[i] = kept * kept * x[i]
    return np.sum(memory * memory)


@case(vector(4), 0.6)
def even_and_odd(x, w):
    y = np.zeros(2 * x.size)
    for i in range(x.size):
        y[2 * i] = w * x[i]
        y[2 * i + 1] = y[2 * i] * y[2 * i]
    return np.sum(y * y)


@case(vector(4), 0.6)
def one_row_twice(x, w):
    memory = np.zeros((2, x.size))
    for i in range(x.size):
        memory[0, i] = x[i]
    for _ in range(3):
        whole, part = memory[0], memory[0, 1:]
        for i in range(part.size):
            part[i] = whole[i] * part[i] * w
    return np.sum(memory * memory)


@case(matrix(3, 3))
def diagonal_of_written_memory(a):
    b = a * 2.0
    b[0] *= a[1]
    return np.sum(np.diagonal(b) * b[2]) + np.sum(b.diagonal(1))


@case(matrix(3, 3), 2)
def broadcast_of_written_memory(a, n):
    b = a * 2.0
    total = 0.0
    for i in range(n):
        v = np.broadcast_to(b, (2, 3, 3))
        total += np.sum(v * np.arange(18.0).reshape(2, 3, 3))
        b[i] *= a[1] * total
    rows, _ = np.broadcast_arrays(b[0], b)
    return total + np.sum(rows * b)


@case(matrix(3, 3))
def resized_copy_of_written_memory(a):
    b = a * 2.0
    v = np.resize(b, (2, 3))
    b[0] *= a[1]
    return np.sum(v * b[:2])


@case(matrix(2, 3))
def array_of_an_array_is_a_copy(a):
    b = np.array(a)
    c = np.array(b[0])
    d = np.einsum("ij->ij", b)
    b[0] *= a[1]
    d[1] += c
    return np.sum(b * b) + c @ np.diff(b[0], n=0)


@case(vector(3))
def turned_twice(x):
    y = x * 1.0
    if x.size > 1:
        c = x.reshape(3, -1) * 2.0
        c[0] *= 3.0
        y = np.reshape(c, x.shape)
    z = y.T.T
    z[1] *= 2.0
    return np.sum(z * 3.0)
