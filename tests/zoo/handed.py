"""Lists that loops and branches hand on: replaced, exchanged, chosen, and changed under the name that they get."""

import numpy as np

from tests.zoo.case import case, vector


@case(vector(5))
def rows_of_a_table(x):
    before = [0.0] * len(x)
    for i in range(len(x)):
        row = [0.5] * len(x)
        for j in range(len(x)):
            row[j] = before[j] * x[i] + x[j]
        before = row
    return before[0] * before[-1]


@case(vector(4))
@case(vector(1))
def edit_distance(x):
    before = [1.0] * (len(x) + 1)
    for i in range(1, len(x) + 1):
        row = [x[0] * i]
        for j in range(1, len(x) + 1):
            other = before[j - 1] + (x[i - 1] - 2.0 * x[j - 1]) ** 2
            row.append(min(before[j] + x[j - 1], row[j - 1] + 0.3 * x[i - 1], other))
        before = row
    return before[-1]


@case(vector(4))
def polynomial_from_its_roots(x):
    factors = [1.0]
    for root in x:
        product = [0.0] * (len(factors) + 1)
        for i in range(len(factors)):
            product[i + 1] += factors[i]
            product[i] -= root * factors[i]
        factors = product
    return factors[0] * 2.0 + factors[1] + factors[2] ** 2


@case(vector(4), 4)
@case(vector(4), 0)
def triangle(x, n):
    row = [x[0]]
    for _ in range(n):
        row = [row[0]] + [row[i] + row[i + 1] * x[1] for i in range(len(row) - 1)] + [row[-1] * x[2]]
    return row[len(row) // 2] + row[0] * row[-1]


@case(vector(5), True)
@case(vector(5), False)
def replaced_on_one_side(x, flag):
    p = [x[0], x[1]]
    if flag:
        p = [x[1] * x[2], x[3], x[0]]
    return p[0] * p[1] * len(p)


@case(vector(5), True)
@case(vector(5), False)
def longer_or_replaced(x, flag):
    p = [x[0], x[1]]
    if flag:
        p.append(x[2])
    else:
        p = [x[1] * x[2], x[3], x[0], x[4]]
    return p[0] * p[1] * p[-1] * len(p)


@case(vector(5))
def fewer_and_fewer(x):
    p = [v * v for v in x]
    for _ in range(3):
        p = [a * b for a, b in zip(p[1:], p[:-1], strict=True)]
    return sum(p)


@case(vector(4), True)
@case(vector(4), False)
def chosen_and_written(x, flag):
    """The list that was chosen is seen under its former name, too."""
    a, b = [x[0], x[1]], [x[2], x[3]]
    c = a if flag else b
    c[0] = c[0] * 2.0
    return a[0] * b[0] * c[1]


@case(vector(4), True)
@case(vector(4), False)
def exchanged_and_written(x, flag):
    a, b = [x[0], x[1]], [x[2], x[3]]
    c = a
    if flag:
        a, b = b, a
    b[0] = b[0] * 2.0
    a[1] = a[0]
    return a[0] * b[0] * c[0] * a[1]


def either(p, q, flag):
    return p if flag else q


def trebled(p):
    p[0] = p[0] * 3.0


@case(vector(4), True)
@case(vector(4), False)
def chosen_by_a_function(x, flag):
    a, b = [x[0], x[1]], [x[2], x[3]]
    c = either(a, b, flag)
    c[0] = c[0] * 2.0
    trebled(c)
    return a[0] * a[1] * b[0]


@case(vector(3))
def written_by_functions(x):
    a = [x[0], x[1]]

    def doubled():
        a[1] = a[1] * 2.0

    trebled(a)
    doubled()
    return a[0] * a[1]


@case(vector(4))
def lists_in_a_tuple(x):
    a, b = [x[0], x[1]], [x[2], x[3]]
    for p in (a, b):
        p[0] = p[0] * 2.0
    pair = (a, b)
    pair[1].append(a[0] * x[1])
    return a[0] * a[1] * b[0] * b[2]


@case(vector(4))
def extended_in_place(x):
    a = [x[0], x[1]]
    same = a
    same += [x[2]]
    for k in range(3):
        a += [a[-1] * x[k], x[k + 1]]
    return sum(a) * a[3] * len(same)


@case(vector(4))
def copies(x):
    p = [x[0], x[1]]
    q = p.copy()
    q.append(x[2])
    q[0] = q[2] * 3.0
    r = list(q)
    r[1] = 2.0 * r[0]
    s = r[1:]
    s[0] *= s[1]
    return sum(q) * p[0] + r[1] * r[0] + sum(s)


@case(vector(6))
def begun_anew(x):
    """The list that is appended to is the one of the last iterations, or a new one."""
    buffer = [x[1]]
    total = 0.0
    for v in x:
        if len(buffer) == 2:
            total += buffer[0] * buffer[1]
            buffer = [x[0]]
        buffer.append(v * v)
    return total + len(buffer) * buffer[0] * buffer[-1]


@case(vector(5))
def exchanged_and_appended(x):
    a, b = [x[0]], [x[1]]
    for k in range(4):
        a, b = b, a
        a.append(b[-1] * x[k])
    return a[-1] * b[-1] * len(a)


@case(vector(4))
def until_it_is_empty(x):
    waiting = [x[0], x[1] * x[2], x[2]]
    total = 0.0
    while waiting:
        total += waiting[0] ** 2
        waiting = waiting[1:]
    return total if not waiting else 0.0


@case(vector(4))
def the_best_so_far(x):
    candidate = [x[0], x[1]]
    best = candidate
    for k in range(2):
        candidate = [x[k] * x[k + 1], x[k + 2]]
        if candidate[0] > best[0] * 0.5:
            best = candidate
    return best[0] * best[1]


@case(vector(4))
def kept_where_the_loop_ends(x):
    p = [x[0]]
    for k in range(4):
        q = [v * x[1] + x[k] for v in p]
        q.append(x[2])
        if len(q) > 3:
            break
        p = q
    return sum(p) * p[0]


@case(vector(4), 3)
@case(vector(4), 0)
def returned_early(x, n):
    p = [x[0], x[1]]
    for k in range(n):
        if p[0] > 100.0:
            return p[0]
        p = [p[1] * x[k], p[0]]
    return p[0] * p[1]


@case(vector(5))
def of_whole_numbers(x):
    places = [0, 1]
    total = 0.0
    for _ in range(3):
        total += x[places[0]] * x[places[1]]
        places = [places[1], (places[0] + 2) % 5]
    return total


@case(vector(4))
def assigned_in_the_loop_only(x):
    for k in range(3):
        p = [x[k], x[k + 1]]
        p[0] *= p[1]
    return p[0] * p[1]


@case(vector(4))
def carried_by_an_inner_loop(x):
    p = [x[0], x[1]]
    total = 0.0
    for i in range(3):
        q = p
        for j in range(2):
            q = [q[1] * x[j], q[0] + x[i]]
            if q[0] > 0.45:
                p = q
        total += q[0] * p[1]
    return total * p[0]


@case(vector(4))
def written_as_it_is_carried(x):
    """What is written to a list that a loop carries changes it under all of its names."""
    a = [x[0], x[1]]
    p = a
    for k in range(3):
        p[0] = p[0] * x[k]
        if k == 1:
            p = [x[2], x[3]]
    return a[0] * p[0]


@case(vector(5))
def first_or_other(x):
    a = [x[0], x[1]]
    c = a or [x[2], x[3]]
    c[0] = c[0] * 2.0
    return a[0] * c[1]


@case(vector(4))
def arrays_in_lists_made_anew(x):
    p = [x]
    for _ in range(3):
        q = [x * 2.0, p[0] * x]
        p = q
    return np.sum(p[0] * p[1])


@case(vector(4))
def arrays_in_lists_joined(x):
    p = [x, x]
    while len(p) < 5:
        p = p + [p[-1] * p[0]]
    q = p.copy()
    q.append(x)
    return np.sum(p[-1] * q[1] * q[-1]) * len(p)


@case(vector(4), True)
@case(vector(4), False)
def arrays_in_lists_replaced(x, flag):
    p = [x, x]
    if flag:
        p = [x * x, x, x]
    return np.sum(p[0] * p[1]) * len(p)
