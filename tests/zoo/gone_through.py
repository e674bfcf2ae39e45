"""Objects of the user's classes that are gone through: loops, builtins, unpacking and functions of NumPy take their items."""

import numpy as np

from tests.zoo.case import case, vector


class Window:
    """A list of the last values."""

    def __init__(self, length):
        self.length = length
        self.items = []

    def add(self, v):
        self.items.append(v)
        if len(self.items) > self.length:
            self.items.pop(0)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, k):
        return self.items[k]

    def __iter__(self):
        return iter(self.items)


class Powers:
    """The powers of a number, without end."""

    def __init__(self, x):
        self.x = x

    def __iter__(self):
        y = 1.0
        while True:
            yield y
            y *= self.x


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __iter__(self):
        yield self.x
        yield self.y


@case(vector(5))
def window_that_builtins_take(x):
    window = Window(3)
    total = 0.0
    for v in x:
        window.add(v * v)
        total += sum(window) / len(window) * max(window)
    a, b, c = window
    more = [x[0]]
    more += window
    return total * a * b + c * np.mean(window) + sum(more) + (1.0 if x[0] in window else 2.0)


@case(vector(5))
def window_in_loops(x):
    window = Window(4)
    total = 0.0
    for v in x:
        window.add(v)
        for k, (one, other) in enumerate(zip(window, reversed(window))):
            total += k * one * other
        for w in window:
            if w > 0.9:
                break
            total += w * w
    return total + sum(v**3 for v in window)


@case(1.3)
def powers_until_they_are_large(x):
    total = 0.0
    for k, y in enumerate(Powers(x)):
        if y > 20.0:
            break
        total += k * y * y
    return total


@case(0.7, 1.2)
def points(x, y):
    p = Point(x, x * y)
    total = 0.0
    for q in [p, Point(y, 2.0)]:
        a, b = q
        total = total * a + np.hypot(*q) * b
    for k in iter(range(3)):
        total += k * sum(p)
    numbers = iter([x, y, 3.0])
    return total * next(numbers) + max(p)
