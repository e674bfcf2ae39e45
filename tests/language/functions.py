"""Functions and calls

Your own functions are read from their source and differentiated where they are called. Which function is called must be
known before the program runs.
"""

import functools
import math

import numba
import numpy as np

from tests.language.row import refused, runs

X = np.array([0.7, 0.2, 1.1])


def wave(x, frequency=2.0, *, phase=0.0):
    return math.sin(frequency * x + phase)


@numba.njit
def damped(x, rate):
    return x * math.exp(-rate * x)


def square(x):
    return x * x


@runs("your own functions, defaults, keywords", 0.7, 0.2)
def own(x, y):
    return wave(x) * wave(y, 3.0) + wave(x, phase=y) + wave(frequency=x, x=y)


@runs("`@njit` functions", 0.7, 0.2)
def compiled(x, y):
    return damped(x, y) * damped(y, rate=x)


@runs("`lambda`", 0.7)
def lambdas(x):
    cube = lambda t: t * t * t
    return cube(x) + (lambda t, s=x: t * s)(2.0)


@runs("inner functions and closures", 0.7, 0.2)
def inner(x, y):
    def shifted(t):
        return t * y + x

    y = y * 2.0
    return shifted(x) * shifted(y)


def make(factor):
    def scaled(x):
        return factor * x * x

    return scaled


scaled = runs("a closure made elsewhere", 0.7)(make(1.7))


@runs("functions as arguments", square, 0.7)
def applied(f, x):
    return f(x) * f(f(x))


@runs("`@njit` functions as arguments", damped, 0.7)
def applied_compiled(f, x):
    return f(x, 0.3) * f(f(x, x), 1.0)


@runs("NumPy functions and ufuncs as arguments", np.tanh, 0.7)
def applied_numpy(f, x):
    return f(x) * x


def twice(f, x):
    return f(f(x))


@runs("functions passed on to your own functions", 0.7, 0.2)
def passed_on(x, y):
    return twice(square, x) + twice(lambda t: t * y, x) + twice(np.sin, y)


@runs("`for f in (sin, cos)`, tuples of functions", 0.7)
def tuple_of_functions(x):
    s = 0.0
    for f in (math.sin, square, np.tanh):
        s += f(x) * x
    return s


@refused("a function chosen while the program runs", "BS104", 0.7)
def chosen(x):
    if x > 0.0:
        f = math.sin
    else:
        f = math.cos
    return f(x)


@runs("partial functions that differ in their operands, chosen while the program runs", 0.7)
def chosen_operands(x):
    f = functools.partial(damped, rate=x) if x > 0.5 else functools.partial(damped, rate=2.0)
    return f(x * x)


@refused("a function as a result", "BS106", 0.7)
def returned(x):
    def add(t):
        return t + x

    return add


@runs("`f(*items)`", (0.7, 0.2))
def spread(p):
    return damped(*p) * wave(*p)


@runs("`f(*array)`, `f(*items)`, `[*array, x]`, where `f` has no defaults", X[:2])
def spread_array(x):
    """The array has as many items as the function has parameters left, or TypeError is raised."""
    return multiplied(*x) * sum([*x, 1.0])


def multiplied(a, b):
    return a * b


@runs("`f(*array)` of a function with defaults or `*items`", X[:2])
def spread_array_to_any_number(x):
    return total(*x)


def total(*items):
    s = 0.0
    for item in items:
        s = s * 2.0 + item
    return s * len(items)


@runs("`def f(*items)`", 0.7, 0.2)
def variadic(x, y):
    return total(x, y, x * y) + total(x) + total()


@runs("a `*items` parameter of the differentiated function", 0.7, (0.2, 0.4))
def variadic_itself(x, items):
    return with_items(x, *items)


def with_items(x, *items):
    s = x
    for item in items:
        s = s * item + x
    return s


def options(x, **given):
    return x * given["factor"]


@runs("`def f(**options)`, `f(**{...})`", 0.7)
def keywords(x):
    """In functions that yours calls; the names must be known before the program runs."""
    return options(x, factor=x * x)


@runs("a `**options` parameter of the differentiated function", 0.7)
def keywords_itself(x, **options):
    """A call gives none; `functools.partial(f, scale=2.0)` does."""
    return x * x * options.get("scale", 1.5)


def doubled(f):
    @functools.wraps(f)
    def twice(*args, **kwargs):
        return 2.0 * f(*args, **kwargs)

    return twice


@runs("a function with a decorator around it, `def wrapper(*args, **kwargs)`", 0.7, 0.2)
@doubled
def decorated(x, y, power=2):
    return x**power * y


@runs("`functools.partial`", 0.7, 0.2)
def partial(x, y):
    f = functools.partial(damped, rate=y)
    return f(x) * f(y)


def countdown(x, n):
    if n == 0:
        return x
    return x * countdown(x, n - 1)


@runs("recursion", 0.7, 3)
def recursion(x, n):
    return countdown(x, n)


def even(x, n):
    return x if n == 0 else x * odd(x, n - 1)


def odd(x, n):
    return x + 1.0 if n == 0 else x * even(x, n - 1)


@runs("mutual recursion", 0.7, 3)
def mutual(x, n):
    return even(x, n)


@runs("an inner function that calls itself as often as numbers that are written out say", 0.7, 0.2)
def inner_recursion_of_known_depth(x, y):
    known = {}

    def ways(n):
        if n not in known:
            known[n] = x * n if n < 2 else ways(n - 1) + y * ways(n // 2)
        return known[n]

    return ways(5)


@refused("an inner function that calls itself as often as the run says", "BS116", 0.7, 3)
def inner_recursion(x, n):
    def walk(y, k):
        return y if k == 0 else x * walk(y, k - 1)

    return walk(x, n)


@refused("recursion that draws random numbers", "BS116", 0.7, 3)
def random_recursion(x, n):
    return noisy(x, n)


def noisy(x, n):
    return x if n == 0 else np.random.normal() * noisy(x, n - 1)  # noqa: NPY002  what Numba has


@refused("`yield` in the differentiated function itself", "BS003", 0.7)
def generator(x):
    yield x * x


def steps(x):
    yield x
    yield x * x


@runs("loops over a call of a generator function, also enumerated, and `yield from`", 0.7)
def uses_generator(x):
    s = 0.0
    for k, value in enumerate(both_steps(x)):
        s += k * value
    return s


def both_steps(x):
    yield from steps(x)
    yield from steps(2.0 * x)


@runs("`list`, `tuple`, `sum`, `sorted`, `min`, `max`, `np.fromiter` and unpacking of such a call", 0.7)
def takes_generator(x):
    first, second = steps(x)
    return first * second + sum(steps(x)) + max([value * value for value in steps(x)])


@runs(
    "such a call in `any`, `all`, `next`, `in`, `zip`, `functools.reduce`, `[*steps(x)]` and `f(*steps(x))`",
    0.7,
)
def asks_generator(x):
    s = next(steps(x)) * next((v for v in steps(x) if v < 0.6), 2.0)
    for value, k in zip(steps(x), range(3)):
        s += k * value
    return s if any(v > 0.6 for v in steps(x)) and 0.3 not in steps(x) else x


@runs(
    "a generator that is kept and asked for its `next` item, or handed to a function that goes through it once",
    0.7,
)
def keeps_generator_to_ask(x):
    """Where it ends and nothing is written in between, so that its items may be computed before."""
    found = steps(x)
    first = next(found)
    return first * next(found) + total_of(v * v for v in steps(x))


def total_of(items):
    total = 0.0
    for item in items:
        total += item
    return total


@refused("a generator that is kept otherwise, or calls itself", "BS117", 0.7)
def keeps_generator(x):
    found = steps(x)
    return found if x > 1.0 else x


@refused("`async def`", "BS003", 0.7)
async def coroutine(x):
    return x * x


@runs("`import` inside of the function", 0.7)
def importing(x):
    import math as m
    from math import sin

    return m.cos(x) * sin(x)


@runs("annotations, positional-only parameters", 0.7, 0.2)
def positional(x: float, /, y: float) -> float:
    return x * y * y
