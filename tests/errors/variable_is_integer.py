import backsweep as bs


def cost(x, n):
    k = n + 1
    return x * k


def fail():
    bs.grad(cost, wrt="k")(2.0, 3)
