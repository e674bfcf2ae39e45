import backsweep as bs


def dynamic(x):
    if hasattr(x, "shape"):
        return x[0]
    return x * x


def fail():
    bs.grad(dynamic)(2.0)
