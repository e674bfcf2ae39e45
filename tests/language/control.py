"""Branches and loops

A condition that follows from types and constants is decided before the program runs, and only that branch is compiled.
"""

from typing import NamedTuple

import numpy as np

from tests.language.row import refused, runs

X = np.array([0.7, 0.2, 1.1])
MODE = "fast"


@runs("`if`, `elif`, `else`", 0.7, 0.2)
def branches(x, y):
    if x < y:
        z = x
    elif x < 2.0 * y:
        z = x * y
    else:
        z = x * x * y
    return z * x


@runs("`a if c else b`", 0.7, 0.2)
def conditional(x, y):
    return x * y if x > y else y * y


@runs("`and`, `or`, `not`", 0.7, 0.2)
def logic(x, y):
    """The right side is evaluated only if the left does not decide; the result is one of the operands."""
    if not (x > 1.0 or y > 1.0) and x > y:
        x = x * y
    z = x or y
    return z * y


@runs("`a < b < c`, chained comparisons", 0.7, 0.2)
def chained(x, y):
    return x * x if 0.0 < y < x < 1.0 else y


@runs("conditions on globals", 0.7)
def on_global(x):
    if MODE == "fast":
        return x * x
    return undefined_function(x)  # noqa: F821


@runs("`while`", 0.7)
def while_loop(x):
    s = x
    while s < 10.0:
        s = s * s + 1.0
    return s


@runs("`while True` with `break`", 0.7)
def endless(x):
    s = x
    k = 0
    while True:
        s = s * x + 1.0
        k += 1
        if k > 3:
            break
    return s


@runs("`for ... in range(start, stop, step)`", 0.7, 3)
def ranges(x, n):
    s = 1.0
    for i in range(n):
        for j in range(n, -n, -2):
            s = s * x + i - j
    return s


@runs("`break`", X, 1.0)
def breaking(x, limit):
    s = 0.0
    for value in x:
        if s * s > limit:
            break
        s += value * value + 0.7
    return s


@runs("`continue`", X)
def continuing(x):
    s = 0.0
    for value in x:
        if value < 0.5:
            continue
        s += value * value
    return s


@runs("`return` out of branches and loops", X, 0.9)
def early_return(x, limit):
    s = 1.0
    for i in range(x.size):
        for j in range(i + 1):
            s += x[i] * x[j]
            if s > 1.0 + limit:
                return s * s
    return s


@runs("`for ... else`", X, 5.0)
def for_else(x, limit):
    s = 0.0
    for value in x:
        s += value * value
        if s > limit:
            break
    else:
        s = s * s
    return s


@runs("`while ... else`", 0.7)
def while_else(x):
    s = x
    k = 0
    while k < 4:
        s = s * x + 1.0
        if s > 100.0:
            break
        k += 1
    else:
        s *= x
    return s


@runs("a loop's variable after the loop", X)
def after_the_loop(x):
    for value in x:
        y = value * value
    return y * value


@refused("a name that some path leaves unassigned", "BS105", 0.7)
def unassigned(x):
    if False:
        y = x * x
    return y


@runs("`match` on literals", 0.7, 1)
def matched(x, k):
    """With guards, `|`, `as`, `_`, and classes as in `case float():`."""
    match k:
        case 1 | 2 if x > 0.0:
            return x * x
        case _:
            return x


class Circle(NamedTuple):
    x: float
    radius: float


@runs("`match` of tuples, lists and objects: `case (a, *rest)`, `case Circle(x, radius=r)`", 0.7, 0.2)
def matched_parts(x, y):
    total = 0.0
    for shape in (("round", Circle(x, y)), ("long", x, y, 2.0), [y]):
        match shape:
            case (_, Circle(centre, radius=r)) if r > 0.0:
                total += centre * r * r
            case ("long", first, *rest):
                total += first * sum(rest)
            case [z]:
                total += z
    return total


@refused("`match` of dicts", "BS101", 0.7)
def matched_dict(x):
    match {"rate": x}:
        case {"rate": rate}:
            return x * rate
    return 0.0


@runs("`with np.errstate(...)`", 0.7)
def silenced(x):
    """With 'ignore' and 'warn': compiled code neither warns nor raises."""
    with np.errstate(divide="ignore"):
        return np.log(x) / x


@runs("`with` around an object with `__enter__` and `__exit__`, or `@contextlib.contextmanager`", 0.7)
def managed(x):
    """`__exit__` returns nothing, and is not told what is raised; the generator yields once, perhaps within `try` with `finally`. Also `contextlib.suppress` and `nullcontext`."""
    with Doubled(x) as doubled:
        doubled.total += x
    return doubled.total


class Doubled:
    def __init__(self, total):
        self.total = total

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        self.total *= 2.0


@refused("`with` around an object whose `__exit__` may catch exceptions", "BS101", 0.7)
def swallowed(x):
    with Catching():
        return x * x


class Catching:
    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        return kind is ValueError


@refused("`with numba.objmode(): ...`", "BS101", 0.7)
def object_mode(x):
    """So are other context managers; those move out of the function."""
    import numba

    with numba.objmode(y="float64"):
        y = float(str(x))
    return y * x


@runs("`try ... except`, `else`", 0.7)
def trying(x):
    """What is caught is tested for before it happens: `raise` and `assert`, the division of a number by zero
    (of NumPy's numbers too, as in compiled code), matrices that `np.linalg` cannot factorise, keys, subscripts and items that a container does not have, and, where Numba does not compile the function, zero to a negative power, powers that are too large, the domains of `math`, and texts and numbers that `int` and `float` cannot convert."""
    try:
        y = 1.0 / x
    except ZeroDivisionError:
        y = 0.0
    return y


@refused("`except` of errors that compiled code does not raise", "BS101", X)
def too_large(x):
    try:
        return np.exp(x[0])
    except FloatingPointError:
        return 0.0


@runs("`except KeyError`, `except IndexError`", X)
def looked_up(x):
    s = 0.0
    table = {0: x[0], 2: x[1]}
    for k in range(4):
        try:
            s += table[k] * x[k]
        except KeyError:
            table[k] = x[0]
        except IndexError:
            break
    return s


class Shape:
    def __init__(self, side):
        self.side = side

    def area(self):
        try:
            return self.kept
        except AttributeError:
            self.kept = self.side**2
            return self.kept


@runs("`except AttributeError`", 0.7)
def attribute_that_is_kept(x):
    """Whether the attribute is there must be known before the program runs."""
    shape = Shape(x)
    return shape.area() + 2.0 * shape.area()


@runs("`try` around calls of functions and methods that raise", 0.7)
def around_a_helper(x):
    """They say so by what they return. A call in a comprehension, or behind `and`, `or` or `if` of an expression, must stand in a statement of its own."""
    try:
        y = positive_cube(x) + positive_cube(x - 1.0)
    except ValueError:
        y = x * x
    return y


def positive_cube(x):
    y = x**3
    if y < 0.0:
        raise ValueError("negative")
    return y


@refused("`try` around such a call in a comprehension", "BS101", 0.7)
def around_a_helper_in_a_comprehension(x):
    try:
        y = sum([positive_cube(x - k) for k in range(3)])
    except ValueError:
        y = 0.0
    return y


@refused("an exception that is read: `except ValueError as error`", "BS101", 0.7)
def kept_error(x):
    try:
        y = 1.0 / x
    except ZeroDivisionError as error:
        print(error)
        y = 0.0
    return y


@runs("`try ... finally`", 0.7)
def finally_(x):
    """The `finally` block may only assign variables and change memory; it runs however the first block is left."""
    try:
        return x * x
    finally:
        x = 0.0


@refused("`try ... finally` with effects", "BS101", 0.7)
def finally_with_effects(x):
    try:
        y = x * x
    finally:
        print("done")
    return y


@runs("`try: import ...`, `except ImportError`", 0.7)
def optional_import(x):
    try:
        from nowhere import sine
    except ImportError:
        from math import sin as sine
    return sine(x)
