import math

import backsweep as bs


def wave(x, w):
    return math.sin(x) * w


slope = bs.grad(wave)


def penalised(x, w):
    return wave(x, w) + slope(x, w) ** 2


def fail():
    bs.grad(penalised)(0.3, 0.7)
