import backsweep as bs


def changed(x):
    pair = (x, 1.0)
    pair[1] = x * x
    return pair[0] * pair[1]


def fail():
    bs.grad(changed)(2.0)
