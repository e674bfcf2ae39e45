import backsweep as bs

seen = {}


def store(adjoint):
    seen["u"] = adjoint


def cost(x):
    u = x * x
    return u * x


def fail():
    bs.grad(cost, hooks={"u": store})(1.0)
