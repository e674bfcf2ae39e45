"""The eval `lse`: the logarithm of a sum of exponentials."""

from __future__ import annotations

import backsweep as bs
import numpy as np
from timed import Function, floats, listed


@bs.njit
def log_sum_exp(x):
    top = x.max()
    return top + np.log(np.sum(np.exp(x - top)))


def arguments(given):
    return (floats(given["x"]),)


FUNCTIONS = {
    "primal": Function(log_sum_exp, arguments),
    "gradient": Function(bs.grad(log_sum_exp), arguments, listed),
}
