"""Functions of Python's library around items, fields and members, and decorators of inner functions."""

import dataclasses
import enum
import functools
import itertools
import operator
import types

import numpy as np

from tests.zoo.case import case, vector


class Kind(enum.Enum):
    LINEAR = "linear"
    SQUARE = "square"


@dataclasses.dataclass
class Pair:
    first: float
    second: float = 2.0


def times(factor):
    """A decorator with an argument."""

    def around(function):
        @functools.wraps(function)
        def scaled(*args):
            return factor * function(*args)

        return scaled

    return around


@case(1.5)
def rows_and_runs(x):
    s = sum(itertools.starmap(lambda a, b: a * b * x, [(1.0, 2.0), (x, 3.0)]))
    for key, group in itertools.groupby([1, 1, 2, 2, 2]):
        s += key * len(list(group)) * x
    for is_large, values in itertools.groupby([x, 2.0 * x, 0.1, 3.0 * x], key=lambda v: v > 1.0):
        s += sum(values) * (x if is_large else 2.0)
    return s


@case(1.5)
def dicts_of_keys(x):
    d = dict.fromkeys(("a", "b"), x)
    d["a"] *= 2.0
    view = types.MappingProxyType(d)
    return view["a"] + view["b"] * x


@case(1.5, "square")
def members_by_value(x, kind):
    y = x * x if Kind(kind) is Kind.SQUARE else x
    return y * (x if Kind["LINEAR"] == Kind("linear") else 2.0)


@case(1.5)
def fields_of_dataclasses(x):
    pair = Pair(x, x * x)
    first, second = dataclasses.astuple(pair)
    s = first * second + sum(dataclasses.asdict(pair).values())
    for field in dataclasses.fields(pair):
        s += getattr(pair, field.name)
    return s


@case(vector(3))
def decorated_inside(x):
    def shifted(by):
        def around(function):
            return lambda v: function(v + by)

        return around

    @times(3.0)
    @shifted(x[0])
    def squares(v):
        return np.sum(v * v)

    return squares(x)


@case(1.5)
def the_one_item_of_a_set(x):
    kinds = {isinstance(each, float) for each in (x, 2.0)}
    return x * x if len(kinds) == 1 and kinds.pop() else x


class Scaled:
    def __init__(self, by):
        self.by = by

    def of(self, x):
        return self.by * x


@case(1.5)
def method_by_name(x):
    return operator.methodcaller("of", x)(Scaled(x))
