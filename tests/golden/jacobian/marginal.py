"""A Hessian in whose gradient an adjoint is summed in memory: that is computed once, before the tangents, and they read it."""

import numpy as np


def marginal(scale, x, y):
    lower = np.linalg.cholesky(np.exp(-scale[0] * np.abs(np.subtract.outer(x, x))) + scale[1] * np.eye(x.size))
    return np.sum(np.linalg.solve(lower, y) ** 2) + 2.0 * np.sum(np.log(np.diag(lower)))


ARGS = (np.array([0.7, 0.2]), np.linspace(0.0, 2.0, 5), np.array([0.3, -0.1, 0.8, 0.2, -0.5]))
WRT = ("scale",)
WAY = "hessian"
