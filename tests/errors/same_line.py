import backsweep as bs

pair = [lambda x: x * x, lambda x: x * x]


def fail():
    bs.grad(pair[0])(1.0)
