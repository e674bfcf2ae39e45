import backsweep as bs


def cost(x):
    u = x * x
    return u * x


def fail():
    bs.grad(cost, hooks={"u": 2.0})
