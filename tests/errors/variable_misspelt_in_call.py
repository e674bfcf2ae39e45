import backsweep as bs


def cell(x):
    hidden = x * x
    return hidden + x


def cost(x):
    a = cell(x)
    return a * a


def fail():
    bs.grad(cost, wrt="cell.hiden")(2.0)
