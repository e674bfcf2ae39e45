"""Python's heaps: which item comes first depends on the numbers, and the derivative follows it."""

import heapq

import numpy as np

from tests.zoo.case import case


@case(np.array([3.0, 1.0, 2.0, 0.5, 1.7]))
@case(np.zeros(0))
def in_order(x):
    waiting = [0.7]
    for k in range(x.size):
        heapq.heappush(waiting, x[k])
    s, weight = 0.0, 1.0
    while len(waiting) > 0:
        s += weight * heapq.heappop(waiting) ** 2
        weight += 1.0
    return s


@case(np.array([3.0, 1.0, 2.0, 0.5, 1.7]), 0.7)
def replaced(x, w):
    heap = [w * x[k] for k in range(5)]
    heapq.heapify(heap)
    first = heapq.heapreplace(heap, np.sin(x[1]) + w)
    second = heapq.heappushpop(heap, 0.45 * x[2])
    s = first * first * second
    for k in range(len(heap)):
        s += heap[k] ** 2 * (k + 1)
    return s + heapq.nlargest(2, heap)[1] * heapq.nsmallest(2, x)[0]


@case(np.array([[0.0, 1.0, 5.0, 9.0], [1.0, 0.0, 1.2, 7.0], [5.0, 1.0, 0.0, 2.0], [9.0, 7.0, 2.0, 0.0]]))
def shortest_path(lengths):
    n = lengths.shape[0]
    reached = np.full(n, np.inf)
    reached[0] = 0.0
    waiting = [(0.0, 0)]
    while len(waiting) > 0:
        far, i = heapq.heappop(waiting)
        if far > reached[i]:
            continue
        for j in range(n):
            if j != i and far + lengths[i, j] < reached[j]:
                reached[j] = far + lengths[i, j]
                heapq.heappush(waiting, (reached[j], j))
    return reached[n - 1] ** 2
