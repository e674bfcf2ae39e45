"""Half a square has the number itself as its adjoint: powers of two are folded."""

import numpy as np

ARGS = (np.array([0.4, 1.3, -0.2]), 0.7)
WRT = ("e",)


def half_squares(e, s):
    total = 0.0
    for i in range(e.shape[0]):
        total += 0.5 / s * e[i] ** 2 + 0.5 * e[i] * e[i]
    return total
