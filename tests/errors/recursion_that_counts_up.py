import numpy as np

import backsweep as bs


def folded(x):
    def rest(k):
        if k >= len(x):
            return 1.0
        return np.sin(x[k]) * rest(k + 1)

    return rest(0)


def fail():
    bs.grad(folded)(np.array([0.3, 1.2]))
