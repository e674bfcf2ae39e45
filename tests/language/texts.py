"""Strings and printing"""

import warnings

from tests.language.row import refused, runs


@runs("`print(...)`", 0.7)
def printing(x):
    """It prints once, in the forward sweep."""
    print("x is", x)
    return x * x


@runs("f-strings in `print`", 0.7)
def printing_formatted(x):
    print(f"x is {x:.2f}, and its square {x * x!r}")
    return x * x


@runs("`warnings.warn(...)`", 0.7)
def warning(x):
    """It warns once, in the forward sweep, also from compiled code; a filter may make an error of it."""
    if x > 1.0:
        warnings.warn(f"large: {x:.2f}", RuntimeWarning, stacklevel=2)
    return x * x


@runs("string constants and comparisons of them", 0.7)
def constant(x):
    kind = "square"
    if kind == "square" and len(kind) == 6 and kind[0] == "s" and kind[-1] != "s":
        return x * x
    return x


@runs("f-strings, `str(k)` and `%` of the numbers of loops, as keys of dicts", 0.7)
def keyed(x):
    """The loops are written out, one iteration after the other."""
    weights = {f"w{k}": x * (k + 1) for k in range(3)}
    total = 0.0
    for k in range(2):
        total += weights["w" + str(k)] * weights["w%d" % (k + 1)]
    return total


@refused("f-strings as values", "BS102", 0.7)
def formatted(x):
    text = f"{x}"
    return x * len(text)


@refused("`str(x)`", "BS102", 0.7)
def str_of(x):
    return x * len(str(x))


@refused("`float(text)` of what is computed", "BS102", 0.7)
def parsed(x):
    return float(str(x)) * x


@refused('`"%f" % x`', "BS102", 0.7)
def percent(x):
    return x * len("%f" % x)
