"""Programs that random testing once got wrong gradients for, kept as they were found or a little shorter."""

import numpy as np

from tests.zoo.case import case, matrix, transposed, vector, window

COMPLEX = vector(4) + 1j * vector(4, 1)


@case(vector(5), vector(5), matrix(3, 4))
def product_negated_then_added_to(x, y, c):
    for i in range(1, 5):
        for _ in range(y.size):
            a = y**2
            x[0] = a[4]
            c[i % 3, 1] = np.cos(np.dot(a, x))
    return np.sum(c)


@case(vector(5), matrix(3, 4), 0.5)
def rebound_in_while_after_a_store(x, c, s):
    x[1:4] = c[1, :3]
    for _ in range(3):
        w = 0
        while w < 2:
            w += 1
            x = 0.4 * x
        v = 0
        while v < 2:
            v += 1
            s += np.sum(x)
    return s


@case(vector(5), matrix(3, 4), 0.5)
def shadows_from_a_list(x, c, s):
    x[1:4] = c[1, :3]
    w = 0
    while w < 2:
        w += 1
        x = 0.4 * x
    s += np.sum(x)
    return s


@case(vector(3), vector(3), 0.5)
def swapped_then_scaled(x, y, t):
    for _ in range(4):
        for _ in range(3):
            x, y = (y, x)
        y *= t
        t += np.exp(-np.dot(y, y))
    return np.sum(y[:1])


@case(np.array([[2.0, 1.0], [0.5, 3.0]]))
def inverse_used_by_a_sum_in_between(a):
    b = 1.0 * np.linalg.inv(a).T
    s = np.sum(a)
    b[:] += s * np.linalg.inv(a).T
    return b


@case(vector(6))
def packed_triangle(x):
    """The inner loop only fills memory, but its counter also says where: it must not be run forwards."""
    a = np.zeros((4, 4))
    p = 0
    for c in range(4):
        for j in range(c + 1, 4):
            a[j, c] = x[p]
            p += 1
    total = 0.0
    for c in range(4):
        for j in range(4):
            total += (j + 2 * c) * a[j, c] ** 2
    return total


@case(vector(5), vector(5), 4)
def loop_that_never_runs(x, y, k):
    """Numba drops the loop, and with it what it would say of the types of what is appended in it."""
    done = 0
    while done < 5 and done > 1 and k < 3:
        done += 1
        for i in range(2):
            y[4] += np.sum(x * x)
            x[4 - i] *= y[4 - i]
    return x.sum() + y[0]


@case(vector(3), vector(3, 1), 0)
@case(vector(3), vector(3, 1), -1)
def array_chosen_from_a_tuple(x, y, k):
    """Which of the arrays is written is known only while running; neither may be the caller's."""
    p = (x, y)
    p[k][1] = x[0] * y[2]
    for i in range(-2, 2):
        p[i][i % 3] *= p[i + k if i > 0 else k][1]
    return np.sum(x * x) + 3.0 * y[1]


@case(vector(3), vector(3, 1), 1)
def tuple_chosen_from_a_tuple(x, y, k):
    a = 2.0 * x
    p = ((a, y, 3.0), (y, a, x[0]))
    q, r, s = p[k]
    q[0] = r[1] * q[2] * s
    return np.sum(a * a) + r[0] * y[0]


@case(0.5, 0.7, -2)
def number_at_a_negative_place_of_a_tuple(x, y, k):
    p = (x, y, x * y)
    return p[k] * p[k + 1] ** 2


@case(((0.3, 0.4), vector(3)), 0.5)
def array_in_a_tuple_written(p, s):
    """What is written is a copy: the tuple's array is the caller's."""
    (a, b), v = p
    v[0] = a * s
    return v[0] * b + np.sum(v) * a


@case((vector(3), vector(3, 1)))
def arrays_in_a_tuple_written_in_turn(p):
    t = 1.0
    for v in p:
        v[0] *= t
        t += v[0] * v[1]
    return t


@case(COMPLEX)
def imaginary_part_of_written_memory(z):
    """The shadow of an imaginary part is no view: its sign is the other one."""
    a = z.copy()
    a[0] = 2.0 * a[1]
    return np.sum(a.real * a.imag)


@case(COMPLEX, vector(4, 2))
def imaginary_part_written(z, x):
    a = z * x
    v = a.imag
    a[0] = a[1] * v[2]
    v[3] *= a.real[0]
    v[1:3] += x[:2]
    a[2] += v[1]
    v[:2] = v[2:] * x[2]
    for i in range(3):
        v[i] += v[i + 1] * a[i].real
    w = a.imag[::-1]
    w[1:][0] = w[0] * v[0]
    return np.sum(a.real * a.imag * v) + v[0] * w.size


@case(COMPLEX)
def imaginary_part_returned(z):
    a = z.copy()
    a[0] *= 2j
    return a.imag


@case(matrix(3, 4))
def rot90_is_a_view(m):
    a = m.copy()
    b = np.rot90(a)
    c = np.rot90(a, 2)
    b[0, 1] = a[1, 1] * 2.0
    a[2, 2] *= b[1, 0] * c[0, 0]
    c[0, 0] = 2.0 * b[0, 1]
    return np.sum(a * c) + b[0, 0]


@case(matrix(3, 4))
@case(transposed(3, 4))
@case(window(3, 4))
def copied_where_not_in_this_layout(m):
    """Of a strided argument these are copies, of a contiguous one views: the first case has other values than the rest."""
    flat = np.ravel(m)
    rows = np.ascontiguousarray(m)
    m[0, 0] = 5.0 * flat[1]
    flat[2] = rows[1, 1] * m[0, 0]
    return np.sum(flat * flat) + np.sum(rows * m)


@case(transposed(3, 4))
def method_copy_in_row_order(m):
    """The method `copy` leaves the order of a transposed matrix, np.copy does not; so this ravel is a view."""
    n = m.copy()
    flat = n.ravel()
    filled = np.zeros_like(n)
    view = filled.ravel()
    for i in range(view.size):
        view[i] += flat[i] * flat[i]
    other = np.copy(m)
    copied = other.ravel()
    copied[1] = 7.0 * m[0, 0]
    return np.sum(filled * filled * filled) + np.sum(other * copied[1])


@case(matrix(3, 4))
@case(transposed(3, 4))
def in_fortran_order(m):
    b = np.asfortranarray(m)
    b[0, 1] = m[1, 1] * 2.0
    m[2, 2] *= b[1, 0]
    return np.sum(m * m) + np.sum(b)


@case(matrix(3, 3))
def diagonal_taken_before_a_write(m):
    """`np.diag` of a matrix is a view in NumPy and a copy in Numba; the sum reads what was there before."""
    a = m.copy()
    d = np.diag(a) * 1.0
    e = np.diag(a)
    s = np.sum(e * d)
    a[0, 0] = 5.0 * a[1, 1]
    return s + np.sum(d * d) + a[0, 0]


@case(1.3, 5)
def number_of_an_earlier_iteration(x, n):
    total = 0.0
    for i in range(n):
        if i % 2 == 0:
            k = i + 1
        else:
            total += x**2 * k
    return total


@case(1.3, 5)
def tuple_of_an_earlier_iteration(x, n):
    total = 0.0
    for i in range(n):
        if i % 2 == 0:
            t = (x * i, (x, i))
        else:
            total += t[0] * t[1][0] * t[1][1]
    return total


@case(matrix(4, 3), 4)
def shape_of_an_earlier_iteration(a, n):
    total = 0.0
    for i in range(n):
        if i % 2 == 0:
            b = a[i:]
            shape = b.shape
        else:
            total += a[0, 0] ** 2 * shape[0] * shape[1]
    return total


@case(1.3, True)
@case(1.3, False)
def tuple_on_one_path(x, flag):
    if flag:
        t = (x, x * x)
    total = x
    if flag:
        return t[0] * t[1] * total
    return total


def _local_on_one_path(x, i):
    if i % 2 == 1:
        k = np.sin(x * i)
    y = x * i
    if i % 2 == 1:
        y *= k * k
    return y


@case(1.3, 5)
def callee_with_a_local_on_one_path(x, n):
    total = 0.0
    i = 0
    while i < n:
        total += _local_on_one_path(x, i)
        total += 0.1 * _local_on_one_path(0.1 * total, i)
        i += 1
    return total


@case(vector(4))
def written_after_it_was_made_of_an_operation(x):
    total = 0.0
    for k in range(3):
        u = x * k
        u[k] = u[k + 1] * 2.0
        total += np.sum(u * u)
    return total


@case(vector(4), matrix(3, 4))
def written_on_a_branch_after_it_was_made(x, d):
    total = 0.0
    for k in range(3):
        if x[k] > 0.3:
            u = x + d[k]
            u[k] *= u[k + 1]
            v = -u
            v[0] += 1.0
            total += np.sum(u * v * x)
    return total


@case(vector(3), 0.4, 1.3, 3)
def return_that_never_comes(x, s, t, k):
    for i in range(0, 4, 2):
        for j in range(x.size):
            t += x[j] * s
        n = 0
        while n < 5 and k % 2 == 1:
            n += 1
            mode = 2
            if i <= j:
                continue
            for m in range(x.size):
                if mode == 4:
                    return s * m
    return t


@case(vector(5), matrix(3, 4))
def raveled_in_another_order_and_written(x, c):
    a = np.ravel(np.sin(c.T))
    for _ in range(x.size):
        a[11] *= 2.0
        x[0] = a[7]
    return np.sum(x[::2])


@case(vector(4))
def one_array_twice_in_a_list(x):
    a = x.copy()
    arrays = [a, a]
    total = 0.0
    for k in range(2):
        b = arrays[k]
        for i in range(1, b.size):
            b[i] = b[i] * b[i - 1]
            total += arrays[1 - k][i]
    return total


@case(vector(5))
def stored_to_a_part_and_bound_again(y):
    for _ in range(3):
        y[1:4] += np.sin(y[1:4])
        y = np.sin(y)
    return np.sum(y)


@case(matrix(2, 3), 2)
@case(matrix(2, 3), 4)
def arrays_in_a_list_of_one_side(a, n):
    s = 0.0
    if n > 3:
        rows = []
        for i in range(2):
            rows.append(a[i : i + 1] * 1.0)
        for row in rows:
            s += np.sum(row) * np.sum(row * row)
    return s + a[0, 1] * a[1, 2]


@case(matrix(3, 4))
def diagonals_that_are_kept_over_writes(m):
    """What is computed of a diagonal is computed of the entries before the write, also where it is read after it."""
    a = m.copy()
    d = np.diag(a) * 2.0
    e = np.diag(a, -1) + np.diag(a, k=1)[:2]
    a[1] *= a[0]
    a.T[0] -= d
    return np.sum(a * a) * e[1] + d[0]
