import dataclasses

import backsweep as bs


@dataclasses.dataclass
class Point:
    x: float
    y: float


def on_parabola(x):
    return Point(x, x * x)


def fail():
    bs.vjp(on_parabola, 1.0)
