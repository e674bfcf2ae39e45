import backsweep as bs


def cost(x):
    u = x * x
    return u * u


def fail():
    bs.grad(cost, wrt="u@4")(2.0)
