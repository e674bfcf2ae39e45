import backsweep as bs


def square(x):
    return x * x


def fail():
    bs.grad(square).source(1.0, optimize="pretty")
