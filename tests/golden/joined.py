"""Arrays joined to a longer one: each is a part of it, whose length nobody has to ask for."""

import numpy as np

ARGS = (np.array([0.3, 1.2, 0.7]), np.array([0.5, -0.4]))
WRT = ("x", "y")


def joined(x, y):
    z = np.concatenate((x, y * y))
    total = 0.0
    for i in range(1, z.size):
        total += z[i] * z[i - 1] ** 2
    return total
