from numba import njit
from numba.extending import overload

import backsweep as bs


def scale(x):
    return x


@overload(scale)
def compiled_scale(x):
    return lambda x: 3.0 * x


@njit
def scaled(x):
    return scale(x) * x


def fail():
    bs.grad(scaled)(2.0)
