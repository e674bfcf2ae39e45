"""Lists of arrays: references that are appended, read by index, written through and shared."""

import numpy as np

from tests.zoo.case import case, matrix, vector

TABLE = np.array([0.5, 2.0, 1.5])


@case(vector(3))
def products_of_entries(x):
    found = []
    for i in range(3):
        found.append(x * i)
    return np.sum(found[2] * found[1])


@case(vector(3), vector(4, seed=1))
@case(vector(3), vector(0))
def layers(x, w):
    states = [x]
    for i in range(w.size):
        states.append(np.tanh(states[-1] * w[i]))
    total = 0.0
    for state in states:
        total += np.sum(state * state)
    return total


@case(vector(3))
def entries_written_by_element(x):
    rows = []
    for i in range(3):
        rows.append(np.zeros(2))
    for i in range(3):
        rows[i][0] = x[i] * 2.0
        rows[i][1] = x[i] * x[i]
    total = 0.0
    for i in range(3):
        total += rows[i][0] * rows[i][1]
        rows[i][0] = 7.0
    return total + rows[-1][0] * x[0]


@case(vector(3))
def one_array_twice(x):
    found = []
    a = x * 2.0
    found.append(a)
    found.append(a)
    found[0][1] = x[0] * x[2]
    return np.sum(a * found[1]) * len(found)


@case(vector(3))
def a_list_in_each_iteration(x):
    total = 0.0
    for k in range(3):
        powers = []
        for j in range(k + 1):
            powers.append(np.exp(x * j))
        for j in range(k + 1):
            total += powers[j][k] * powers[k - j][0]
    return total


@case(vector(3))
def changed_in_place(x):
    scaled = [x * float(k) for k in range(4)]
    scaled[2] *= x
    scaled[1] += x * x
    scaled[3] -= x
    total = 0.0
    for each in reversed(scaled):
        total = 0.5 * total + np.sum(np.sin(each))
    return total


@case(vector(3))
def arguments_in_a_list(x):
    both = []
    both.append(x)
    both.append(x * x)
    both[0][1] = both[1][2]
    return np.sum(x * both[0]) + both[1][0]


@case(vector(3))
def a_constant_among_them(x):
    rows = []
    rows.append(x)
    rows.append(TABLE)
    total = 0.0
    for row in rows:
        total += row[0] * row[2]
    return total


@case(matrix(3, 4))
def views_of_rows(a):
    b = a * 2.0
    rows = []
    for i in range(b.shape[0]):
        rows.append(b[i])
    for i in range(1, len(rows)):
        rows[i][:] = rows[i] * rows[i - 1]
    return np.sum(b[-1] * rows[0])


@case(matrix(3, 4))
def views_of_columns(a):
    columns = []
    for j in range(a.shape[1]):
        columns.append(a[:, j])
    total = 0.0
    for j in range(len(columns)):
        total += columns[j][j % 3] * columns[-1 - j][0] ** 2
    return total


@case(vector(4))
def appended_on_a_branch(x):
    big = []
    small = []
    for i in range(x.size):
        if x[i] > 0.6:
            big.append(x * x[i])
        else:
            small.append(x[i:] * 2.0)
    total = 1.0
    for each in big:
        total += each[0] * each[-1]
    for each in small:
        total *= np.sum(each)
    return total


@case(vector(3))
def appended_in_a_while(x):
    steps = [x]
    while np.sum(steps[-1] * steps[-1]) < 20.0:
        steps.append(steps[-1] * 1.5 + x)
    return steps[len(steps) // 2][0] * steps[-1][1]


@case(vector(3))
def chosen_while_running(x):
    rows = [x * 1.0, x * x, np.cos(x)]
    rows.append(rows[0] * rows[1])
    k = 0
    total = 0.0
    for i in range(6):
        row = rows[k]
        total += row[i % 3] * x[k % 3]
        row[i % 3] += 0.25 * total
        k = (k + 3) % 4 if row[0] > 0.4 else (k + 1) % 4
    return total


@case(vector(3))
def written_after_it_was_read(x):
    rows = []
    for i in range(3):
        rows.append(x * (i + 1.0))
    total = 0.0
    for i in range(3):
        total += rows[i][0] ** 3
        rows[(i + 1) % 3][0] = total * x[i]
    return total + rows[0][0]


@case(vector(4))
def handed_to_a_function(x):
    def total_of(rows, k):
        rows[k][0] = rows[k][1] * 2.0
        return rows[k][0] * rows[0][0] * len(rows)

    rows = []
    for i in range(3):
        rows.append(x[i:] * x[0])
    return total_of(rows, 1) + total_of(rows, 2)


@case(vector(3))
def extended_by_entries(x):
    rows = [x]
    rows.extend((x * 2.0, x * x))
    total = 0.0
    for i, row in enumerate(rows):
        total += row[i] * i
    return total + rows[1][0]


@case(vector(3))
def rebound_names(x):
    rows = []
    a = x * 2.0
    for i in range(3):
        rows.append(a)
        a = a * x[i]
    return np.sum(a * rows[2]) + rows[0][1]


@case(vector(3))
def counts_only(x):
    rows = []
    for i in range(3):
        rows.append(np.arange(3))
    total = 0.0
    for i in range(len(rows)):
        total += x[rows[i][i]] ** 2
    return total


@case(vector(6))
def shapes_that_differ(x):
    parts = []
    for i in range(1, 4):
        parts.append(x[:i] * x[i])
    total = 0.0
    for part in parts:
        total += np.sum(part) * part.size
        part[-1] = total
    return total * parts[0][0]


@case(matrix(2, 2), vector(2))
def matrices(a, x):
    powers = [a]
    for _ in range(2):
        powers.append(powers[-1] @ a)
    y = x
    for p in powers:
        y = p @ y
    return np.sum(y * y)


@case(vector(3))
def lists_swapped(x):
    ones = [x]
    others = [x * x]
    for i in range(3):
        others.append(ones[-1] * x[i])
        ones, others = others, ones
    return np.sum(ones[-1] * others[-1]) + ones[1][0]


@case(vector(3), True)
@case(vector(3), False)
def list_chosen_by_a_branch(x, flag):
    ones = [x]
    others = [x * x]
    ones.append(x * 2.0)
    others.append(x * 3.0)
    chosen = ones if flag else others
    chosen.append(x * x * x)
    chosen[0][1] = chosen[2][0] * 2.0
    return np.sum(chosen[2] * others[0] * ones[-1])


@case(vector(3), 4)
@case(vector(3), 0)
def one_entry_in_two_lists(x, n):
    rows, others = [], []
    y = x * 1.0
    for _ in range(n):
        rows.append(y)
        others.append(y)
        y = np.sin(y) * x
    total = 0.0
    for k in range(n):
        total += np.sum(rows[k] * others[n - 1 - k])
    return total + np.sum(y)


@case(vector(3), 4)
def two_lists_read_between(x, n):
    rows, others = [], []
    y = x * 1.0
    total = 0.0
    for _ in range(n):
        others.append(y * x)
        rows.append(y)
        total += np.sum(rows[-1] * others[-1])
        others.append(y)
        y = np.sin(others[-2]) * x + rows[-1]
    return total + np.sum(others[2] * rows[1])


@case(vector(3), 5)
def two_lists_of_two_lengths(x, n):
    rows, others = [], []
    y = x * 1.0
    for k in range(n):
        rows.append(y)
        if k % 2 == 0:
            others.append(y)
        y = np.sin(y) * x
    total = 0.0
    for row in rows:
        for other in others:
            total += np.sum(row * other)
    return total


@case(vector(3), 4)
def two_lists_written_through_one(x, n):
    rows, others = [], []
    y = x * 1.0
    for _ in range(n):
        rows.append(y)
        others.append(y)
        y = y * x
    for row in rows:
        row *= 2.0
    others[0][1] = x[0] * x[2]
    total = 0.0
    for row in rows:
        total += np.sum(row * row)
    return total + np.sum(others[-1] * x)


@case(vector(2), vector(2, 1))
def lengths_before_and_after(x, y):
    values = [x]
    before = len(values)
    values.append(y)
    return (before + 10.0 * len(values)) * y[0] * x[1]


@case(vector(2), vector(2, 1), 3)
def lengths_while_it_grows(x, y, n):
    values = [x]
    total = 0.0
    for _ in range(n):
        total += len(values) * y[0] * x[0]
        values.append(y)
    return total


@case(vector(2), vector(2, 1), True)
def looped_over_and_appended(x, y, flag):
    values = [x]
    total = 0.0
    if flag:
        for v in values:
            total += x[0] * np.sum(v * y)
    values.append(y)
    return total


@case(vector(2), vector(2, 1), 3)
def looped_over_while_it_grows(x, y, n):
    values = [x]
    total = 0.0
    for _ in range(n):
        for v in values:
            total += np.sum(v * y) * y[0]
        values.append(y * x)
    return total


@case(vector(2), vector(2, 1))
def until_there_are_four(x, y):
    values = [x]
    total = 0.0
    while len(values) < 4:
        n = len(values)
        values.append(values[n - 1] * y)
        total += np.sum(values[n]) * n * len(values)
    return total


@case(vector(2), vector(2, 1), 4)
def lengths_of_lists_that_change_places(x, y, n):
    ones, others = [x], [y]
    total = 0.0
    for k in range(n):
        count = len(ones)
        if k % 2 == 0:
            ones.append(y * k)
        else:
            others.append(x)
        total += count * y[0] * x[1] * len(others)
        ones, others = others, ones
    return total
