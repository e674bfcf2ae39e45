"""`elif`, and a result per branch."""

import numpy as np

ARGS = (np.array([0.2, 1.7, -2.5, 0.1]), 1.0)
WRT = ("residuals", "delta")


def huber(residuals, delta):
    total = 0.0
    for r in residuals:
        if r > delta:
            total += delta * (r - 0.5 * delta)
        elif r < -delta:
            total -= delta * (r + 0.5 * delta)
        else:
            total += 0.5 * r * r
    return total
