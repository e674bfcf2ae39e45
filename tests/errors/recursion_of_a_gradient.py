import backsweep as bs


@bs.grad
def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def fail():
    power(2.0, 3)
