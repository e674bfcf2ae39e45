import backsweep as bs


def scaled(x, factor):
    return x * factor


def fail():
    bs.grad(scaled)(2.0, 3.0, 4.0)
