import backsweep as bs


def third(x):
    pair = (x, x * x)
    return pair[2]


def fail():
    bs.grad(third)(1.0)
