import backsweep as bs


def cell(x):
    h = x * x
    return h + x


def cost(x):
    a = cell(x)
    b = cell(a)
    return a * b


def fail():
    bs.grad(cost, wrt="cell.h")(2.0)
