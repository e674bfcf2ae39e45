import backsweep as bs


class Counting:
    def __init__(self):
        self.failures = 0.0

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        self.failures += kind is not None


def squared(x):
    counting = Counting()
    try:
        with counting:
            y = 1.0 / x
    except ZeroDivisionError:
        y = 0.0
    return y * counting.failures


def fail():
    bs.grad(squared)(1.0)
