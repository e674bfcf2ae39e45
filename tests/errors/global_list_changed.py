import backsweep as bs

HISTORY = []


def remembered(x):
    HISTORY.append(x)
    return x * x


def fail():
    bs.grad(remembered)(2.0)
