"""The eval `llsq`: how far a polynomial is from the sign function, in least squares."""

from __future__ import annotations

import backsweep as bs
import numpy as np
from timed import Function, floats, listed


@bs.njit(error_model="numpy")
def objective(x, n):
    total = 0.0
    for i in range(n):
        t = -1.0 + i * 2.0 / (n - 1)
        residual = np.sign(t)
        power = 1.0
        for j in range(x.size):
            residual -= x[j] * power
            power *= t
        total += residual * residual
    return 0.5 * total


def arguments(given):
    return floats(given["x"]), int(given["n"])


FUNCTIONS = {
    "primal": Function(objective, arguments),
    "gradient": Function(bs.grad(objective), arguments, listed),
}
