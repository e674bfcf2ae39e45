import numpy as np

import backsweep as bs


def grouped(x):
    groups = [[x[k]] for k in range(x.size)]
    first = groups[0]
    groups[0] = [x[1]]
    first.append(x[2])
    return first[1] * groups[0][0]


def fail():
    bs.grad(grouped)(np.ones(4))
