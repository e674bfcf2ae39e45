import backsweep as bs


def loss(x, scale=2.0):
    return x * x * scale


def fail():
    bs.grad(loss, wrt="scale")(1.0)
