"""Two products of matrices in a row, between scaled matrices."""

import numpy as np

RNG = np.random.default_rng(3)
ARGS = (1.5, 1.2, *(RNG.normal(size=shape) for shape in ((2, 3), (3, 4), (4, 3), (2, 3))))
WRT = ("alpha", "beta", "a", "b", "c", "d")


def k2mm(alpha, beta, a, b, c, d):
    out = alpha * a @ b @ c + beta * d
    return np.sum(out * out)
