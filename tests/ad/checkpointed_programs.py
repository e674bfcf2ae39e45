"""Functions with marked loops and calls; each has a list of arguments. The tests compare them with the same text unmarked."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

import backsweep as bs

X = np.array([0.3, -0.7, 1.1])
W = np.array([[0.2, -0.1, 0.4], [0.3, 0.5, -0.2], [-0.6, 0.1, 0.1]])
CASES = {}


def case(*arguments, wrt=None):
    """Say with which arguments a function is tried, and with respect to which the gradient is."""

    def note(function):
        CASES[getattr(function, "__name__", "")] = (arguments, wrt)
        return function

    return note


@case(
    (0.4, 1.3, 0), (0.4, 1.3, 1), (0.4, 1.3, 2), (0.4, 1.3, 3), (0.4, 1.3, 4), (0.4, 1.3, 17), wrt=("x", "w")
)
def scalar(x, w, n):
    for _ in bs.checkpointed(range(n), slots=3):
        x = x + 0.1 * math.sin(w * x)
    return x


@case((0.4, 1.3, 11, 1), (0.4, 1.3, 11, 2), (0.4, 1.3, 11, 100), wrt=("x", "w"))
def slots_at_run_time(x, w, n, k):
    for _ in bs.checkpointed(range(n), slots=k):
        x = x + 0.1 * math.sin(w * x)
    return x


@case((0.4, 1.3, 23), wrt=("x", "w"))
def in_blocks(x, w, n):
    for _ in bs.checkpointed(range(n), slots=3, block=4):
        x = x + 0.1 * math.sin(w * x)
    return x


@case((0.4, 23), wrt=("x",))
def with_memory(x, n):
    for t in bs.checkpointed(range(n), memory="64 B"):
        x = x + 0.1 * math.sin(x * t)
    return x


@case((0.4, 3, 20, 3), (0.4, 20, 3, -2), (0.4, 5, 5, 1), (0.4, 5, 2, 1), wrt=("x",))
def any_range(x, start, stop, step):
    for t in bs.checkpointed(range(start, stop, step), slots=2):
        x = x + 0.1 * math.sin(x * t)
    return x


@case((X, W, 9), wrt=("x", "w"))
def rebound_array(x, w, n):
    for _ in bs.checkpointed(range(n), slots=3):
        x = np.tanh(w @ x)
    return x.sum()


@case((X, W, 9), wrt=("x", "w"))
def written_array(x, w, n):
    y = x.copy()
    for t in bs.checkpointed(range(n), slots=3):
        for i in range(y.shape[0]):
            y[i] = np.tanh(y[i] + w[i, t % 3] * y[i - 1])
    return (y * y).sum()


@case((X, 9), wrt=("x",))
def written_argument(x, n):
    for t in bs.checkpointed(range(n), slots=3):
        x[t % 3] = np.sin(x[t % 3]) * x[(t + 1) % 3]
    return x[0] + 2.0 * x[1] - x[2]


@case((X, 9), wrt=("x",))
def in_place_updates(x, n):
    x = x.copy()
    for _ in bs.checkpointed(range(n), slots=3):
        x += 0.1 * np.sin(x)
        x *= 0.9
    return x.sum()


@case((X, 8), (X, 9), wrt=("x",))
def swapped(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for _ in bs.checkpointed(range(n), slots=3):
        for i in range(3):
            v[i] = u[i] + 0.1 * np.sin(u[i - 1])
        u, v = v, u
    return (u * u).sum() + v[0]


@case((0.4, 13), wrt=("x",))
def several_values(x, n):
    y, total, count = 2.0 * x, 0.0, 0
    for _ in bs.checkpointed(range(n), slots=3):
        x, y = y, x * math.cos(y)
        if x > 0.1:
            count += 1
            total += x * count
        else:
            total -= y
    return total + x


@case((0.4, 13), wrt=("x",))
def assigned_inside(x, n):
    last = 0.0
    for t in bs.checkpointed(range(n), slots=3):
        scale = math.sin(x)
        last = scale * t
        x = x + 0.1 * last
    return x + last + t


@case((X, 13), wrt=("x",))
def array_assigned_inside(x, n):
    for t in bs.checkpointed(range(n), slots=3):
        y = np.sin(x) * t
        x = x + 0.1 * y
    return x.sum() + y.sum()


@case((X, 7), wrt=("x",))
def trajectory(x, n):
    path = np.zeros((n + 1, 3))
    path[0] = x
    for t in bs.checkpointed(range(n), slots=3):
        path[t + 1] = path[t] + 0.1 * np.sin(path[t])
    return (path * path).sum()


@case((0.4, 13), wrt=("x",))
def inner_loops(x, n):
    for t in bs.checkpointed(range(n), slots=3):
        for k in range(t):
            if k % 2 == 0:
                continue
            x = x + 0.01 * math.sin(x + k)
        while x > 1.0:
            x = 0.5 * x * x
    return x


@case((X, 5), wrt=("x",))
def two_loops(x, n):
    s = 1.0
    for _ in bs.checkpointed(range(n), slots=2):
        s = s * math.cos(s * x[0]) + x[1]
    for _ in bs.checkpointed(range(n), slots=2):
        s = s + 0.1 * math.sin(s * x[2])
    return s


@case((0.4, 5), wrt=("x",))
def nested(x, n):
    for t in bs.checkpointed(range(n), slots=2):
        for k in bs.checkpointed(range(n), slots=2):
            x = x + 0.05 * math.sin(x * t + k)
    return x


@case((X, 5), wrt=("x",))
def in_a_loop(x, n):
    s = 1.0
    y = x.copy()
    for i in range(3):
        for _ in bs.checkpointed(range(n), slots=2):
            s = s + 0.1 * math.sin(s * x[i])
            y[i] = math.sin(y[i] * s)
    return s + y.sum()


@case((0.4, 5), (-0.4, 5), wrt=("x",))
def in_a_branch(x, n):
    if x > 0.0:
        for _ in bs.checkpointed(range(n), slots=2):
            x = x + 0.1 * math.sin(x)
    else:
        x = x * x
    return x


class Pair(NamedTuple):
    """A number and an array."""

    a: float
    b: np.ndarray


@case((Pair(0.4, X), 5), wrt=("p",))
def tuples(p, n):
    s = 1.0
    for t in bs.checkpointed(range(n), slots=2):
        s = s + 0.1 * math.sin(s * p.a) * p.b[t % 3]
    return s


@njit
def step(x, w):
    return x + 0.1 * math.sin(w * x)


@case((0.4, 1.3, 9), wrt=("x", "w"))
@njit
def njitted(x, w, n):
    for _ in bs.checkpointed(range(n), slots=3):
        x = step(x, w)
    return x


@case((X, W), wrt=("rows", "w"))
def over_rows(rows, w):
    s = 1.0
    for row in bs.checkpointed(w, slots=2):
        s = s + math.sin(s) * (row @ rows)
    return s


@case((X,), wrt=("x",))
def over_elements(x):
    s = 1.0
    for k, e in bs.checkpointed(enumerate(x), slots=2):
        s = s * math.cos(s * e) + k
    return s


@case((np.array([0.3 + 0.2j, -0.1j]), 6), wrt=("z",))
def complex_state(z, n):
    for _ in bs.checkpointed(range(n), slots=2):
        z = z * z * 0.5 + 0.1
    return (z * z.conjugate()).sum().real


@case((X.astype(np.float32), 6), wrt=("x",))
def single_precision(x, n):
    for _ in bs.checkpointed(range(n), slots=2):
        x = x + np.float32(0.1) * np.sin(x)
    return x.sum()


@case((X, 6), wrt=("x",))
def integer_state(x, n):
    place = np.zeros(3, np.int64)
    s, k = 1.0, 1
    for t in bs.checkpointed(range(n), slots=2):
        place[t % 3] += k
        k = (3 * k + 1) % 5
        s = s + math.sin(s * x[place[t % 3] % 3])
    return s + place[0]


@bs.checkpoint
def layer(x, w):
    h = np.tanh(w @ x)
    return h * x


@case((X, W), wrt=("x", "w"))
def calls(x, w):
    for _ in range(4):
        x = layer(x, w)
    return x.sum()


@bs.checkpoint
def write(y, x):
    for i in range(y.shape[0]):
        y[i] = math.sin(y[i] * x[i])


@case((X,), wrt=("x",))
def writing_calls(x):
    y = x.copy()
    for _ in range(4):
        write(y, x)
    write(y, x)
    return (y * x).sum()


@bs.checkpoint
def outer(x, w):
    return layer(layer(x, w), w).sum()


@case((X, W), wrt=("x", "w"))
def nested_calls(x, w):
    return outer(x, w) * outer(2.0 * x, w)


@bs.checkpoint
@njit
def jitted_layer(x, k):
    if k > 1:
        return x * math.sin(x), k
    return x, 2 * k


@case((0.4, 5), wrt=("x",))
@njit
def njit_calls(x, n):
    total = 0
    for k in range(n):
        x, more = jitted_layer(x, k)
        total += more
    return x * total


@case((X, 0.7), wrt=("x", "a"))
def closures(x, a):
    def inner(y):
        return np.sin(y * a)

    scale = bs.checkpoint(lambda y: y * a * a)

    @bs.checkpoint
    def decorated(y):
        return y + a

    return (bs.checkpoint(inner)(x) * scale(x) + decorated(x)).sum()


@case((X, 6), wrt=("x",))
def call_in_loop(x, n):
    for _ in bs.checkpointed(range(n), slots=2):
        x = layer(x, W)
    return x.sum()


@bs.checkpoint
def whole(x, n):
    for _ in bs.checkpointed(range(n), slots=2):
        x = x + 0.1 * math.sin(x)
    return x


@case((0.4, 6), wrt=("x",))
def loop_in_call(x, n):
    return whole(x, n) * whole(2.0 * x, n + 1)


@case((0.4,), (5.0,), (-3.0,), wrt=("x",))
def while_loop(x):
    k = 0
    while bs.checkpointed(x < 4.0 and k < 40, slots=3):
        x = x + 0.3 * math.cos(x) ** 2
        k += 1
    return x * k


@case((0.4, 2), (0.4, 7), wrt=("x",))
def while_in_blocks(x, length):
    k = 0
    while bs.checkpointed(k < 40, slots=3, block=length):
        x = x + 0.3 * math.cos(x) ** 2
        k += 1
    return x * k


@case((X,), wrt=("x",))
def while_true(x):
    y = x.copy()
    k = 0
    while bs.checkpointed(True, slots=2):
        y[k % 3] += 0.1 * np.sin(y[(k + 1) % 3])
        k += 1
        if y.sum() > 1.5 or k > 30:
            break
        if k % 4 == 0:
            continue
        y[0] *= 0.99
    return (y * y).sum()


@case((0.4, 0), (0.4, 3), (0.4, 30), wrt=("x",))
def with_break(x, n):
    for t in bs.checkpointed(range(2, n), slots=2):
        x = x + 0.2 * math.sin(x + t)
        if x > 1.1:
            break
    return x * x


@case((0.4, 30), (0.4, 4), wrt=("x",))
def early_return(x, n):
    for t in bs.checkpointed(range(n), slots=2, block=3):
        x = x + 0.2 * math.sin(x + t)
        if x > 1.1:
            return x * t
    return x * x


@case((X, W), wrt=("x", "w"))
def until_converged(x, w):
    error = 1.0
    while bs.checkpointed(error > 1e-6, slots=4):
        y = 0.3 * np.tanh(w @ x) + 0.1
        error = np.abs(y - x).max()
        x = y
    return x.sum()


@case((X,), wrt=("x",))
def written_afterwards(x):
    y = np.zeros(3)
    k = 0
    while bs.checkpointed(k < 9, slots=2):
        y = y + np.sin(x + y)
        k += 1
    y[0] = y[1] * y[2]
    return y.sum()


@case((X, 9), wrt=("x",))
def row_after_row(x, n):
    path = np.zeros((n + 1, 3))
    path[0] = x
    s = 0.0
    for t in bs.checkpointed(range(n), slots=2):
        for i in range(3):
            path[t + 1, i] = path[t, i] + 0.1 * math.sin(path[t, i - 1] + s)
        s += path[t + 1, 0]
    return (path * path).sum() + s


@bs.checkpoint
def mixed(x, y, s):
    total = 0.0
    for i in range(x.size):
        y[i] += s * math.sin(x[i])
        total += y[i] * x[i]
    return total


@case((X, 0.7), (-X, 0.7), wrt=("x", "s"))
def called_at_many_places(x, s):
    y, z = np.ones(3), np.zeros(3)
    a = mixed(x, y, s)
    b = mixed(x, z, a)
    c = mixed(z, z, s)
    d = mixed(x, y, 2.0)
    for k in range(2):
        d += mixed(y, z, s * k)
    if s > a:
        d += mixed(x, y, b)
    return a * b + c * d + y.sum() + z[1]
