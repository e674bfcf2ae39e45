import backsweep as bs


def count(x):
    raise ValueError("no", x)


def repeated(x):
    s = x
    for _ in range(count(x)):
        s += x
    return s


def fail():
    bs.grad(repeated)(1.5)
