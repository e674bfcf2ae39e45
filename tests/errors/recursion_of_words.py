import backsweep as bs


def word(x, n):
    if n == 0:
        return "end"
    return word(x, n - 1)


def ended(x):
    if word(x, 2) == "end":
        return x
    return 2.0 * x


def fail():
    bs.grad(ended)(2.0)
