import backsweep as bs


def partly(x):
    y = y + x
    return y


def fail():
    bs.grad(partly)(1.0)
