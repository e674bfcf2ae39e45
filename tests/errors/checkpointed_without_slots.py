import math

import backsweep as bs


def decayed(x, n):
    for _ in bs.checkpointed(range(n)):
        x = x - 0.1 * math.sin(x)
    return x


def fail():
    bs.grad(decayed)(2.0, 3)
