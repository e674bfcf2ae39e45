"""All pairs in each step: the array that the inner loops read is copied once per step."""

import numpy as np

ARGS = (np.array([0.5, 0.2, 0.4]), np.array([1.0, 2.0, 0.5]), 2)
WRT = ("x",)


def attract(x, m, steps):
    x = x.copy()
    force = np.zeros(x.size)
    total = 0.0
    for _ in range(steps):
        for i in range(x.size):
            pull = 0.0
            for j in range(x.size):
                gap = x[j] - x[i]
                pull += m[j] * gap / (1.0 + gap * gap)
            force[i] = pull
        for i in range(x.size):
            x[i] += 0.1 * force[i]
            total += x[i] * force[i]
    return total
