import backsweep as bs


def cost(x):
    pair = (x, x * x)
    return pair[0] * pair[1]


def fail():
    bs.grad(cost, hooks={"pair": lambda adjoint: adjoint})(1.0)
