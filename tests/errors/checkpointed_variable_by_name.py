import math

import backsweep as bs


def decayed(x, n):
    for _ in bs.checkpointed(range(n), slots=3):
        rate = math.sin(x)
        x = x - 0.1 * rate
    return x


def fail():
    bs.grad(decayed, wrt="rate")(2.0, 3)
