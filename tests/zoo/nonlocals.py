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


@case(0.7)
def in_a_comprehension(x):
    y = x

    def twice():
        nonlocal y
        y = y * 2.0
        return y

    return sum([twice() for _ in range(3)]) * y


@case(0.7)
def handed_on(x):
    y = x

    def times(v):
        nonlocal y
        y = y * v
        return y

    def used(f):
        return f(2.0) + f(x)

    return used(times) * y


@case(0.7)
def in_two_functions(x):
    a = x

    def one():
        b = x * 2

        def two():
            nonlocal a, b
            a = a * b
            b += a

        two()
        two()
        return b

    return one() * a


@case(vector(3))
def best_so_far(x):
    calls, best = 0, 0.0

    def seen(t):
        nonlocal calls, best
        calls += 1
        if t > best:
            best = t
        return t * t

    s = 0.0
    while s < 4.0:
        s += seen(x[calls % 3] + calls)
        if calls > 10:
            break
    return s * best + calls


@case(0.7)
def assigned_inside_alone(x):
    def put(v):
        nonlocal s
        s = v * v

    for k in range(3):
        put(x + k)
    s = s + 1.0  # noqa: F821, F841
    return s


@case(vector(3))
def a_list_and_its_length(x):
    found, count = [], 0

    def keep(v):
        nonlocal found, count
        if v > 0.3:
            found = [*found, v * v]
            count += 1
        return count

    kept = [keep(v) for v in x]
    return sum(found) * count + sum(kept)


@case(0.7)
def in_the_condition_of_a_loop(x):
    seen = []
    last = x

    def has_gone_on(v):
        nonlocal last
        last = last + v
        seen.append(last)
        return last < 3.0

    k = 0
    while has_gone_on(k * x):
        k += 1
    return sum(seen) * last
