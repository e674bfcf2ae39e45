"""Objects that loops carry and branches choose: their methods, properties and replaced fields."""

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.zoo.case import case, vector


class State(NamedTuple):
    """Where something is, and how fast."""

    x: float
    v: float

    def energy(self, k):
        return 0.5 * self.v**2 + 0.5 * k * self.x**2


@dataclass(frozen=True)
class Particle:
    """A place and a mass."""

    place: np.ndarray
    mass: float

    @property
    def distance(self):
        return np.sqrt((self.place**2).sum())

    def moved(self, by):
        return dataclasses.replace(self, place=self.place + by * self.mass)


def step(s, dt, k=1.0, *, damping=0.1):
    a = -k * s.x - damping * s.v
    return s._replace(x=s.x + dt * s.v, v=s.v + dt * a)


@case(State(1.0, 0.2), 0.1, 2.0, 6)
@case(State(1.0, 0.2), 0.1, 2.0, 0)
def steps_of_a_namedtuple(s, dt, k, n):
    total = s.energy(k)
    for i in range(n):
        s = step(s, dt, k) if i % 2 else step(s, dt, damping=0.3)
        total += s.energy(k) * s[0]
    return total, s


@case(State(1.0, 0.2), 0.1, 2.0)
def replaced_until(s, dt, k):
    while s.x > 0.5:
        s = s._replace(x=s.x - dt)
        if s.v > 0.5:
            break
        s = s._replace(v=s.v * k)
    return s.x * s.v


@case(vector(3), 0.5)
def moved_dataclass(x, m):
    q = Particle(x, m)
    total = 0.0
    for _ in range(3):
        q = q.moved(0.1 * x)
        if q.distance > 1.5:
            q = dataclasses.replace(q, mass=q.mass * 0.5)
        total += q.distance
    return total * q.mass


def dense(params, h, k):
    return np.tanh(h @ params["W" + str(k)] + params["b%d" % k])


@case(vector(12), vector(2))
def layers_by_their_numbers(p, x):
    params = {"W1": p[:4].reshape(2, 2), "b1": p[4:6], "W2": p[6:10].reshape(2, 2), "b2": p[10:]}
    count = len(params) // 2
    cache = {}
    h = x
    for k in range(1, count):
        cache[f"h{k}"] = h
        h = dense(params, h, k)
    h = h @ params["W" + str(count)] + params[f"b{count}"]
    return np.sum(h) + np.sum(cache["h1"] * h)


@case(vector(4))
def weights_by_their_numbers(p):
    weights = {f"w{k}": p[k] * (k + 1) for k in range(3)}
    weights.update(last=p[3])
    crossed = {}
    for i in range(3):
        for j in range(2):
            crossed["{}_{}".format(i, j)] = weights[f"w{i}"] * p[j]
    return sum(crossed[f"{i}_{i % 2}"] ** 2 for i in range(3)) + weights["last"] * len(crossed)
