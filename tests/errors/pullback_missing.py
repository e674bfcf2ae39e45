import backsweep as bs


@bs.custom_vjp
def relu(x):
    return max(x, 0.0)


def cost(x):
    return relu(x) * 2.0


def fail():
    bs.grad(cost)(1.0)
