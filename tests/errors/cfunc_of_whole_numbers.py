from numba import cfunc

import backsweep as bs


@cfunc("int64(int64)")
def tripled(n):
    return 3 * n


def scaled(x):
    return x * tripled(x)


def fail():
    bs.grad(scaled)(2.5)
