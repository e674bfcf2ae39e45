import backsweep as bs


def named(x):
    d = dict(zip("ab", (x, x * x)))
    return d["b"] * len(" ".join(d))


def fail():
    bs.grad(named)(1.0)
