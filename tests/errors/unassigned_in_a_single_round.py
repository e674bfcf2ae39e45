import backsweep as bs


def once(x):
    while True:
        y += x
        break
    return y


def fail():
    bs.grad(once)(1.0)
