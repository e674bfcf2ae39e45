"""Calls of NumPy with arguments in unusual forms: whole numbers beside floats, lower ranks, masks of several axes, arrays around the function."""

import numpy as np

from tests.zoo.case import case, matrix, vector

COUNTS = np.array([1, 2, 0, 3])
TABLE = np.array([[1, 2, 0], [3, 1, 2]], np.uint8)
ROWS = ((1.26, 0.528, 0.21), (1.151, 1.113, 0.42))
AXES = np.array([[0.3, 0.5, 0.7]])
CHOSEN = np.array([[True, False, True], [False, True, True]])


@case(vector(3))
def product_with_counts_first(x):
    return np.sum(np.kron(COUNTS, x) ** 2)


@case(vector(4), matrix(2, 2))
def products_of_two_kinds(x, y):
    return np.sum(np.kron(TABLE, y) * np.kron(y, TABLE)) + np.sum(np.kron(2, x) * np.kron(x, 3))


@case(vector(2), matrix(2, 3))
def products_of_two_ranks(x, y):
    return np.sum(np.kron(x, y) ** 2) + np.sum(np.kron(y[:, ::2], x) ** 3)


@case(vector(3))
def product_with_axes_around(x):
    return np.sum(np.cross(AXES, x) ** 2) + np.sum(np.cross(x, TABLE) ** 2)


@case(vector(3))
def view_of_an_array_around(x):
    return np.sum(np.asarray(AXES)[0, 1:] * x[1:] ** 2)


@case(matrix(2, 3))
def axes_of_what_a_mask_chooses(x):
    chosen = x[x > 0.1]
    return chosen.ndim * np.sum(chosen**2) + chosen.shape[0]


@case(matrix(2, 3))
def chosen_by_a_mask_around(x):
    chosen = x[CHOSEN]
    return np.sum(chosen[:, None] * np.arange(3.0) * chosen.ndim) + np.mean(x[CHOSEN] ** 2, axis=-1)


@case(matrix(2, 3))
def added_to_where_a_mask_around_holds(x):
    y = x * 1.0
    y[CHOSEN] += 2.0 * x[CHOSEN] ** 2
    return np.sum(y**2)


@case(np.random.default_rng(0).uniform(0.2, 1.2, (2, 3, 2)))
def rows_chosen_by_a_mask_around(x):
    chosen = x[CHOSEN]
    return np.sum(chosen**2 * chosen.ndim)


@case(vector(3), matrix(1, 3))
def rows_listed_for_a_choice(c, x):
    return np.sum(np.where(c > 0.5, x, [[1.26, 0.528, 0.21], [1.151, 1.113, 0.42]]) * x)


@case(vector(3), matrix(1, 3))
def rows_around_for_a_choice(c, x):
    return np.sum(np.where(c > 0.5, x, ROWS) * np.hypot(x, ROWS))


@case(vector(3), matrix(1, 3), ((1.26, 0.528, 0.21), (1.151, 1.113, 0.42)))
def rows_handed_for_a_choice(c, x, rows):
    return np.sum(np.where(c > 0.5, x, rows) * x)


@case(vector(3), np.array([2]))
def each_as_often_as_the_only_count(x, counts):
    y = np.repeat(x, counts)
    return np.sum(y[:-1] * y[1:]) + np.sum(np.repeat(x**2, [3]) * np.arange(9.0))


@case(vector(3))
def vector_turned_by_its_only_axis(x):
    return np.sum(x.transpose(0) * x.transpose(-1) * np.arange(3.0))


@case(np.array([0.1, 0.6, 1.2]))
def lines_between_whole_numbers(points):
    return np.sum(np.interp(np.array([0.3, 0.9]), points, COUNTS[:3]) ** 2)
