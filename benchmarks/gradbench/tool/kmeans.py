"""The eval `kmeans`: the cost of centroids, and Newton's direction.

The Hessian has nothing beside its diagonal, so that its product with ones is the diagonal.
"""

from __future__ import annotations

import backsweep as bs
import numpy as np
from timed import Function, floats, listed


@bs.njit
def nearest(centroids, points):
    """The number of the centroid next to each point: of the squares of distances, what depends on the centroid is compared."""
    scores = 0.5 * np.sum(centroids * centroids, axis=1) - points @ centroids.T
    labels = np.empty(points.shape[0], np.int64)
    for i in range(points.shape[0]):
        labels[i] = np.argmin(scores[i])
    return labels


@bs.njit
def cost(centroids, points):
    labels = nearest(centroids, points)
    total = 0.0
    for i in range(points.shape[0]):
        for d in range(points.shape[1]):
            total += (centroids[labels[i], d] - points[i, d]) ** 2
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
