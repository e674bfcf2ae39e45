"""Lists of functions and of objects that grow, shrink and change: their items are known while compiling."""

import functools

import numpy as np

from tests.zoo.case import case


@case(0.7)
def layers_appended(x):
    """Each function keeps the number of its round by a default."""
    layers = []
    for k in range(3):
        layers.append(lambda t, k=k: k * t + x)
    return sum(layer(x * x) for layer in layers)


@case(0.7)
def layers_listed(x):
    """A comprehension of functions, which is changed in every way that a list knows."""
    layers = [lambda t, k=k: k * t * x for k in range(4)]
    layers[1] = np.sin
    layers += [np.exp, np.cos]
    layers *= 2
    del layers[0]
    del layers[3:5]
    layers.insert(1, layers.pop())
    y = x
    for layer in reversed(layers):
        y = layer(y)
    return y


@case(0.7)
def latest_number(x):
    """Without a default, each function has the number of the last round, as in Python."""
    layers = []
    for k in range(3):
        layers.append(lambda t: k * t * x)
    return layers[0](x) + 2.0 * layers[-1](x)


def power(k):
    return lambda t: t**k


@case(0.7)
def functions_with_names(x):
    """Pairs of a name and a function that another function makes."""
    terms = [("first", functools.partial(pow, x))]
    for k in range(1, 4):
        terms.append((f"power {k}", power(k)))
    total = 0.0
    for name, term in terms:
        total += term(2) * (2.0 if name == "power 2" else x)
    return total


class Chain:
    """A network as people write it: layers are added, and called in order."""

    def __init__(self):
        self.layers = []

    def add(self, layer):
        self.layers.append(layer)
        return self

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


@case(0.7)
def a_chain(x):
    """An object's list of functions."""
    chain = Chain().add(np.sin).add(lambda t: t * t * x)
    return chain.add(Chain().add(np.exp))(x)


class Body:
    """A body that moves."""

    def __init__(self, place, speed=1.0):
        self.place, self.speed = place, speed

    def move(self):
        self.place += 0.5 * self.speed * self.place


@case(0.7)
def bodies_removed(x):
    """A list of objects that change is extended by `+=`, and loses some."""
    bodies = [Body(x), Body(x * x, x), Body(3.0 * x)]
    bodies += [Body(2.0 * x, x)]
    for body in bodies:
        body.move()
    bodies.remove(bodies[1])
    del bodies[0]
    for body in bodies:
        body.move()
    return bodies[0].place + 2.0 * bodies[1].place * len(bodies)
