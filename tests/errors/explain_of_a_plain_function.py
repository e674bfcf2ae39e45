import backsweep as bs


def square(x):
    return x * x


def fail():
    bs.explain(square, 2.0)
