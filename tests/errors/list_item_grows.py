import numpy as np

import backsweep as bs


def grouped(x):
    groups = [[x[0]] for _ in range(2)]
    for i in range(x.size):
        groups[i % 2].append(x[i])
    return groups[0][1] * groups[1][1]


def fail():
    bs.grad(grouped)(np.ones(4))
