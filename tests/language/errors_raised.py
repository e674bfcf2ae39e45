"""Errors that the function raises"""

from tests.language.row import refused, runs


@runs("`assert`, with or without a message", 0.7)
def asserted(x):
    assert x > 0.0
    assert x < 1.0, "x is too large"
    assert x < 2.0, f"x is {x}"
    return x * x


@runs('`raise Error("text")`', 0.7)
def raised(x):
    if x < 0.0:
        raise ValueError("negative")
    elif x > 5.0:
        raise OverflowError
    return x * x


@runs("f-strings in `raise`", 0.7)
def formatted(x):
    """Python formats them, also for compiled code."""
    if x < 0.0:
        raise ValueError(f"negative: {x:.2f}")
    return x * x


class Negative(Exception):
    pass


@runs("your own exception classes", 0.7)
def own(x):
    if x < 0.0:
        raise Negative("negative", 3)
    return x * x


@runs("`raise ... from ...`", 0.7)
def from_(x):
    if x < 0.0:
        raise ValueError("negative") from None
    return x * x


@refused("`raise` alone, outside a handler of one exception", "BS101", 0.7)
def again(x):
    if x < 0.0:
        raise
    return x * x


@runs("`raise NotImplementedError` in a branch that is not taken", 0.7, "square")
def not_taken(x, kind):
    if kind == "square":
        return x * x
    raise NotImplementedError(kind)
