import backsweep as bs


def lonely(x):
    return x * x


def fail():
    bs.grad(lonely, has_aux=True)(2.0)
