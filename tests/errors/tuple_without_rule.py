import numba
from numba.core import types
from numba.extending import intrinsic

import backsweep as bs


@intrinsic
def parts(context, x):
    def written(context, builder, signature, args):
        return context.get_constant_null(signature.return_type)

    return types.UniTuple(types.float64, 2)(x), written


@numba.njit
def fraction(x):
    rest, _ = parts(x)
    return rest * x


def fail():
    bs.grad(fraction)(1.5)
