import backsweep as bs


def shortened(x):
    items = [x, x * x]
    del items[0]
    return items[0]


def fail():
    bs.grad(shortened)(1.0)
