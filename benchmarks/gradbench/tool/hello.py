"""The eval `hello`: a square, and its derivative."""

from __future__ import annotations

import backsweep as bs
from timed import Function


def squared(x):
    return x * x


def number(given):
    return (float(given),)


FUNCTIONS = {
    "square": Function(squared, number),
    "double": Function(bs.grad(squared), number),
}
