import backsweep as bs


def loss(weights, rate):
    return weights * rate


def fail():
    bs.grad(loss, wrt="weigths")
