import backsweep as bs

SCALES = {"metre": 1.0, "mile": 1609.344}


def scaled(x):
    return x * SCALES["yard"]


def fail():
    bs.grad(scaled)(1.0)
