"""Lists of lists of numbers: tables of dynamic programming, rows of several lengths, rows with several names."""

import numpy as np

from tests.zoo.case import case, vector


@case(vector(3), vector(4, seed=1))
def alignment(a, b):
    costs = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        costs[i][0] = costs[i - 1][0] + a[i - 1]
    for j in range(1, len(b) + 1):
        costs[0][j] = costs[0][j - 1] + b[j - 1]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cheapest = min(costs[i - 1][j], costs[i][j - 1], costs[i - 1][j - 1])
            costs[i][j] = cheapest + (a[i - 1] - b[j - 1]) ** 2
    return costs[-1][-1] * costs[1][1]


@case(vector(4), 3)
def one_row_many_times(x, m):
    table = [[0.0] * x.size] * m
    for i in range(m):
        for j in range(x.size):
            table[i][j] += x[j] * (i + 1)
    return table[0][1] * table[m - 1][0]


@case(vector(5))
def rows_of_several_lengths(x):
    table = [[x[0]]]
    for i in range(1, x.size):
        before = table[-1]
        row = [x[i]]
        for j in range(1, i):
            row.append(before[j - 1] * x[i] + before[-1])
        if x[i] > 0.5:
            row.append(1.0)
        table.append(row)
    total = 0.0
    for row in table:
        total += sum(row) * len(row)
    return total


@case(vector(5))
def row_written_after_it_was_put(x):
    table = []
    for v in x:
        row = []
        if v > 0.7:
            row.append(v)
        row.append(v * v)
        table.append(row)
        row[0] = row[0] * 3.0
    table[1][-1] *= x[0]
    return table[0][0] * table[1][-1] + table[2][0] * len(table[3])


@case(vector(5), 1)
def row_chosen_by_a_branch(x, k):
    table = [[v, v] for v in x]
    row = [1.0, 2.0, x[0]]
    if k > 0:
        row = table[1]
    row[1] = x[0] * x[1]
    return table[1][1] * row[0] + len(row)


@case(vector(5), 1)
@case(vector(5), 0)
def known_rows_changed_through_the_table(x, k):
    row = [x[0], x[1]]
    table = [row, [x[3], x[4]]]
    table[k][1] = x[2] * x[3]
    table[k - 1][0] = x[2] * x[4]
    return row[1] * table[0][0] * table[k][0] * row[0]


@case(vector(5), [0.5, 1.5])
def given_row(x, given):
    table = []
    table.append(given)
    table.append([x[0], x[1]])
    table[0][1] = x[2] * given[0]
    return table[0][1] * table[1][0] + given[1]


@case(vector(5))
def carried_row(x):
    before = [v for v in x]
    table = [before]
    for _ in range(3):
        row = [0.0] * len(before)
        for j in range(len(before)):
            row[j] = before[j] * before[j - 1]
        table.append(row)
        before = row
    before[0] = 5.0 * x[0]
    return sum(table[-1]) + table[1][2] * table[2][0]


@case(vector(5), 3)
def table_to_array(x, k):
    table = [[v * j * v for v in x] for j in range(1, k + 1)]
    table[1].reverse()
    copy = table[2][1:]
    copy.append(x[0] * x[1])
    matrix = np.array(table)
    return np.sum(matrix @ matrix.T) * matrix[1, 2] + sum(copy) * copy[-1]


@case(vector(5), 3)
def rows_in_tuples(x, n):
    a = [x[0], x[1]]
    pairs = [(a, 1.0), ([x[2], x[1]], 2.0)]
    for _ in range(n):
        pairs.append((a, x[3]))
    pairs[0][0][0] = x[3] ** 2
    return pairs[3][0][0] * a[0] + pairs[4][1]


@case(vector(5), 3)
def paths_and_weights(x, n):
    stack = [([x[0]], 1.0)]
    total = 0.0
    while stack:
        path, weight = stack.pop()
        total += weight * sum(path)
        if len(path) < n:
            for v in x[:2]:
                longer = path[:]
                longer.append(v * path[-1])
                stack.append((longer, weight * v))
    return total
