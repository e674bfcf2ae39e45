from numba import cfunc

import backsweep as bs


@cfunc("float64(float64)")
def cube(x):
    return x * x * x


def twice(f, x):
    return 2.0 * f(x)


def fail():
    bs.grad(twice, wrt="x")(cube, 2.0)
