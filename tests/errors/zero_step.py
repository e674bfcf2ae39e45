import backsweep as bs


def stuck(x):
    for i in range(0, 10, 0):
        x = x * x
    return x


def fail():
    bs.grad(stuck)(2.0)
