import math

import backsweep as bs


def misspelt(x):
    return math.sin(x) * scael


def fail():
    bs.grad(misspelt)(1.0)
