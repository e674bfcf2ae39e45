import backsweep as bs


def pairs(x):
    a, b, c = x, x * x
    return a * b * c


def fail():
    bs.grad(pairs)(2.0)
