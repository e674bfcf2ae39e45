"""Programs for which a pass has to hold back: what it looks at is named above each, and without it each goes wrong."""

import numpy as np

from tests.zoo.case import case, matrix, vector


def goes_on(counter, n):
    counter[0] += 1.0
    return counter[0] < n


# settle._held: reads within inner blocks
@case(vector(1), vector(4, 1), 2)
def looked_at_on_one_side(x, v, n):
    s = 0.0
    for k in range(n):
        if k % 2 == 0:
            s += np.sum(x) * (k + 1)
        x = x + 0.1 * v
        v = v - 0.1 * x
    return s + np.sum(v)


# settle._held: `ends`
@case(vector(1), vector(4, 1), 1)
def keeps_one_not_set_before(x, v, n):
    for _ in range(n):
        before = x
        x = x + 0.1 * v
        v = v - 0.1 * x
    return np.sum(before) * np.sum(v * x)


# settle._runs: runs(start, stop)
@case(vector(1), vector(4, 1))
def never_runs(x, v):
    for _ in range(2, 1):
        x = x + 0.1 * v
        v = v - 0.1 * x
    return np.sum(x * x) + np.sum(v) * x.size


# settle._may_settle: has_effect of a while's condition
@case(vector(1), vector(4, 1), 2.5)
def condition_that_writes(x, v, n):
    counter = np.zeros(1)
    while goes_on(counter, n):
        x = x + 0.1 * v
        v = v - 0.1 * x
    return np.sum(x * v) + np.sum(v)


# settle._may_settle: unit(step)
@case(vector(1), vector(4, 1), 4)
def every_other(x, v, n):
    for k in range(0, n, 2):
        x = x + 0.1 * v * k
        v = v - 0.1 * x
    return np.sum(x * v) + np.sum(x)


# settle._may_settle: a while that carries no arrays (crash)
@case(vector(3), 3.0, wrt=0)
def whiles_that_carry_nothing(x, n):
    c = np.zeros(1)
    y = x * 2.0
    while c[0] < n:
        c[0] += 1.0
        y[0] *= x[1]
    while c[0] < 2.0 * n:
        c[0] += 1.0
        y[1] *= x[1]
    return np.sum(y)


# settle._decides
@case(vector(1), vector(4, 1))
def goes_on_by_its_sum(x, v):
    while np.sum(x) < 1.5:
        x = x + 0.5 * v
        v = v + 0.1 * x
    return np.sum(x * v)


# settle._reach.is_told: all(...) and bool(sources)
@case(vector(1), vector(4, 1), 2)
def begins_as_a_product_with_another(v, w, n):
    x = v * w
    s = 0.0
    for k in range(n):
        s += np.sum(v) * (k + 1)
        x = x + v
        v = v + 0.1 * x
    return s + np.sum(x * v)


# settle._held: alike by shapes.same
@case(vector(1), vector(4, 1), 2)
def plus_a_part_from_outside(v, w, n):
    x = v * w
    s = 0.0
    for k in range(n):
        x = x * 0.9
        y = w[:1]
        z = v + y
        s += np.sum(z) * (k + 1)
        x = x + v * w
        v = v + 0.1 * x
    return s + np.sum(x * v)


# settle._members: len(ranks) > 1
@case(vector(1), vector(4, 1).astype(np.float32), 2)
@case(vector(4), vector(1, 1).astype(np.float32), 2)
def kinds(x, v, n):
    for k in range(n):
        x = np.sin(x) * v
    return np.sum(x * x)


# settle._is_broadcast: is_elementwise
@case(vector(1), vector(4, 1), 2)
def running_sums(x, v, n):
    for _ in range(n):
        x = x + 0.1 * v + np.cumsum(x)
        v = v - 0.1 * x
    return np.sum(x * v)


# sides._branch: _is_fresh(orelse)
@case(vector(3), vector(4, 1), True)
@case(vector(3), vector(4, 1), False)
def one_side_makes_a_list(x, y, sure):
    values = [x]
    if sure:
        values = [y * 2.0, x]
    total = 0.0
    for v in values:
        total += np.sum(v * v)
    return total


# sides._branch: _is_fresh(then)
@case(vector(3), vector(4, 1), True)
@case(vector(3), vector(4, 1), False)
def the_other_side_makes_a_list(x, y, sure):
    values = [x]
    if sure:
        y = y * 2.0
    else:
        values = [y * 2.0, x]
    total = np.sum(y)
    for v in values:
        total += np.sum(v * v)
    return total


# sides._is_fresh: count == 1
@case(vector(3), vector(4, 1), True)
@case(vector(3), vector(4, 1), False)
def one_list_of_two_names(x, y, sure):
    if sure:
        a = [x]
        b = a
    else:
        a = [x * 2.0]
        b = [y]
    total = 0.0
    for v in a:
        total += np.sum(v * v)
    for v in b:
        total += np.sum(np.sin(v))
    return total


# twice.in_step
@case(vector(3), 3)
def lists_in_turn(x, n):
    a = []
    b = []
    a.append(x)
    b.append(x)
    s = 0.0
    y = x
    for k in range(n):
        y = np.sin(y) * 1.5
        a.append(y)
        s += np.sum(b[-1] * a[-1])
        b.append(y)
    for v in a:
        s += np.sum(v * v)
    for v in b:
        s += np.sum(v * v * v)
    return s


# twice: used += leaving(node)
@case(vector(3), 3, True)
@case(vector(3), 3, False)
def last_of_equal_lists(x, n, sure):
    a = []
    b = []
    for k in range(n):
        z = np.sin(x) * (k + 1)
        a.append(z)
        b.append(z)
    c = a if sure else b
    c.append(x)
    return np.sum(a[-1] * a[-1]) + np.sum(b[-1] * b[0] * x)


# twice: used += operands(node)
@case(vector(3), 3)
def counted_between(x, n):
    a = []
    b = []
    count = 0
    s = 0.0
    for k in range(n):
        z = np.sin(x) * (k + 1)
        a.append(z)
        count += len(b)
        b.append(z)
    for v in a:
        s += np.sum(v * v)
    for v in b:
        s += np.sum(v * v * v)
    return s * count


# align._is_idle: shapes.same of ravel and reshape
@case(matrix(2, 3), matrix(3, 2, 1))
def same_rank_reshaped(x, w):
    return np.sum(np.reshape(x, (3, 2)) * w)


# align._is_idle: type_of(array) == type_
@case(matrix(4, 2), vector(4, 1))
def column_ravelled_and_written(m, y):
    u = m * 1.0
    z = np.ravel(u[:, 0])
    z[0] = y[1]
    return np.sum(z * y) + np.sum(u * u)


# results: `if shapes` (crash)
@case(vector(3))
def linspace_by_keyword(x):
    return np.sum(x * np.linspace(start=0.0, stop=1.0, num=3))


# results: len(operands) == 1 of np.transpose
@case(np.random.default_rng(0).uniform(0.2, 1.2, (1, 3, 1)))
def transposed_both_ways(b):
    y = np.transpose(b, (1, 0, 2))
    return np.sum(y * b.T * y)


# results._without_axis, _with_axis: isinstance(axis, Const) (crash)
@case(matrix(2, 3), vector(2), 1)
def axis_given(m, w, k):
    return np.sum(np.sum(m, k) * w)


# results._with_axis: a negative axis
@case(vector(2), matrix(2, 1))
def expanded_at_the_end_and_met(x, m):
    y = np.expand_dims(x, -1)
    return np.sum(y * m * y)


# settle._reach: _is_broadcast(made) (lists as tapes)
@case(vector(4), vector(1, 1), 2)
def repeated_before(v, y, n):
    x = np.repeat(v, 1)
    for _ in range(n):
        x = x + 0.1 * v
        v = v - 0.1 * x
    return np.sum(x * v) + np.sum(y)


# settle._reach: not is_told (lists as tapes)
@case(vector(1), vector(4, 1), 2)
def told_one_that_goes_nowhere(x, v, n):
    a = x * v
    for k in range(n):
        x = x + 0.1 * v
        v = v - 0.1 * x
        a = a * x
    return np.sum(x) * np.sum(v) + np.sum(a)


# shapes._of_first: a list that has another name
@case(vector(3), vector(4, 1), True)
@case(vector(3), vector(4, 1), False)
def appended_under_another_name(x, y, sure):
    a = []
    b = []
    a.append(y)
    b.append(y)
    c = a if sure else b
    c.append(x)
    return np.sum(b[-1] * b[-1]) + np.sum(a[-1] * a[-1] * a[-1])


# align._apply: numbers are no arrays (`_ndim`)
@case(vector(4), vector(4, 1), 0.5)
@case(vector(1), vector(4, 1), 0.5)
def chosen_with_a_number(x, v, h):
    return np.sum(np.where(x > v, x * v, h) * x)


def wrap_around(s):
    if s[0] > 2.0:
        s[0] = s[0] - 2.0
    return s[0] * s[0]


# simplify.block: what is read before a branch that stores is not known after it
@case(5.0)
@case(1.5)
def guarded_store_in_helper_called_twice(x):
    s = np.zeros(1)
    s[0] = x
    return wrap_around(s) + wrap_around(s)


def put_in_order(a, i, j):
    if a[i] > a[j]:
        t = a[i]
        a[i] = a[j]
        a[j] = t


# simplify.block, likewise
@case(np.array([3.0, 1.0, 2.0]))
@case(np.array([1.0, 2.0, 3.0]))
def conditional_swap_several_times(x):
    a = x.copy()
    put_in_order(a, 0, 1)
    put_in_order(a, 1, 2)
    put_in_order(a, 0, 1)
    return a[0] + 2.0 * a[1] * a[2]


def push(stack, n, v):
    if n[0] < 8:
        stack[n[0]] = v
        n[0] += 1


def pop(stack, n):
    if n[0] > 0:
        n[0] -= 1
    return stack[n[0]]


# simplify.block, likewise
@case(2.9)
def push_and_pop(x):
    stack = np.zeros(8)
    n = np.zeros(1, np.int64)
    push(stack, n, x)
    push(stack, n, x * x)
    a = pop(stack, n)
    push(stack, n, a * x)
    return pop(stack, n) + pop(stack, n)


# hoisting.may_fail: a subscript is read before a loop only where the loop reads it
@case(vector(2), np.array([2, 3]), 10**8)
@case(vector(2), np.array([2, 3]), 1)
@case(vector(2), np.array([2, 3], np.int32), 1)
def trip_count_behind_a_bound(x, counts, k):
    s = 1.0
    for i in range(x.size):
        if k < counts.size:
            for j in range(counts[k]):
                s = np.sin(x[i] * s + j)
        else:
            s = s * x[i]
    return s


# hoisting.may_fail: likewise a division
@case(vector(2), 4, 0)
@case(vector(2), 4, 2)
@case(vector(0), 4, 0)
def trip_count_behind_a_divisor(x, n, k):
    s = 1.0
    for i in range(x.size):
        if k > 0 and n % k == 0:
            for _ in range(n // k):
                s = np.sin(x[i] * s)
        else:
            s += x[i] * s
    return s


# hoisting.may_fail: a loop without iterations reads nothing
@case(vector(3), np.array([2, 3]), 1)
@case(vector(0), np.array([2, 3]), 10**8)
def trip_count_in_a_loop_that_may_not_run(x, counts, k):
    s = 1.0
    for i in range(x.size):
        for _ in range(counts[k]):
            s = np.sin(x[i] * s)
    return s


# trips.trip_count: a count that its branch rejects sizes nothing
@case(vector(2), 10**13)
@case(vector(2), 3)
def trip_count_that_its_branch_rejects(x, k):
    s = 1.0
    for i in range(x.size):
        if k < 5:
            for _ in range(k):
                s = np.sin(x[i] * s)
        else:
            s = s * x[i]
    return s


# room._Hoist: how much is appended is not computed where it might fail
@case(vector(3), 6, 0)
@case(vector(3), 6, 2)
def appends_behind_a_divisor(x, n, k):
    kept = [x[0]]
    for i in range(x.size):
        if k > 0:
            for j in range(n // k):
                kept.append(x[i] * kept[j])
    s = 0.0
    for v in kept:
        s += v * v
    return s


@case(np.array([[0.3, -0.4, 0.5], [0.2, 0.7, -0.1]]), vector(3))
def rows_scaled_by_a_norm_of_what_is_used_before(b, x):
    """What divides is `np.where` of numbers: an array without axes, by which Numba divides no number in place."""
    a = b.min() * (b * (b > -1.44))
    for i in range(b.shape[0]):
        b[i] *= np.linalg.norm(x)
    return np.sum(a) + np.sum(b * b)


@case(vector(3), vector(3, 1), 0.5)
def added_to_an_element_from_a_norm(x, y, t):
    total = np.zeros(2)
    for i in range(3):
        total[i % 2] += np.hypot(x[i], t) * np.linalg.norm(y * t) + np.maximum(t, y[i]) ** np.minimum(x[i], t)
        t = t * np.linalg.norm(x) / np.sqrt(np.sum(y * y))
    return np.sum(total**2) * t
