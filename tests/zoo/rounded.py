"""Numbers stored into memory of another dtype, which cuts them off or widens them; zeros with a sign; the order of sums."""

import numpy as np

from tests.zoo.case import case

COUNTS = np.array([1, 2, 3, 4])
WIDE = np.array([1.5, 2.5, 3.5, -4.5])


@case(WIDE)
def cut_off_before_a_product(a):
    m = a.astype(np.int64) + 1
    m[:] = m * 0.75
    y = a * m
    return np.sum(y * y)


@case(COUNTS, 0.75)
def cut_off_before_a_sum(k, x):
    m = k + 1
    m[:] = m * 0.75
    y = m * x
    return np.sum(y)


@case(COUNTS, 0.7)
def cut_off_what_is_differentiated(k, x):
    m = k + 1
    m[:] = m * x
    y = m * x
    return np.sum(y)


@case(COUNTS, 1.5)
def cut_off_after_an_addition(k, x):
    m = k * 2
    m += m * 3
    m[:] = m * 0.3
    return np.sum(m * x)


@case(COUNTS, 1.5)
def truth_of_counts(k, x):
    m = k > 1
    m[:] = k
    return np.sum(m * x)


@case(COUNTS, 1.5)
def counts_as_floats(k, x):
    y = k * x
    y[:] = k
    z = y / 4
    y += k
    return np.sum(y * z * x)


@case(WIDE)
def real_in_complex(a):
    b = a * (1.0 + 2.0j)
    b[:] = np.abs(b)
    c = b * a + 1j
    b += a
    return np.sum(np.abs(b * c))


@case(WIDE)
def literals(a):
    b = a * 2.0
    b[:] = 3
    c = b**-1
    b += 2
    return np.sum(b * c * a)


@case(WIDE.astype(np.float32), WIDE)
def single_then_double(a, b):
    y = a * a
    y[:] = b / 3.0
    z = y * y
    return np.sum(z * b)


@case(0.7)
def zero_that_loses_its_sign(x):
    nothing = -abs(x) * 0.0
    total = 0.0
    total += nothing
    return np.arctan2(nothing + 0.0, -1.0) * x + np.arctan2(0 + nothing, -x) + np.arctan2(total, -x)


@case(0.7)
def zero_that_loses_its_sign_in_memory(x):
    held = np.full(3, -abs(x) * 0.0)
    sums = np.zeros(3)
    sums[0] += held[0]
    sums[1] = 0.0
    sums[1] += held[1]
    held[2] += 0.0
    return np.arctan2(sums[0], -x) + np.arctan2(sums[1], -x) + np.arctan2(held[2], -x) * x


@case(0.7)
def zeros_of_an_array_that_lose_their_signs(x):
    held = np.full(3, -abs(x) * 0.0)
    sums = np.zeros_like(held) + held
    held = held + 0.0
    return np.sum(np.arctan2(sums, -1.0) * x) + np.sum(np.arctan2(held, -x))


@case(0.7)
def additions_in_the_order_written(x):
    held = np.ones(2)
    held[0] += 1e16
    held[0] += -1e16
    held[1] *= x
    return (held[0] + held[1]) * x
