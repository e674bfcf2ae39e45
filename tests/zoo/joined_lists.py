"""Arrays that are joined of lists which a loop fills."""

import numpy as np

from tests.zoo.case import case, vector


@case(vector(3))
def vectors(x):
    rows = []
    for k in range(1, 4):
        rows.append(x * k)
    deep, columns = np.dstack(rows), np.column_stack(rows)
    return np.sum(np.sin(deep[0, 1]) * columns[0]) + np.sum(np.hstack(tup=rows)[2:5] ** 2)


@case(vector(3))
def matrices(x):
    parts = []
    for k in range(2):
        parts.append(np.outer(x, x) + k)
    deep = np.dstack(parts)
    return (
        np.sum(deep[1] * deep[2]) + np.sum(np.concatenate(parts, axis=None)[3:15:2]) + np.vstack(parts)[4, 1]
    )


@case(vector(4))
def numbers(x):
    found = []
    for v in x:
        found.append(v * v)
    return (
        np.vstack(found)[2, 0] * np.column_stack(found)[0, 1]
        + np.dstack(found)[0, 0, 3]
        + np.sum(np.hstack(found))
    )


@case(vector(4))
def lists_of_numbers(x):
    rows = []
    for k in range(2):
        rows.append([x[k], x[k + 1] * x[k], x[3]])
    flat = np.concatenate(rows)
    return np.sum(flat * flat[::-1]) + np.column_stack(rows)[1, 1] * np.hstack(rows)[4]
