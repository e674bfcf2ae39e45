import backsweep as bs


def square(x):
    return x * x


def fail():
    bs.cuda(square)
