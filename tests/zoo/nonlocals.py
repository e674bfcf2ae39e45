"""Inner functions that assign variables of the function around them."""

from tests.zoo.case import case, vector


@case(vector(4))
def added_up(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * v

    for v in x:
        add(v)
    return total


@case(vector(5))
def left_early(x):
    total, hits = 0.0, 0

    def hit():
        nonlocal hits
        hits += 1

    def see(v):
        nonlocal total
        if v < 0.5:
            return 0.0
        hit()
        total += v
        return total * hits

    found = 0.0
    for v in x:
        if see(v) > 0.6:
            found += see(v * 2) + total
    return found * hits


@case(vector(3))
def stepped_until(x):
    state = x[0]

    def step(dt):
        nonlocal state
        slope = state * x[1]
        state = state + dt * slope
        return slope

    while state < 3.0:
        step(0.5)
    return state * (state + step(0.1) * state)


def _powers(t, x, n):
    def times(v):
        nonlocal t
        t *= v

    for k in range(n):
        times(x[k])
    return t


@case(vector(4))
def of_a_parameter(x):
    return _powers(x[3], x, 2) + _powers(x[2], x, 3)
