import backsweep as bs


def cost(x, n):
    bs.hook(n, lambda adjoint: adjoint)
    return x * n


def fail():
    bs.grad(cost)(1.0, 3)
