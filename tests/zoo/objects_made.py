"""Objects of classes that the function makes: small simulations, filters and networks as people write them."""

import copy
from dataclasses import dataclass, field

import numpy as np

from tests.zoo.case import case, vector


class Body:
    """A point with a mass, in the plane."""

    pull = 0.5

    def __init__(self, x, y, mass=1.0):
        self.position = np.array([x, y])
        self.velocity = np.zeros(2)
        self.mass = mass

    def pulled(self, other):
        d = other.position - self.position
        return self.pull * self.mass * other.mass * d / (np.sum(d**2) + 0.1) ** 1.5

    def move(self, force, dt):
        self.velocity += dt * force / self.mass
        self.position = self.position + dt * self.velocity

    @property
    def energy(self):
        return 0.5 * self.mass * np.sum(self.velocity**2)


@case(vector(6))
def bodies(p):
    """A list of objects that loops go through, by item and by number."""
    all_ = [Body(p[2 * k], p[2 * k + 1], 1.0 + k) for k in range(3)]
    for _ in range(4):
        forces = []
        for k, body in enumerate(all_):
            total = np.zeros(2)
            for other in range(len(all_)):
                if other != k:
                    total = total + body.pulled(all_[other])
            forces.append(total)
        for body, force in zip(all_, forces):
            body.move(force, 0.1)
    return sum(body.energy for body in all_) + all_[0].position[1]


class Vec:
    """Three components with operators."""

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return self + (-1.0) * other

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k, self.z * k)

    __rmul__ = __mul__

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other):
        return Vec(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    @classmethod
    def up(cls):
        return cls(0.0, 0.0, 1.0)

    @staticmethod
    def of(values):
        return Vec(values[0], values[1], values[2])


@case(vector(3), 0.3)
def turned(p, w):
    """An object that each iteration makes anew."""
    v = Vec.of(p)
    for _ in range(5):
        v = v + 0.1 * w * Vec.up().cross(v) - v * 0.01
    return v.dot(Vec(1.0, 2.0, 3.0)) * v.x


class Layer:
    """A dense layer."""

    def __init__(self, weights, bias, activation=np.tanh):
        self.weights = weights
        self.bias = bias
        self.activation = activation

    def __call__(self, x):
        return self.activation(self.weights @ x + self.bias)


class Network:
    """Layers, one after the other."""

    def __init__(self):
        self.layers = []

    def add(self, layer):
        self.layers.append(layer)
        return self

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


@case(vector(8), vector(2, 1))
def network(w, x):
    net = Network()
    net.add(Layer(w[:4].reshape(2, 2), np.array([0.1, 0.2]))).add(
        Layer(w[4:].reshape(2, 2), w[:2], lambda z: z)
    )
    return np.sum(net.forward(x) ** 2)


class Filter:
    """What filters have in common."""

    def __init__(self, gain):
        self.gain = gain
        self.count = 0

    def update(self, y):
        self.count += 1
        return self.gain * y


class LowPass(Filter):
    """An exponential mean."""

    def __init__(self, gain, decay):
        super().__init__(gain)
        self.decay = decay
        self.value = 0.0

    def update(self, y):
        scaled = super().update(y)
        self.value = self.decay * self.value + (1.0 - self.decay) * scaled
        return self.value


class Clipped(LowPass):
    """An exponential mean of what is not too large."""

    def update(self, y):
        if y > 1.0:
            return self.value
        return super().update(y)


@case(vector(6), 0.7)
def filtered(y, decay):
    """Methods of bases, and one that returns early."""
    mean, clipped = LowPass(2.0, decay), Clipped(1.5, decay * decay)
    total = 0.0
    for each in y:
        total += mean.update(each) * clipped.update(each)
    return total + mean.value * mean.count + clipped.count * decay


@dataclass
class Particle:
    """A particle on a line."""

    x: float
    v: float = 0.0
    past: list = field(default_factory=list)

    def __post_init__(self):
        self.start = self.x

    def kick(self, force, dt=0.1):
        self.v += dt * force
        self.x += dt * self.v


@case(0.7, 0.3)
def kicked(x, k):
    a, b = Particle(x), Particle(k, v=1.0)
    n = 0
    while n < 6 and a.x < 5.0:
        a.kick(b.x - a.x)
        b.kick(k * (a.x - b.x))
        if b.v > 0.9:
            b.v *= 0.5
        n += 1
    return a.x * b.v + (a.x - a.start) ** 2


@dataclass
class Point:
    """A mutable dataclass with fields alone."""

    x: float
    y: float = 1.0


@case(0.7, 0.3)
def fields_assigned(x, y):
    p = Point(x, y)
    q = p
    q.x += y
    p.y = p.x * q.x
    for _ in range(3):
        p.x, p.y = p.y, p.x * y
    return q.x * q.y + p.x


class Adam:
    """An optimiser with a state for each parameter."""

    def __init__(self, n, rate=0.1):
        self.rate = rate
        self.m = np.zeros(n)
        self.v = np.zeros(n)
        self.t = 0

    def step(self, x, g):
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.99 * self.v + 0.01 * g**2
        return x - self.rate * (self.m / (1.0 - 0.9**self.t)) / (
            np.sqrt(self.v / (1.0 - 0.99**self.t)) + 1e-8
        )


@case(vector(3), 0.1)
def optimised(x, rate):
    adam = Adam(3, rate)
    for _ in range(4):
        adam.rate *= 0.9
        x = adam.step(x, 2.0 * x - 1.0)
    return np.sum(x**2)


@case(0.7, 0.3)
def inside_the_function(x, y):
    class Account:
        """A class that reads a variable around it."""

        fee = 0.1

        def __init__(self, balance):
            self.balance = balance
            self.changes = 0

        def pay(self, amount):
            if amount > self.balance:
                return False
            self.balance -= amount * (1.0 + self.fee * y)
            self.changes += 1
            return True

    mine, yours = Account(x * 3.0), Account(y)
    for k in range(4):
        if mine.pay(0.4 * x * k):
            yours.balance += 0.4 * x * k
    return mine.balance * yours.balance + mine.changes * x


@case(vector(2))
def names_and_copies(p):
    """Two names of one object, a copy, and an object within another."""
    a = Point(p[0], p[1])
    b, c = a, copy.copy(a)
    holder = Point(a, (c, 2.0))
    b.x = b.x * b.y
    holder.x.y += 1.0
    holder.y[0].x = holder.y[0].x * 3.0
    return a.x * a.y + c.x * c.y * holder.y[1]


@case(vector(2))
def copies_of_records(p):
    """A copy of what changes later, or never, shallow and deep, with an array in it."""
    a = Point(p[0], p * 2.0)
    b, c = copy.copy(a), copy.deepcopy(a)
    b.x = b.x * p[1]
    c.y[0] = c.y[0] * 3.0
    return a.x * b.x + np.sum(a.y * b.y) + np.sum(c.y) * copy.copy(Point(p[1])).x


@case(vector(3))
def chosen_object(p):
    """An object that the run chooses may be read while nothing changes the others."""
    points = [Point(p[0], 1.0), Point(p[1], 2.0), Point(p[2], 3.0)]
    best = points[0]
    for each in points:
        if each.x > best.x:
            best = each
    other = points[1] if p[0] > p[1] else points[0]
    return best.x * best.y + other.x * points[2].x


def first_over(p, limit):
    """Returns an object from within a loop."""
    q = Point(p[0], p[1])
    for k in range(5):
        q = Point(q.x * 1.5, q.y + k)
        if q.x > limit:
            return q
    return Point(p[1])


@case(vector(2))
def returned_objects(p):
    return first_over(p, 1.0).x * first_over(p, 100.0).x + first_over(p, 0.1).y


@case(0.7, 0.3)
def within_expressions(x, y):
    """Methods that change their object, called in expressions."""
    s = Particle(x)

    def kick(k):
        s.kick(k)
        return s.x

    first = s.x + kick(y) * s.x
    second = kick(x) if x > y else kick(1.0)
    third = x > y and kick(y) > 0.0
    return first * second + (s.x if third else s.v) + sum([kick(0.5) for _ in range(3)])


class Stack:
    """A list with methods, whose length is that of the object."""

    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        return self.items.pop()

    def __len__(self):
        return len(self.items)


@case(0.7, 0.3)
def stacked(x, y):
    stack = Stack()
    for k in range(4):
        stack.push(x * k)
    total = 0.0
    while len(stack) > 0:
        total = total * y + stack.pop()
    return total if stack else total * x


@case(vector(2))
def two_states(p):
    """Two objects that change places and change: the loop is written out, so that each has one name."""
    now, then, start = Point(p[0]), Point(0.0), Point(p[1])
    best = None
    for k in range(4):
        then.x = now.x * p[1] + k
        now, then = then, now
        if best is None or now.x > best.x:
            best = Point(now.x * start.x)
    return now.x + then.x * 2.0 + best.x


class Secret:
    """Names that Python changes within a class."""

    def __init__(self, x):
        self.__x = x

    def base(self):
        return self.__x


class Own(Secret):
    """Another attribute of the same name."""

    def __init__(self, x, y):
        super().__init__(x)
        self.__x = y

    def own(self):
        return self.__x * self.__twice()

    def __twice(self):
        return 2.0


@case(0.7, 0.3)
def private_names(x, y):
    s = Own(x, y)
    return s.base() ** 2 * s.own()


@case(vector(2))
def items_of_lists(p):
    """A list of objects that is swapped, cut and joined."""
    items = [Point(p[0]), Point(p[1], p[0]), Point(1.0)]
    items[0], items[1] = items[1], items[0]
    items[0].x *= 2.0
    items = items[1:] + [Point(4.0 * p[1])]
    last = items.pop()
    for k in range(2):
        for j in range(k + 1, 2):
            items[k].y += items[j].x * last.x
    return items[0].x * items[1].x + items[0].y


@case(vector(2))
def arrays_of_objects(p):
    """An array that has two names, and one that the run chooses."""
    s, t = Point(np.array([p[0], p[1], 1.0])), Point(np.array([p[1], 2.0]))
    part = s.x[1:]
    s.x[1] = 5.0 * p[0]
    s.x = s.x + 1.0
    s.x += p[1]
    m = s if p[0] < p[1] else t
    m.x[0] = p[0] * 7.0
    return np.sum(part) * np.sum(s.x) + t.x[0] * m.x[1]


class Rows:
    """Arrays that are read and put back by number."""

    def __init__(self, first):
        self.rows = [first, first * 2.0]
        self.puts = 0

    def __getitem__(self, k):
        return self.rows[k]

    def __setitem__(self, k, row):
        self.rows[k] = row
        self.puts += 1


@case(vector(2))
def items_changed_in_place(p):
    """`rows[k] += v` changes the array that `rows[k]` gives, which may have another name, and puts it back."""
    rows = Rows(p * p)
    first = rows[0]
    rows[0] *= 2.0
    rows[1] -= first
    rows[1][0] += p[1]
    return np.sum(first) * rows.puts + np.sum(rows[0]) * p[0] + rows[1][0]
