"""A checkpointed loop that writes an array, with as many snapshots as half of the memory holds."""

import numpy as np

import backsweep as bs

ARGS = (np.array([0.1, 0.5, 0.9, 0.4]), 0.2, 30)
WRT = ("u", "k")


def diffusion(u, k, n):
    u = u.copy()
    for _ in bs.checkpointed(range(n), memory="1 KiB"):
        left = u[0]
        for i in range(1, u.size - 1):
            here = u[i]
            u[i] = here + k * np.sin(left - 2.0 * here + u[i + 1])
            left = here
    return (u * u).sum()
