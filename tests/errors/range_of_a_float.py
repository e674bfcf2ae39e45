import backsweep as bs


def repeated(x, n):
    s = 0.0
    for _ in range(n):
        s += x * x
    return s


def fail():
    bs.grad(repeated)(1.5, 3.0)
