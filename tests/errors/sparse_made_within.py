import numpy as np
import scipy.sparse

import backsweep as bs

ROWS, COLUMNS = np.array([0, 1, 2, 0]), np.array([1, 2, 0, 0])


def product(entries, x):
    matrix = scipy.sparse.csr_matrix((entries, (ROWS, COLUMNS)), shape=(3, 3))
    return np.sum((matrix @ x) ** 2)


def fail():
    bs.grad(product)(np.ones(4), np.arange(1.0, 4.0))
