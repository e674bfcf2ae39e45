import math

import backsweep as bs


def wave(x, w):
    return math.sin(x) * w


def penalised(x, w):
    def scaled(z):
        return wave(z, w) * 2.0

    return wave(x, w) + bs.grad(scaled)(x) ** 2


def fail():
    bs.grad(penalised)(0.3, 0.7)
