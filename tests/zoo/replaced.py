"""Lists of arrays and of lists that lose entries or have them replaced: rows exchanged, stacks and queues of arrays."""

import numpy as np

from tests.zoo.case import case, vector


@case(vector(6))
def elimination_with_exchanged_rows(x):
    a = [[x[0], x[1], 1.0], [x[2], x[3], 2.0], [x[4], x[5], 3.5]]
    for k in range(3):
        p = k
        for i in range(k + 1, 3):
            if abs(a[i][k]) > abs(a[p][k]):
                p = i
        a[k], a[p] = a[p], a[k]
        for i in range(k + 1, 3):
            factor = a[i][k] / a[k][k]
            for j in range(k, 3):
                a[i][j] -= factor * a[k][j]
    return a[0][0] * a[1][1] * a[2][2]


@case(vector(5), 1)
def one_array_twice(x, k):
    rows = [x * 1.0, x * 2.0]
    rows.append(x * x)
    rows[k] = rows[k - 1]
    rows[k - 1][0] = x[1] * x[2]
    return rows[1][0] * rows[2][1] * rows[0][2]


@case(vector(5))
def every_method_of_arrays(x):
    rows = [x * i for i in range(4)]
    rows.reverse()
    rows.insert(1, x * x)
    last = rows.pop(0)
    rows[0], rows[1] = rows[1], rows[0]
    part = rows[1:3]
    part[0][0] = x[1] * last[2]
    part[1] = x * x * x
    del rows[-1]
    total = 0.0
    for row in rows:
        total += row.sum() * row[0]
    for row in part:
        total += row.sum() * row[1]
    return total * len(rows)


@case(vector(4), 3)
def queue_of_arrays(x, n):
    waiting = [x * 1.0]
    total = 0.0
    for _ in range(n):
        first = waiting.pop(0)
        total += first.sum() ** 2
        if first[0] < 1.5:
            waiting.append(first * x)
        waiting.append(first + x)
    return total + len(waiting)


@case(vector(4), 3)
def stack_of_arrays_and_depths(x, n):
    stack = [(x * 1.0, 1)]
    total = 0.0
    while stack:
        a, depth = stack.pop()
        total += a.sum() * depth
        if depth < n:
            stack.append((a * x, depth + 1))
            stack.append((a + x, depth + 2))
    return total


@case(vector(4), 3)
def entry_of_the_list_before(x, n):
    now = [x * 1.0, x * x]
    for _ in range(n):
        later = []
        for row in now:
            later.append(row * x)
        later[0] = now[1]
        now = later
    return np.sum(now[0] * now[1])


@case(vector(5), 3)
def rows_of_a_table_replaced(x, n):
    table = [[v * i for v in x] for i in range(n)]
    table[0] = [1.0, x[0]]
    table[1], table[2] = table[2], table[1]
    table.pop(0)
    part = table[:1]
    part[0][0] = x[3] * x[3]
    return table[0][0] * table[1][1] + len(table)
