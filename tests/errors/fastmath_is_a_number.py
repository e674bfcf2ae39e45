import backsweep as bs


def ratio(x, y):
    return x / y


def fail():
    bs.grad(ratio, fastmath=3)
