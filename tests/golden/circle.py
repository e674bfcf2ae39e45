"""Named constants: pi stays pi, and so do twice and half of it."""

import math

import numpy as np

ARGS = (0.7, 1.3)
WRT = ("r", "t")


def circle(r, t):
    area = np.pi * r * r
    turned = math.cos(2.0 * math.pi * t) + math.sin(math.pi / 2.0 * t)
    return area * turned / math.e
