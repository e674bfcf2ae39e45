import numpy as np

import backsweep as bs


def history_of(values):
    best, history = None, []
    for value in values:
        history.append(best)
        if best is None or value > best:
            best = value
    return best


def fail():
    bs.grad(history_of)(np.ones(3))
