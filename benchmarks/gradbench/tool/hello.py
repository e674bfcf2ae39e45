"""The eval `hello`: a square, and its derivative."""

from __future__ import annotations

from timed import Function

import backsweep as bs


def squared(x):
    return x * x


def number(given):
    return (float(given),)


FUNCTIONS = {"square": Function(squared, number), "double": Function(bs.grad(squared), number)}
