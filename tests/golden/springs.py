"""A state of places and speeds, half and half: how long its halves are is a quotient, and each masses one place."""

import numpy as np

ARGS = (np.array([0.3, -0.2, 0.5, 0.1, 0.4, -0.6]), np.array([1.0, 2.0, 1.5]), 0.1, 4)
WRT = ("y", "masses")


def springs(y, masses, dt, steps):
    for _ in range(steps):
        n = y.size // 2
        places, speeds = y[:n], y[n:]
        pull = -np.sin(places) / masses
        y = y + dt * np.concatenate((speeds, pull))
    return np.sum(y * y)
