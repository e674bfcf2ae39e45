"""Lists of numbers: literals that grow, `append`, comprehensions, items read and written."""

import math

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(5))
def appended_in_a_loop(x):
    ys = []
    for i in range(x.size):
        ys.append(x[i] * x[i])
    total = 0.0
    for y in ys:
        total += math.sin(y)
    return total


@case(vector(5))
@case(vector(1))
def comprehension(x):
    ys = [math.sin(v) * v for v in x]
    return sum(ys) * len(ys)


@case(vector(6))
def comprehension_with_a_condition(x):
    ys = np.array([v * v for v in x if v > 0.6])
    return ys.sum() + (ys[-1] if ys.size > 0 else 0.0)


@case(vector(3), vector(4, seed=1))
def nested_comprehension(x, y):
    products = [a * b * b for a in x for b in y]
    return products[0] * products[-1] + products[5]


@case(0.9)
def appended_in_a_while(x):
    ys = [x]
    while ys[-1] < 40.0:
        ys.append(ys[-1] * 1.5 + x)
    return ys[len(ys) // 2] * ys[-1]


@case(vector(6), 0.5)
def two_lists_by_branch(x, split):
    low, high = [0.0], [1.0]
    for v in x:
        if v < split:
            low.append(v * high[-1])
        else:
            high.append(v + low[-1])
    return low[-1] * high[-1] + len(low)


@case(vector(5))
def overwritten(x):
    ys = [1.0, 2.0, 3.0]
    for i in range(x.size):
        ys[i % 3] = ys[(i + 1) % 3] * x[i]
    return ys[0] + ys[1] * ys[2]


@case(vector(4), 6)
def repeated(x, n):
    ys = [0.0] * n
    for i in range(n):
        ys[i] += x[i % 4] * i
        ys[i - 1] *= x[0]
    return ys[0] * ys[n - 1]


def push(items, value):
    items.append(value * 2.0)


@case(vector(4))
def passed_to_a_function(x):
    items = []
    for i in range(x.size):
        push(items, x[i])
        for j in range(i):
            push(items, items[j] * x[j])
    return items[-1] * items[2]


@case(vector(4), 3)
def indices_in_a_list(x, n):
    order = [3, 0]
    for i in range(n):
        order.append(i)
    total = 1.0
    for k in order:
        total *= x[k]
    return total


@case(vector(4))
def extended(x):
    items = [x[0]]
    items.extend(x[1:])
    items.extend((x[0] * x[1], 2.0))
    return items[3] * items[4] * items[-1]


@case(vector(5))
def leaves_early(x):
    items = []
    for v in x:
        if v > 0.9:
            break
        items.append(v)
    items.append(2.0)
    return items[0] * items[-1] * sum(items)


@case(vector(4))
def a_list_in_each_iteration(x):
    total = 0.0
    for i in range(3):
        items = [x[i]]
        for j in range(i):
            items.append(items[-1] * x[j])
        total += items[-1]
    return total


@case(vector(3))
def of_two_names(x):
    one = [x[0]]
    other = one
    other.append(x[1] * x[2])
    return one[1] * one[0]


@case(vector(5))
def parts_of_a_list(x):
    items = [v * v for v in x]
    total = 1.0
    for a, b in zip(items, items[1:]):
        total += a * b * total
    tail = items[::-2]
    tail.append(2.0)
    return total * tail[0] * tail[-1]


@case(vector(5), 4)
def grows_by_its_own_length(x, n):
    items = [1.0]
    for _ in range(n):
        for j in range(len(items)):
            if j % 2 == 0:
                items.append(items[j] * x[j % 5])
        if len(items) > 9:
            break
    return items[-1] * items[len(items) // 2] + sum(items)


@case(vector(4), 4)
def one_in_each_iteration(x, n):
    s = 0.0
    for k in range(n):
        ys = [x[k]]
        while len(ys) < 6 + 5 * k:
            ys.append(ys[-1] * 1.2 + x[k])
        s += ys[len(ys) // 2] * ys[-1] * ys[0]
        for j in range(len(ys)):
            s += ys[j] ** 2
    return s


@case(vector(5), 5)
def on_one_path_of_an_iteration(x, n):
    s = 0.0
    for k in range(n):
        if x[k] > 0.7:
            ys = [x[k]]
            while len(ys) < 20:
                ys.append(ys[-1] * 1.1 + x[k])
                if ys[-1] > 1e9:
                    break
            s += np.sum(np.array(ys) ** 2)
        else:
            s += x[k]
    return s


@case(vector(5), 7)
def taking_turns(x, n):
    xs = []
    ys = [x[0]]
    k = 0
    while len(xs) < 3 * n:
        if x[k % x.size] > 0.6:
            xs.append(x[k % x.size] * ys[-1])
        else:
            ys.append(x[k % x.size] + ys[-1] ** 2 * 0.1)
            xs.append(1.0)
        k += 1
    ys[1] = ys[1] * ys[2]
    for j in range(len(ys) - 1):
        ys[j + 1] += ys[j] * 0.5
    return np.sum(np.array(ys) * 1.5) + np.sum(np.array(xs) ** 2) + max(ys) + sum(xs)


@case(vector(5))
def part_that_grows(x):
    xs = [v * v for v in x]
    part = xs[1:]
    while len(part) < 21:
        part.append(part[-1] * 1.1 + x[0])
    other = part[::2]
    other.append(part[0] * x[1])
    return sum(other) * part[-1]


@case(vector(5))
def reversed_and_grown_afterwards(x):
    values = [x[1] * x[k] for k in range(x.size)]
    s = 0.0
    for value in values[::-1]:
        s = s * 0.5 + value
    for k in range(3):
        values.append(x[k] * s)
    return s + sum(values)


@case(vector(5), 2)
@case(vector(5), 0)
def read_from_the_end_and_grown_afterwards(x, n):
    values = [x[k] * x[k] for k in range(3)]
    k = -2
    s = values[-1] * values[k]
    for i in range(n):
        values.append(x[i] * s)
    return s * values[-1]


@case(vector(5), 4)
@case(vector(5), 0)
def summed_and_grown_afterwards(x, n):
    values = [x[0] * 2.0, x[1] * x[2]]
    s = sum(values)
    t = np.sum(np.array(values) ** 2)
    tail = values[1:]
    for i in range(n):
        values.append(x[i] * s * t)
        tail.append(values[-2] + tail[-1])
    return sum(tail) + max(values)


@case(vector(4), 3)
def handed_on_and_grown_afterwards(x, n):
    values = [x[0], x[1] * x[1]]
    total = 0.0
    for i in range(n):
        total += powers(values)
        values.append(x[i + 1] * values[-1])
    return total


def powers(values):
    s = 0.0
    for k, value in enumerate(reversed(values)):
        s += value ** (k + 1)
    return s


@case(vector(5), 9, True)
@case(vector(5), 9, False)
def extended_on_one_side(x, n, sure):
    if sure:
        values = [x[0]]
        for k in range(n):
            values.extend([x[0] * k, x[1] * x[2], math.sin(x[3])])
        values[2] = x[4] * values[1]
    s = x[0]
    if sure:
        for k in range(len(values)):
            s += values[k] * values[k - 1]
    return s


@case(vector(5), 4, True)
@case(vector(5), 4, False)
def one_of_two_made(x, n, sure):
    if sure:
        values = [x[0], x[1] * x[2]]
    else:
        values = [x[k] * x[k] for k in range(n)]
        values.append(x[4])
    values.append(x[3] * values[0])
    s = 0.0
    for value in values:
        s = s * x[1] + value
    return s + values[-1] * len(values)


@case(vector(5), 3, 1)
@case(vector(5), 3, 0)
@case(vector(5), 3, 2)
def one_of_three_made(x, n, kind):
    s = 0.0
    for i in range(n):
        if kind == 0:
            values = [x[i]]
        elif kind == 1:
            values = [x[i], x[i + 1]]
            values[1] *= x[0]
        else:
            values = [0.0] * 3
            values[2] = math.sin(x[i])
        s += values[-1] * values[0] + values[-1]
    return s


@case(vector(5), True)
@case(vector(5), False)
def arrays_of_either_side(x, sure):
    if sure:
        rows = [x * x]
        rows.append(np.sin(x))
    else:
        rows = [np.cos(x), x * 2.0, x]
    rows[0][1] = x[2]
    s = 0.0
    for row in rows:
        s += np.sum(row * row) * row[1]
    return s


@case(vector(3), [0.3, 0.4, 0.5])
def compared_lists(x, given):
    squares = [v * v for v in x]
    total = 0.0
    for other in (given, squares[:2], squares):
        if squares == list(other):
            total += squares[0]
        if squares < list(other):
            total += squares[1] * x[0]
        if squares >= list(other):
            total += math.sin(squares[2])
    return total if squares != list(given) else total * x[1]


@case(vector(5), 6)
def each_once(x, n):
    seen = []
    if 1 not in seen:
        seen.append(1)
    s = 0.0
    for i in range(n):
        k = (i * i) % 5
        if k not in seen:
            seen.append(k)
            s += x[k] * x[k]
    return s * len(seen)


@case(vector(4))
def lists_that_become_arrays(x):
    both = np.asarray([x, x * x])
    squares = np.asanyarray([v * v for v in x])
    rows = np.asarray([v * x for v in x])
    few = np.ascontiguousarray([x[0], x[1]])
    kept = np.asarray(x)
    wide = np.array((x, both[0]), dtype=np.float64)
    both[0, 1] += few[1] * squares[2]
    return np.sum(both) * rows[1, 2] + kept[3] + np.sum(wide[1] * few[0])


@case(vector(4), 5)
def series_with_factorials(x, n):
    total = 0.0 if hasattr(x, "ptp") else 1.0
    for k in range(n):
        total += x[k % 4] ** k / math.factorial(k) + math.comb(n, k) * x[0] ** k
    near = math.isclose(x[0], 2.0, rel_tol=0.9) and not math.isclose(x[1], 7, abs_tol=1e-3)
    return total + math.factorial(4) * x[1] + (x[2] if near else x[3]) ** 2


@case(vector(4), 3)
def lists_of_arrays_joined(x, n):
    parts = []
    for k in range(n):
        parts.append(x[k:] * x[0])
    parts[1][0] = x[3]
    one = np.concatenate(parts, axis=0)
    parts[2][1] = 7.0
    return np.sum(one * one) + one[n]


@case(vector(3), 2)
def lists_of_rows_joined(x, n):
    rows = [x * k for k in range(n)]
    rows[1][0] = x[2]
    return np.sum(np.column_stack(rows) ** 2) + np.vstack(rows)[1, 0] * x[0]


@case(vector(4), 3)
def lists_given_to_functions(x, n):
    grown = []
    for k in range(n):
        grown.append(x[k] * x[k + 1])
    written = [x[0], x[1] * 2.0]
    total = np.diff(grown)[1] * np.take(written, 1) + np.clip(grown, 0.1, 0.9)[2]
    return total + np.diag(written)[1, 1] ** 2 + np.stack([[x[2], 1.0], written])[0, 0]


@case(vector(3))
def changed_by_another_iterable(x):
    """What a loop runs over is counted once all iterables are there."""
    items, found = [x[0], x[1], x[2]], 0.0

    def add(v):
        items.append(v)
        return v

    for u, v in zip(items, (add(2.0), 2.0, x[0], 7.0)):
        found += u * v
    for k, u in enumerate(items, len(items) + int(items.pop())):
        found += k * u
    return found


@case(1.3)
def of_known_items(x):
    """Functions, arrays and tuples are listed one for one; a list that changes afterwards grows."""
    powers = [lambda t, p=p: t**p for p in (1, 2)]
    rows = [np.array([v, x]) for v in (x, 2.0)]
    rows[0] += 1.0
    pairs = [(u, u * v) for u, v in zip((x, 2.0), (3.0, x))]
    pairs.append((x, x))
    nothing = [v for v in ()]
    return powers[1](x) * (rows[0] * rows[1]).sum() + sum(a * b for a, b in pairs) + len(nothing)


@case(vector(3), 3)
def carried_states_of_a_list(x, n):
    states = [x]
    y = x
    for k in range(n):
        y = np.sin(y) * (k + 1.0) + x
        states.append(y)
    table = np.array(states)
    return np.sum(table[1:] * table[:-1]) + np.std(states, axis=0)[1]


@case(vector(3), vector(4))
def stacked_along_the_last_axis(x, weights):
    columns = np.stack([np.exp(x * w) for w in weights], axis=-1)
    rows = np.stack([x * w for w in weights], 0)
    return np.sum(columns[1] * columns[0]) + np.sum(rows[-1] ** 2)


@case(matrix(2, 3), vector(3))
def joined_along_other_axes(x, weights):
    parts = []
    y = x
    for w in weights:
        y = y * w + x
        parts.append(y)
    wide = np.concatenate(parts, axis=1) * np.hstack(parts)
    flat = np.concatenate(parts, axis=None)
    return np.sum(wide[0] * wide[1]) + flat[4] * flat[-1]


@case(vector(3), vector(4))
def arrays_added_up(x, weights):
    parts = [np.cos(x * w) for w in weights]
    total = sum(parts) + parts[0]
    return total[0] * total[2] + sum([x * x, x])[1]
