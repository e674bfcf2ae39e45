import backsweep as bs


def power(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def fail():
    bs.trace(power)(2.0, 3).contributions("y")
