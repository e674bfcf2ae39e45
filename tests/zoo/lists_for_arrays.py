"""Functions of NumPy that are given lists where they take arrays."""

import numpy as np

from tests.zoo.case import case, matrix


@case(0.7, 1.3)
def polynomials(x, y):
    return np.polyadd([x, y], [1.0, x])[0] * np.polymul([x, y], [1.0, x])[1] + np.sum(np.polyder([x, y, x]))


@case(0.7, 1.3)
def parts(x, y):
    first, second = np.array_split([x, y, x * y], 2)
    return np.sum(first) * second[0] + first[1]


@case(0.7, 1.3)
def chosen(x, y):
    found = np.compress([True, False, True], [x, y, x * y])
    return np.sum(found) * np.extract([True, False], [x, y])[0] + np.sum(np.partition([y, x, x * y], 1)[:1])


@case(0.7, 1.3)
def counted(x, y):
    return np.bincount([0, 1, 1], [x, y, x * y])[1] * np.sum(np.flatnonzero([0.0, x, y]))


@case(0.7, 1.3)
def two_rows(x, y):
    return np.cov([x, y, x * y], [y, x, x])[0, 1] + np.sum(np.trim_zeros(np.array([0.0, x, y, 0.0])))


@case(matrix(3, 2))
def lists_of_entries(a):
    rows = (a * 2.0).tolist()
    rows[0].append(3.0)
    rows[1][0] *= rows[2][1]
    total = max(map(sum, rows)) * np.array(a[0, 1]).tolist()
    for k, row in enumerate(a.tolist()):
        total += row[0] ** k * sum(row)
    return total + rows[0][-1] * rows[1][0] + (a[0] > 0.0).tolist().count(True) * a[0, 0]
