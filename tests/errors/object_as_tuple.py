from dataclasses import dataclass

import backsweep as bs


@dataclass
class Line:
    slope: float
    offset: float


def height(x):
    first, second = Line(x, 2.0)
    return first * second


def fail():
    bs.grad(height)(1.0)
