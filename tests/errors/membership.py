import backsweep as bs


def listed(x, k):
    if k in x:
        return x * x
    return x


def fail():
    bs.grad(listed)(1.0, 3)
