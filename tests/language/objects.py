"""Objects

Compiled code has no Python objects. Those that the function makes of your classes exist while compiling, as records of their
attributes, which the program reads and changes
([decision 40](decisions/0040-objects-as-records.md)). Attributes of modules, of classes, and of the object of a bound method are read before
the program runs, and so are globals and variables of enclosing functions. For a plain function called from Python they have the
value of the call, as in Python: if one has changed, even within an array, the code is emitted anew
([decision 33](decisions/0033-values-around-a-function.md)). What changes with each call is better an argument. In `@njit`
functions, and in calls from them, they are constants from the first call, as in Numba.
"""

import dataclasses
import enum
from typing import NamedTuple

import numba
import numpy as np

from tests.language.row import refused, runs

X = np.array([0.7, 0.2, 1.1])


class Spring:
    factor = 1.5

    def __init__(self, stiffness):
        self.stiffness = stiffness
        self.table = np.array([1.0, 2.0])

    def energy(self, x):
        return 0.5 * self.stiffness * x * x * self.factor + self.force(x) + self.table[1] * x

    def force(self, x):
        return -self.stiffness * x

    @staticmethod
    def squared(x):
        return x * x

    @classmethod
    def scaled(cls, x):
        return cls.factor * x * x

    def __call__(self, x):
        return self.energy(x) * x


energy = runs("a bound method: `bs.grad(spring.energy)`", 0.7)(Spring(2.0).energy)
"""Its object is fixed while compiling."""
squared = runs("a static method", 0.7)(Spring.squared)
scaled = runs("a class method", 0.7)(Spring.scaled)

SPRING = Spring(3.0)


@runs("methods and attributes of a global object", 0.7)
def global_object(x):
    return SPRING.energy(x) * SPRING.stiffness + SPRING(x) + Spring.factor


@refused("an object of your own class as an argument", "BS409", SPRING, 0.7)
def object_argument(spring, x):
    return spring.energy(x)


@runs("making an object of a class of your own", 0.7)
def made(x):
    """It exists while compiling, as a record of its attributes."""
    return Spring(x).energy(x)


class Mass:
    def __init__(self, x, v=0.0):
        self.x, self.v = x, v

    def step(self, force, dt=0.1):
        self.v += dt * force
        self.x += dt * self.v
        return self

    @property
    def energy(self):
        return 0.5 * self.v**2

    def __add__(self, other):
        return type(self)(self.x + other.x, self.v + other.v)


class Damped(Mass):
    def step(self, force, dt=0.1):
        return super().step(force - 0.5 * self.v, dt)


@runs("attributes that change, in branches and loops; methods, properties, operators, bases", 0.7, 0.2)
def changed(x, k):
    """What a branch yields and a loop carries are the attributes."""
    one, other = Mass(x), Damped(k, v=1.0)
    alias = one
    for _ in range(4):
        one.step(other.x - one.x)
        if one.x > k:
            alias.v = alias.v * other.step(-one.x).v
    return (one + other).energy * one.x


@runs("lists of objects, whose length is known while compiling", X[:2])
def list_of_objects(p):
    masses = [Mass(p[k], 1.0) for k in range(2)]
    masses.append(Damped(p[0] * p[1]))
    for _ in range(3):
        for k, mass in enumerate(masses):
            mass.step(masses[k - 1].x - mass.x)
    return sum(mass.energy for mass in masses)


@runs("an object that the run chooses, where nothing changes what it may be", 0.7, 0.2)
def chosen_object(x, y):
    one, other = Mass(x), Mass(y)
    larger = one if x > y else other
    return larger.x * one.x


@refused("an object that the run chooses, and that changes under another name", "BS104", 0.7, 0.2)
def chosen_and_changed(x, y):
    one, other = Mass(x), Mass(y)
    larger = one if x > y else other
    larger.x = x * y
    return one.x


@refused("an object in an array, as a result, or in a call that stays one", "BS106", 0.7)
def object_result(x):
    return Mass(x)


@refused("making an object in an `@njit` function", "BS112", 0.7)
@numba.njit
def made_in_compiled_code(x):
    return Mass(x).x


class Guarded:
    def __init__(self, x):
        self.x = x

    def __setattr__(self, name, value):
        super().__setattr__(name, value + 0.0)


class Scaled:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        return self.x * (3.0 if name == "triple" else 2.0)


@runs("`__getattr__` of a class, for what an object does not have", 0.7)
def made_up(x):
    of = Scaled(x)
    return of.triple * of.twice + of.x


class Asked:
    def __init__(self, x):
        self.x = x

    def __getitem__(self, key):
        if isinstance(key, tuple):
            return self.x * len(key)
        return self.x * (5.0 if key is None else 7.0)


@runs("`__getitem__` that is given tuples and None", 0.7)
def asked(x):
    of = Asked(x)
    return of[1,] * of[None] * of[1, ...] * of[0] * (2.0 if isinstance((np.sin, np.cos), tuple) else 3.0)


@refused("objects of a class with `__setattr__`, `__slots__`, `__new__`, a metaclass", "BS112", 0.7)
def guarded(x):
    return Guarded(x).x


@dataclasses.dataclass
class Point:
    x: float
    y: float


@dataclasses.dataclass(frozen=True)
class Model:
    weights: np.ndarray
    at: Point
    order: int
    name: str = "plain"


@runs("dataclasses as arguments", Model(X, Point(0.3, 0.4), 2), 0.7)
def dataclass(model, x):
    s = model.at.x * model.at.y * x
    for w in model.weights:
        s = s * w + model.order
    if model.name == "plain":
        s = s * x
    return s


@dataclasses.dataclass
class Circle:
    x: float
    radius: float = 0.5

    def moved(self, by):
        return dataclasses.replace(self, x=self.x + by * self.radius)

    @property
    def area(self):
        return 3.0 * self.radius**2


@runs("dataclasses as locals", 0.7, 0.2)
def dataclass_local(x, y):
    p = Point(x * y, y=x)
    for _ in range(3):
        p = Point(p.y, p.x * p.y)
    return p.x * p.y


@runs("methods and properties of dataclasses and namedtuples", Circle(0.7, 0.4))
def dataclass_method(circle):
    moved = circle.moved(circle.x)
    return moved.x * circle.area + Circle(moved.x).area


class Arrow(NamedTuple):
    u: float
    v: float

    def __add__(self, other):
        return Arrow(self.u + other.u, self.v + other.v)

    def __lt__(self, other):
        return self.u < other.u

    def __call__(self, t):
        return self.u * t + self.v


@runs(
    "operators of dataclasses and namedtuples: `__add__`, `__rmul__`, `__eq__`, `__lt__`, `__call__`",
    0.7,
    0.2,
)
def own_operators(x, y):
    """In plain functions: compiled code knows the tuple's only."""
    total = Arrow(x, y) + Arrow(y * y, x)
    return total(x) if total < Arrow(x * 2.0, 1.0) else x


class Scale:
    """A class whose methods say what its objects hold and are."""

    def __init__(self, step):
        self.step = step

    def __getitem__(self, k):
        return self.step * k

    def __contains__(self, value):
        return value > self.step

    def __abs__(self):
        return self.step * 2.0


@runs("`__getitem__`, `__setitem__`, `__contains__`, `__len__`, `__bool__`, `__abs__`, `__float__`", 0.7, 0.2)
def what_objects_hold(x, y):
    """Of dataclasses and namedtuples, too."""
    scale = Scale(x)
    return abs(scale) * scale[3] if x + y in scale else y


class Pair:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __iter__(self):
        yield self.x
        yield self.y


@runs("objects that `__iter__` makes iterable: `a, b = p`, `for v in p`, `sum(p)`, `np.array(p)`", 0.7, 0.2)
def what_iter_gives(x, y):
    """`__iter__` is a generator, or returns `iter` of a list or an array."""
    pair = Pair(x, x * y)
    first, second = pair
    for v in pair:
        first += v * second
    return first * sum(pair)


@refused("a dataclass as a tuple: `a, b = p`", "BS106", 0.7)
def dataclass_unpacked(x):
    first, second = Point(x, x * x)
    return first * second


@refused("dataclasses as results", "BS106", 0.7)
def dataclass_result(x):
    return Point(x, x * x)


@runs("assigning a field of a dataclass that the function makes", 0.7, 0.2)
def field_of_a_local(x, y):
    p = Point(x, y)
    for _ in range(3):
        p.x += p.y * x
        p.y = p.x * y
    return p.x * p.y


@refused("assigning a field of a dataclass that is an argument", "BS111", Point(0.7, 0.2))
def field_assigned(p):
    p.x = p.y
    return p.x * p.y


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


@runs("`enum.Enum`, `enum.IntEnum`", 0.7)
def enums(x):
    color = Color.BLUE
    if color is Color.RED or color == Color.RED:
        return x
    return x * x * Level.HIGH + x**Level.LOW.value + x * Color.BLUE.value


@runs("enums as arguments", 0.7, Color.BLUE, Level.HIGH)
def enum_arguments(x, color, level):
    if color == Color.RED:
        return x
    return x * x * level


@numba.experimental.jitclass([("stiffness", numba.float64)])
class Compiled:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, x):
        return self.stiffness * x * x


@refused("`jitclass`", "BS409", Compiled(2.0), 0.7)
def jitclass(spring, x):
    return spring.energy(x)


@runs("a class inside of the function", 0.7)
def inner_class(x):
    class Inner:
        factor = 2.0

        def __init__(self, y):
            self.y = y * self.factor

    return Inner(x * x).y * x


RECORDS = np.array([(1.5, 2.5), (0.5, 3.5)], dtype=[("mass", "f8"), ("charge", "f8")])


@runs("records (structured arrays) as constants", RECORDS, 0.7)
def records(a, x):
    s = 0.0
    for k in range(a.size):
        s += a[k]["mass"] * x
    return s * a[1]["charge"]


@refused("records, differentiated", "BS403", RECORDS)
def records_differentiated(a):
    return a[0]["mass"] * 2.0
