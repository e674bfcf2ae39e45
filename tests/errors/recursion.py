import backsweep as bs


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def fail():
    bs.grad(power)(2.0, 3)
