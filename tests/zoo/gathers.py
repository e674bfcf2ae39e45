"""Index arrays and masks: reads and writes at positions that the run decides, positions that repeat."""

import numpy as np

from tests.zoo.case import case, matrix, transposed, vector, window

CUBE = np.linspace(0.2, 1.3, 24).reshape(2, 3, 4)
PLACES = np.array([3, 1, 1, 0])
PAIRS = np.array([[0, 1, 1], [1, 4, 1]])
WEIGHTS = np.linspace(0.5, 1.5, 12).reshape(3, 4)
ROWS = np.array([2, 0, 2])


@case(vector(5), PLACES)
def vector_read(x, index):
    return np.sum(x[index] ** 3)


@case(vector(5), PAIRS)
def vector_read_at_matrix(x, index):
    return np.sum(x[index] ** 3 * index) + np.sum(np.take(x, index)[1] ** 2)


@case(matrix(4, 4), PLACES)
@case(transposed(4, 4), PLACES)
@case(window(4, 4), -PLACES)
def rows_and_columns(a, index):
    return np.sum(a[index] ** 3) + np.sum(a[:, index] ** 2 * a) + np.sum(a[index, 1:3] * a[1:3, index].T)


@case(matrix(4, 4), PLACES)
def one_row(a, index):
    return np.sum(a[1, index] ** 3) + np.sum(a[index, -1] * a[index, index[0]])


@case(matrix(4, 4), PLACES)
def labels(scores, label):
    picked = scores[np.arange(4), label]
    return np.sum(np.log(np.sum(np.exp(scores), axis=1))) - np.sum(picked * picked)


@case(matrix(4, 4), PLACES[:, None])
def broadcast_positions(a, index):
    return np.sum(a[index, PLACES] ** 2 * a)


@case(CUBE, ROWS)
def cube_positions(c, index):
    d = c * c
    d[:, index, 1] = c[1, 0, 1]
    d[1, :, index] *= c[0, 1, 2]
    return np.sum(d[..., index] ** 2) + np.sum(d[0, index] * c[1]) + np.sum(c[1, :, index] ** 3)


@case(vector(5), vector(4, 1), PLACES)
def last_store_wins(x, y, index):
    z = x * x
    z[index] = y
    z[index] += y * y
    z[index[:2]] *= 3.0
    return np.sum(z * x)


@case(vector(5), np.array([0.7]), PLACES)
def one_value_everywhere(x, y, index):
    z = x * x
    z[index] = y
    return np.sum(z * x)


@case(matrix(4, 4), vector(4, 1), PLACES)
def rows_stored(a, y, index):
    b = a * a
    b[index] = y
    b[index] *= y
    b[:, index] = y * b[0]
    b[1, index] -= y[0]
    b[index, np.arange(4)] *= y
    return np.sum(b * a)


@case(vector(5))
def positions_of_the_same_array(x):
    z = x * x
    z[PLACES] = z[1:]
    z[PLACES[:3]] = z[::2][::-1]
    return np.sum(z * x)


@case(vector(6))
def computed_positions(x):
    index = (x * 5.0).astype(np.int64) % 6
    y = x.copy()
    y[index] = x * x
    return np.sum(x[index] * y)


@case(vector(5), np.array([4, 0, 2, 1, 3]))
def permuted_and_back(x, order):
    y = x[order]
    z = np.empty_like(x)
    z[order] = y * y
    return np.sum(z * x)


@case(vector(5), vector(5, 1))
def vector_masked(x, y):
    z = x * y
    z[x > 0.6] = 0.5
    z[y > 0.9] = y[y > 0.9] ** 2
    z[x < 0.5] *= x[0]
    return np.sum(z * z) + np.sum(x[x > 0.6] ** 2)


@case(matrix(3, 4), 0.4)
@case(window(3, 4), 0.4)
def matrix_masked(a, w):
    b = a * a
    b[a > 0.9] = w
    b[a > 0.6] *= w
    b[a < 0.3] += b[b > 0.1][0] * w
    return np.sum(b * b) + np.sum(a[a > 0.7] ** 2)


@case(matrix(3, 4))
def rows_and_columns_masked(a):
    b = a * a
    b[a[:, 0] > 0.5] = a[0]
    b[1, a[0] > 0.5] = 0.1
    b[:, a[1] > 0.8] *= 2.0
    return np.sum(b[a[:, 1] > 0.4] ** 2) + np.sum(b[:, a[0] > 0.5] ** 3)


@case(matrix(3, 4))
def positions_of_a_condition(a):
    (k,) = np.nonzero(a[0] > 0.6)
    i, j = np.where(a > 0.6)
    s = np.sum(a[0][k] ** 2)
    for n in range(i.size):
        s += a[i[n], j[n]] ** 3
    return s + np.sum(a[i, j] * 0.5)


@case(matrix(3, 4), vector(4))
def global_arrays(a, x):
    s = np.sum(WEIGHTS * a) + np.sum((WEIGHTS @ x) ** 2) + np.sum(WEIGHTS[1] * x)
    return s + np.sum(a[ROWS] ** 2) + np.sum(WEIGHTS[ROWS, 1] * a[:, 0]) + WEIGHTS[1, 2] * x[0]


@case(vector(6))
def overwritten_at_computed_places(x):
    y = x.copy()
    s = 0.0
    for t in range(4):
        for i in range(6):
            k = int(y[i] * 7.0 + t) % 6
            s += np.sin(y[k]) * y[i]
            y[k] = np.cos(y[k]) * y[(k + 1) % 6] + 0.1
    return s + np.sum(y)


@case(matrix(4, 3), np.array([[0, 2], [3, 1], [0, 3]]))
def embedding(table, words):
    s = 0.0
    for t in range(words.shape[0]):
        h = table[words[t]]
        table[words[t, 0]] = h[1] * 0.5
        s += np.sum(np.tanh(h) ** 2)
    return s


@case(matrix(3, 4))
def flat_positions(a):
    b = a * a
    b.flat[3] = a[0, 0]
    b.flat[5:7] *= 2.0
    return np.sum(b * a) + b.flat[2] ** 2 + a.flat[np.argmax(a)]


@case(matrix(3, 4))
def flat_of_a_column(a):
    b = a * a
    column = b[:, 1].flat
    column[0] = a[2, 2] * 3.0
    b[1, 1] = a[0, 0]
    return np.sum(b * a) + column[0] * column[1]


@case(matrix(3, 4), vector(4, 1))
def out_operand(a, y):
    z = np.zeros((3, 4))
    w = np.empty(3)
    np.multiply(a[1], y, z[0])
    np.exp(z[0], z[0])
    np.add(a[2], y, out=z[1, :])
    np.dot(a, y, w)
    v = np.add(z, y, z)
    return np.sum(z * a * v) + np.sum(w * w)


@case(matrix(3, 3), matrix(5, 6))
@case(matrix(1, 3), matrix(5, 6))
def a_filter_over_windows(w, x):
    total = 0.0
    for i in range(x.shape[0] - 2):
        for j in range(x.shape[1] - 2):
            z = np.sum(w * x[i : i + 3, j : j + 3])
            total += z * z
    return total


@case(matrix(3, 3), matrix(5, 6))
@case(matrix(1, 3), matrix(5, 6))
def a_filter_over_windows_that_it_writes(w, x):
    total = 0.0
    for i in range(x.shape[0] - 2):
        for j in range(x.shape[1] - 2):
            z = np.sum(w * x[i : i + 3, j : j + 3])
            x[i + 1, j + 1] = np.sin(z)
            total += z * z
    return total


STEPS = np.array([0, 1, 2, 4])


@case(vector(4))
def interpolated_between_whole_numbers(x):
    return np.sum(np.interp(3.0 * x, STEPS, STEPS[::-1] ** 2) ** 2)


PICKED = np.array([[True, False, True, True], [False, True, True, False], [True, False, False, True]])


@case(CUBE, PICKED)
def mask_of_the_last_axes(c, picked):
    d = c * c
    d[:, picked] *= c[:, picked]
    d[..., picked] -= d[:, picked].mean()
    d[1, picked] = c[0, picked] ** 3
    return np.sum(d**2 * c)


@case(CUBE.reshape(3, 4, 2), PICKED)
def mask_of_the_first_axes(c, picked):
    d = c * c
    d[picked] *= c[picked]
    d[picked, 1] += np.sin(c[picked, 0])
    return np.sum(d**3) + np.sum(c[picked][:, 1] ** 2 * c[picked, 0])


@case(matrix(4, 2), np.array([[0, 1, 3], [1, 3, 2]]))
def rows_of_what_is_read_in_a_loop(points, corners):
    total = 0.0
    for corner in corners:
        p = points[corner]
        sides = np.array([p[1] - p[0], p[2] - p[0]])
        np.add.at(p, ([0, 2], 1), np.linalg.det(sides))
        squares = np.array([[p[0], p[1]], [p[1], p[2]]])
        total += np.sum(np.array([p[:, 1], p[:, 0] * 2.0], dtype=np.float64) ** 3) * np.sum(
            squares[0, 1] ** 2
        )
    return total


@case(CUBE, np.array([0, 2, 2]))
def dots_of_no_axis_beside_positions(c, places):
    """In NumPy they stand apart, so that the axis of the positions is the first."""
    rows = c[:, places, ..., 1]
    d = c * c
    d[:, places[:2], ..., 0] = rows[:2] ** 2
    return rows[1, 0] + 10.0 * rows[0, 1] + np.sum(d * c)


@case(matrix(3, 4), np.array([0, 2, 2]))
def new_axes_beside_positions(a, places):
    far = a[places, None] - a[None, places]
    one = a[:, places, None] * a[0, places, None]
    return np.sum(far**2) + np.sum(one * a[:, None, 1:]) + np.sum(a[places, None, 0] ** 3)
