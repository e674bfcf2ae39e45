from numba import cfunc
from numba.core import types

import backsweep as bs


@cfunc("float64(float64)")
def cube(x):
    return x * x * x


class Address(types.WrapperAddressProtocol):
    def __wrapper_address__(self):
        return cube.address

    def signature(self):
        return cube._sig


def twice(f, x):
    return 2.0 * f(x)


def fail():
    bs.grad(twice, wrt="x")(Address(), 2.0)
