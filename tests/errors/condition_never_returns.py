import backsweep as bs


def stop(x):
    raise ValueError("no", x)


def waiting(x):
    s = x
    while not stop(x):
        s += x
    return s


def fail():
    bs.grad(waiting)(1.5)
