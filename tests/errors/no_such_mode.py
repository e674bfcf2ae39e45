import backsweep as bs


def square(x):
    return x * x


def fail():
    bs.check_grads(square, (1.0,), modes=("reverse",))
