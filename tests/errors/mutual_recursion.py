import backsweep as bs


def even(x, n):
    return x if n == 0 else x * odd(x, n - 1)


def odd(x, n):
    return 0.0 if n == 0 else x * even(x, n - 1)


def fail():
    bs.grad(even)(2.0, 3)
