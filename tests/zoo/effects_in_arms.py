"""What an arm, an operand of `and` and `or`, or a condition does on the side happens only where Python comes there."""

import numpy as np

from tests.zoo.case import case, vector


@case(0.7, 1.3)
@case(-0.7, 1.3)
def named_in_both_arms(x, y):
    r = (w := x * 2) if x > 0 else (w := y)
    return r * w


@case(0.7, 1.3)
@case(-0.7, 1.3)
def named_in_one_arm(x, y):
    w = y * y
    r = (w := x * 2) if x > 0 else y
    return r * w


@case(0.7, 1.3)
@case(4.0, 1.3)
def named_behind_or_in_an_assert(x, y):
    w = y
    assert x > 3 or (w := x) > 0.5
    return w * x * y


@case(0.7, 1.3)
@case(0.05, 1.3)
def named_behind_and(x, y):
    s = x
    if x > 0 and (w := x * y) > 0.1:
        s = w * w
    return s * y


@case(0.4, 1.3)
def named_in_the_condition_of_a_loop(x, y):
    total, i = 0.0, 0
    while i < 5 and (w := x * (i + 1)) < y:
        total += w * w
        i += 1
    return total * w


@case(0.2, 0.7, 1.1)
@case(0.9, 0.7, 1.1)
def named_in_a_chain(a, b, c):
    w = c
    s = a * b
    if a < (w := b * b) < c:
        s = s + w
    return s * w


@case(0.9, 0.7, 1.1)
def named_late_in_a_chain(a, b, c):
    w = c * a
    inside = a < b < (w := c * c)
    return w * b + inside


@case(0.7, 1.3)
@case(6.0, 1.3)
def changed_in_an_arm(x, y):
    s = x

    def bump():
        nonlocal s
        s = s * 2
        return s

    v = bump() if x > 5 else y
    return v * s


@case(0.7, 1.3)
@case(6.0, 1.3)
def changed_behind_or(x, y):
    s = x

    def bump():
        nonlocal s
        s = s * y
        return s > 1.0

    found = 0.0
    if x > 5 or bump() or bump():
        found = s
    return found * s + s


@case(vector(5))
def appended_in_an_arm(x):
    kept = [x[0] * 2]
    for v in x:
        _ = kept.append(v * v) if v > 0.6 else None
    total = 0.0
    for k in range(len(kept)):
        total += kept[k] * (k + 1)
    return total


@case(vector(5))
def taken_behind_and(x):
    left = [x[0], x[1] * 2, x[2] * x[3]]
    total = 0.0
    for v in x:
        if v > 0.5 and len(left) > 0 and left.pop() < 1.0:
            total += v
    return total * (len(left) + 1) + sum(left)


@case(vector(4))
def stored_by_a_helper(x):
    seen = np.zeros(4)

    def keep(k, v):
        seen[k] += v * v
        return seen[k]

    total = 0.0
    for k in range(4):
        total += keep(k, x[k]) if x[k] > 0.6 else x[k]
        if x[k] < 0.9 and keep(k, 2.0 * x[k]) > 0.5:
            total += 1.0 * x[k]
    return total + np.sum(seen**2)


@case(0.8, 1.7)
def in_order(x, y):
    a = x + (x := y * x)
    b = (x := x * 2) * x + a
    return a * b * x


@case(0.8, 1.7)
@case(-0.8, 1.7)
def arms_within_arms(x, y):
    u = v = y
    r = ((u := x * x) if y > 1 else (v := x)) if x > 0 else ((v := y * x) if y > 2 else (u := 3.0 * x))
    return r * u + v * v


@case(0.8, 1.7)
@case(-0.8, 1.7)
def in_arguments(x, y):
    w = 1.0
    return max((w := x * y) if x > 0 else y, w) * w


@case(vector(4))
def in_elif(x):
    total = 0.0
    w = x[0]
    for v in x:
        if v > 1.0:
            total += v
        elif v > 0.4 and (w := v * 2) > 1.0:
            total += w
        elif (w := v * 3) > 2.0 or w < 0.9:
            total += w * w
        total += w
    return total


@case(0.8, 1.7)
def not_of_a_named_value(x, y):
    w = y
    if not (x > 1 or (w := x * y) > 3):
        w = w * 2
    return w * x


@case(vector(3))
def returned(x):
    w = x[0]

    def first():
        nonlocal w
        return (w := w * x[1]) > 5.0 or w * x[2]

    return first() * w


@case(vector(4))
def taken_on_one_path(x):
    it = iter(x)
    total = next(it)
    if x[1] > 0.5:
        total *= next(it)
    for v in it:
        total += v * v
    return total


@case(vector(3))
def next_in_an_arm(x):
    it = iter([x[0], x[1] * 2, x[2] * 3])
    a = next(it)
    b = next(it) if a > 0.1 else a * a
    return b * next(it)
