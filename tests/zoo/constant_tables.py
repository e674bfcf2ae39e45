"""Lists outside of the function, of which the run chooses items: numbers, and rows of them."""

from tests.zoo.case import case

RATES = [0.5, 0.25, 2.0]
WHOLE = [1, 2, 3]
MIXED = [2, 0.5, 1]
RANGES = [(0.0, 1.0), (1.0, 2.0), (2.0, 3)]
PIECES = [[1, 0.5, 0.25], [3.0, 4.0, 0.5], [0.1, 0.2, 2]]
LONG = [0.1 * k - 0.7 for k in range(20)]
STEPS = [(0.1 * k, 0.1 * k + 0.1) for k in range(20)]


def evaluated(coefficients, x):
    total = 0.0
    for c in coefficients:
        total = total * x + c
    return total


@case(0.7)
@case(1.4)
@case(3.5)
def piece_by_interval(x):
    for k in range(len(RANGES)):
        if RANGES[k][0] <= x < RANGES[k][1]:
            return evaluated(PIECES[k], x - RANGES[k][0]) * len(PIECES[k])
    return x * RATES[-1]


@case(0.7, 3)
def sum_over_places(x, n):
    total = 0.0
    for k in range(n):
        total += RATES[k] * x ** WHOLE[-k] + MIXED[k] * x
    return total / WHOLE[n - 1]


@case(0.7, 1)
def chosen_twice(x, k):
    low, high = RANGES[WHOLE[k] - 1]
    return x * (high - x) + PIECES[k][WHOLE[k]] * x**low


@case(0.73)
@case(1.42)
def long_series(x):
    total = 0.0
    for c in LONG:
        total = total * x * 0.5 + c
    for low, high in STEPS:
        if low <= x < high:
            total += (x - low) * high
    for k, c in enumerate(LONG):
        total += c * x * k
    return total
