import numpy as np

import backsweep as bs


def squares(x):
    totals = {"large": 0.0, "small": 0.0}
    for k in range(x.size):
        kind = "large" if x[k] > 0.5 else "small"
        totals[kind] += x[k] ** 2
    return totals["large"] * totals["small"]


def fail():
    bs.grad(squares)(np.array([0.3, 1.2]))
