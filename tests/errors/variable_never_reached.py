import math

import backsweep as bs


def cost(x):
    k = 0
    total = x
    while k < 4 and k == 3:
        k += 1
        u = math.sin(total)
        total = total + u
    return total


def fail():
    bs.grad(cost, wrt=("u", "x"))(2.0)
