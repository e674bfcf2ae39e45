"""Complex numbers: the adjoints are those of the real and imaginary parts."""

import numpy as np

ARGS = (np.array([0.3, 1.2, 0.7]), 0.4)
WRT = ("x", "omega")


def signal(x, omega):
    z = 0j
    for k in range(x.size):
        z += x[k] * np.exp(-1j * omega * k)
    return abs(z) ** 2
