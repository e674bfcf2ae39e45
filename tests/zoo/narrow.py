"""Elements of narrow and unsigned types that are changed in place: counters, stack pointers, cells."""

import numpy as np

from tests.zoo.case import case, vector


def push(stack, top, v):
    stack[top[0]] = v
    top[0] += 1


def pop(stack, top):
    top[0] -= 1
    return stack[top[0]]


@case(1.3)
def stack_with_an_unsigned_pointer(x):
    stack = np.zeros(4)
    top = np.zeros(1, dtype=np.uint8)
    push(stack, top, x)
    push(stack, top, x * x)
    y = pop(stack, top)
    push(stack, top, y * x)
    return pop(stack, top) * pop(stack, top)


@case(vector(4), np.array([2, 3], np.uint16), 2)
def counted_down(x, n, k):
    n[0] -= 1
    n[1] -= k
    s = x[n[0]] * x[n[1]]
    while n[0] > 0:
        n[0] -= 1
        s += x[n[0]] * n[0]
    return s


@case(1.3, np.array([2**60 + 100, 9], np.uint64), np.uint64(3), 1)
@case(1.3, np.array([2**60 + 100, 9], np.uint64), 3, 0)
def taken_from_the_longest(x, n, k, i):
    n[i] -= k
    n[0] -= k
    return x * (n[0] - np.uint64(2**60)) + x * x * n[1]


@case(1.3, np.array([2**60 + 100, 9], np.uint64), np.uint64(3), np.array([1, 0]))
def taken_from_the_longest_at_places(x, n, k, places):
    n[places] -= k
    return x * (n[0] - np.uint64(2**60)) + x * x * n[1]


@case(1.3, np.array([[2**60 + 100, 9], [7, 8]], np.uint64), np.uint64(3), np.array([1, 0]))
def taken_from_the_longest_of_a_part(x, n, k, places):
    n[places, :1] -= k
    n[n < 9] -= k
    return x * (n[0, 0] - np.uint64(2**60)) + x * x * n[1, 1]


@case(1.3, np.array([9, 8, 7], np.uint8), np.uint8(3), 1)
@case(1.3, np.array([9, 8, 7], np.uint32), np.uint32(3), 2)
@case(1.3, np.array([9, 8, 7], np.uint64), np.uint64(3), 2)
@case(1.3, np.array([9, 8, 7], np.int8), np.int8(3), 0)
def taken_from_a_part(x, n, k, first):
    n[first:] -= k
    n -= k
    return x * n[0] + x * x * n[2]


@case(vector(4), np.array([2, 3], np.int8))
def moved_by_one(x, n):
    n[0] -= 1
    n -= 1
    return x[n[0]] * x[n[1]] * n[1]


@case(1.3, np.array([20, 200, 7], np.uint8), np.array([100, 20], np.int8))
def added_up_in_eight_bits(x, n, m):
    k = np.uint8(0)
    for i in range(n.size):
        k += n[i]
    y = x * k + (m[0] + m[1]) * x
    return y + x * np.sum((n + n) / 2)


@case(1.3, np.array([True, True]), 5)
def sums_of_bools(x, flags, n):
    number = 0
    for i in range(flags.size):
        number += flags[i]
    product = 1
    for k in range(1, n):
        product *= k
    return x * (number + product) + x * x * (flags[0] + flags[1]) * (1 << n)
