import backsweep as bs


def cost(x):
    u = x * 2.0
    return u * u


def fail():
    bs.value_and_grad(cost, return_intermediates="x")(2.0)
