"""`match` that takes tuples, lists and objects apart."""

from dataclasses import dataclass
from typing import NamedTuple

from tests.zoo.case import case, vector


@dataclass
class Disk:
    """A place and a radius."""

    place: float
    radius: float


class Side(NamedTuple):
    """Two ends."""

    start: float
    end: float


@case(vector(5))
def operations_in_turn(x):
    state = 0.0
    for step in (("scale", x[0]), ("shift", x[1], x[2]), ("all", x[0], x[3], x[4]), ["double"]):
        match step:
            case ("scale", f):
                state = (state + 1.0) * f
            case ("shift", a, b):
                state += a * b
            case ("all", *rest, last):
                state += sum(rest) * last
            case ["double"]:
                state *= 2.0
    return state


@case(vector(4))
def objects(x):
    total = 0.0
    for shape in (Disk(x[0], x[1]), Side(x[2], x[3]), ("pair", Disk(x[1], 2.0), Side(x[0], x[0]))):
        match shape:
            case Disk(radius=r) if r > 5.0:
                total += r
            case Disk(place, r):
                total += place * r**2
            case Side(start=a, end=b):
                total += (b - a) ** 2
            case ("pair", Disk(p, _), Side(s, _)):
                total += p * s
    return total


@case(vector(4))
def numbers_of_the_run(x):
    total = 0.0
    for i in range(6):
        match (i % 2, i % 3):
            case (0, 0):
                total += x[0]
            case (0, k):
                total += x[1] * k
            case (1, 1 | 2 as k) if x[k] > 0.0:
                total += x[2] * k * x[k]
            case _:
                total += x[3]
    return total


@case(vector(3))
@case(vector(1))
def lists_by_length(x):
    items = [v * v for v in x]
    match items:
        case [a]:
            return a
        case [a, *rest]:
            return a * sum(rest) + len(rest)
        case _:
            return x.sum()


@case(vector(5))
def truths_by_identity(x):
    total = 0.0
    done = False
    found = None
    for i in range(5):
        if done is True:
            break
        total += x[i] * x[0] * i
        done = bool(total > 1.0)
        if bool(x[i] > 1.0):
            found = True
    match (i % 2, found):
        case (_, True):
            total *= x[2]
        case _:
            total *= x[3]
    return total if found is not True else total * total
