import backsweep as bs


def power(x, n):
    y = x
    for _ in range(n):
        y = y * x
    return y


def fail():
    bs.trace(power)(1.0, 6000).graph(loops="all")
