"""Deques as queues, windows and rings, and sets whose items are taken in order."""

import collections
from collections import deque

import numpy as np

from tests.zoo.case import case, vector


@case(np.array([0.9, 0.3, 1.2, 0.7, 0.5]))
def largest_of_a_window(x):
    """What the reverse sweep compares with the largest is the window as it was then."""
    window = deque(maxlen=3)
    total = 0.0
    for v in x:
        window.append(v)
        total += max(window) * window[0]
    return total


@case(vector(5))
def means_of_a_window(x):
    window = deque(maxlen=3)
    total = 0.0
    for v in x:
        window.append(v * v)
        total += sum(window) / len(window)
    return total


@case(vector(5))
def a_filter_with_feedback(x):
    past = deque([0.0] * 3, maxlen=3)
    y = 0.0
    for v in x:
        y = v - 0.5 * past[-1] * past[0] + 0.25 * past[0]
        past.append(y)
    return y * np.mean(past)


@case(vector(4))
def breadth_first(x):
    waiting, seen = deque([0]), {0}
    near = [[1, 2], [3], [3], []]
    total = 0.0
    while waiting:
        i = waiting.popleft()
        total = total * 0.5 + x[i] ** 2
        for j in near[i]:
            if j not in seen:
                seen.add(j)
                waiting.append(j)
    return total


@case(vector(3))
def tuples_that_wait(x):
    waiting = collections.deque([(0, x[0])])
    total = 0.0
    while waiting:
        depth, v = waiting.popleft()
        total += v * depth
        if depth < 2:
            waiting.append((depth + 1, v * x[1]))
            waiting.append((depth + 2, v * x[2]))
    return total


@case(vector(4))
def both_ends(x):
    items = deque([x[0], x[1]], maxlen=4)
    for v in x:
        items.appendleft(v)
    items.extend([x[0], 2.0])
    items.extendleft([x[1] * 3, x[2]])
    items.rotate(-1)
    items.rotate()
    items.rotate(2)
    total = 0.0
    for i, v in enumerate(items):
        total += i * v
    return total * items.pop() * len(items)


class Delay:
    """A line that gives back what was put in some steps ago."""

    def __init__(self, length):
        self.line = collections.deque([0.0] * length, maxlen=length)

    def step(self, v):
        old = self.line[0]
        self.line.append(v + 0.5 * old)
        return old


@case(vector(5))
def deques_as_objects(x):
    """Under two names, in a list, as attributes, copied and compared."""
    echo, rings = Delay(2), [deque([x[0]], maxlen=3), deque([x[1]], maxlen=2)]
    total = 0.0
    for v in x:
        total += echo.step(v) * v
        for ring in rings:
            ring.append(total * v)
    same = rings[0]
    same.rotate()
    other = same.copy()
    del other[0]
    other += [total, x[2]]
    both = same + other
    total *= 2.0 if same == rings[0] and other != same else 3.0
    return total + np.array(both) @ np.arange(len(both)) + sum(rings[1])


@case(vector(6))
def cells_in_order(x):
    cells = {int(v * 3) for v in x}
    cells.update(k * k for k in range(2))
    total = 0.0
    for k in sorted(cells, reverse=True):
        total = total * 0.5 + k * x[k]
    while cells:
        k = min(cells)
        cells.discard(k)
        total += x[k] * max(cells) if cells else x[k]
    return total
