import backsweep as bs


def fail():
    bs.grad(len)(1.0)
