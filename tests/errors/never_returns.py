import backsweep as bs


def force(x):
    raise NotImplementedError


def work(x):
    return 0.5 * force(x)


def fail():
    bs.grad(work)(2.0)
