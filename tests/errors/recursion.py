import backsweep as bs


def power(x, n):
    def multiplied(y, k):
        if k == 0:
            return y
        return x * multiplied(y, k - 1)

    return multiplied(1.0, n)


def fail():
    bs.grad(power)(2.0, 3)
