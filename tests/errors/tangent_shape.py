import numpy as np

import backsweep as bs


def doubled(x):
    return 2.0 * x


def fail():
    bs.jvp(doubled, (np.ones(3),), (np.ones(4),))
