"""A linear stencil: nothing is recorded; the reverse sweep gathers what is added to each element, those at the edges apart."""

import numpy as np

ARGS = (np.arange(20.0).reshape(4, 5) / 10.0, 2)
WRT = ("a",)


def five_point(a, steps):
    b = a.copy()
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = b[i, j]
    return np.sum(a * a)
