"""Two buffers that swap roles."""

import numpy as np

ARGS = (np.array([0.3, 0.8, 0.1, 0.4, 0.9]), 4)
WRT = ("x",)


def ping_pong(x, steps):
    old = x.copy()
    new = np.zeros_like(old)
    for t in range(steps):
        for i in range(1, old.size - 1):
            new[i] = 0.5 * old[i] * old[i] + 0.25 * (old[i - 1] + old[i + 1])
        old, new = new, old
    return np.sum(old * old)
