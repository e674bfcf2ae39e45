from numba import njit, objmode
from numba.extending import overload

import backsweep as bs


def scale(x):
    return x


@overload(scale)
def compiled_scale(x):
    def scale_impl(x):
        with objmode(y="float64"):
            y = 3.0 * x
        return y

    return scale_impl


@njit
def scaled(x):
    return scale(x) * x


def fail():
    bs.grad(scaled)(2.0)
