"""The eval `kmeans`: the cost of centroids, and Newton's direction.

The Hessian has nothing beside its diagonal, so that its product with ones is the diagonal.
"""

from __future__ import annotations

import numpy as np
from timed import Function, floats, listed

import backsweep as bs


@bs.njit
def cost(centroids, points):
    total = 0.0
    for i in range(points.shape[0]):
        least = np.inf
        for j in range(centroids.shape[0]):
            square = 0.0
            for d in range(points.shape[1]):
                square += (centroids[j, d] - points[i, d]) ** 2
            if square < least:  # noqa: PLR1730  most numbers have no adjoint, and branches show it
                least = square
        total += least
    return total


slope = bs.grad(cost)
product = bs.hvp(cost)


def direction(centroids, points):
    diagonal = product((centroids, points), (np.ones_like(centroids),))
    return slope(centroids, points) / diagonal


def arguments(given):
    return floats(given["centroids"]), floats(given["points"])


FUNCTIONS = {
    "cost": Function(cost, arguments),
    "dir": Function(direction, arguments, listed),
}
