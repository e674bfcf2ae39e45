"""Lowering and emission undo each other: what is emitted for a function computes what the function computes."""

import math

import numba
import numpy as np
import pytest

from backsweep.emit.module import emit_module
from backsweep.frontend.lower import lower
from backsweep.reading.functions import read_source
from backsweep.typing.three_address import three_address

A = np.array([0.3, -0.7, 1.2, 0.4, -0.1])
M = np.array([[0.3, -0.7, 1.2], [0.4, -0.1, 0.9], [1.1, 0.2, -0.6]])
GRAVITY = 9.81


def rebinding(x, y):
    x = x * 2.0
    y = x + y
    x = x - y
    return x * y


def swap(x, y):
    x, y = y, x
    x, y = y + x, x - y
    return x / y


def fibonacci(a, b):
    for _ in range(6):
        a, b = b, a + b
    return a * b


def carried_sum(a):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * a[i]
    return math.sqrt(total)


def breaks(a):
    total = 0.0
    for i in range(len(a)):
        if a[i] > 1.0:
            break
        total = total + a[i]
    return total


def continues(a):
    total = 0.0
    for i in range(len(a)):
        if a[i] < 0.0:
            continue
        total += math.exp(a[i])
    return total


def returns_early(x):
    if x < 0.0:
        return -x
    if x > 1.0:
        return x * x
    return math.sin(x)


def returns_in_loop(a, x):
    for i in range(len(a)):
        if a[i] > x:
            return a[i]
    return x


def nested(m):
    total = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            total += m[i, j] * (i - j)
    return total


def triangular(m):
    total = 0.0
    for i in range(m.shape[0]):
        row = 1.0
        for j in range(i + 1):
            row *= 1.0 + m[i, j]
        total += row
    return total


def newton(a):
    x = a
    while True:
        step = 0.5 * (x - a / x)
        x = x - step
        if abs(step) < 1e-12:
            break
    return x


def counted_while(x):
    k = 0
    while x > 1e-3 and k < 20:
        x = x * 0.5
        k += 1
    return x + k


def newest(x):
    while True:
        x_new = math.cos(x)
        if abs(x_new - x) < 1e-8:
            break
        x = x_new
    return x_new


def conditional(x, y):
    z = x if x > y else y * 2.0
    return z + (1.0 if x < 0.0 and y > 0.0 else z)


def chosen(x, y):
    if x > y:
        z = x * y
        w = 2.0
    elif x > 0.5 or y > 0.5:
        z = x - y
        w = 3.0
    else:
        z = y
        w = 0.5
    return z * w


def index_after(a):
    for i in range(len(a)):
        if a[i] > 1.0:
            break
    return i * a[i]


def constant_global(x):
    return -(x**2) + (-x) ** 3 - GRAVITY * (x - (2.0 - x)) / (x * 3.0) + x**-2


def stencil(a, w):
    y = a.copy()
    for _sweep in range(3):
        for i in range(1, y.size - 1):
            y[i] = y[i] * y[i] * w + y[i - 1]
            y[i + 1] += 0.1 * y[i]
            y[i] *= 0.5
    return y.sum()


def arrays(a, m):
    b = np.zeros_like(a)
    b[1:] = a[:-1] * 2.0
    b[::2] += 1.0
    c = m @ a[:3]
    c = c + 1.0
    return np.sum(b * b) + c.sum() + np.tanh(m).mean()


def old_kept(x):
    old = x
    for _k in range(4):
        x = 0.5 * (x + 2.0 / x)
    return x - old


def exit_at_end(x):
    while True:
        old = x
        x = math.cos(x)
        if abs(x - old) < 1e-6:
            break
    return x, old


def nested_breaks(m, x):
    count = 0.0
    for i in range(3):
        for j in range(3):
            if m[i, j] > x:
                break
            if m[i, j] < -x:
                continue
            count += m[i, j]
        else_value = count
        if else_value > 1.5:
            break
    return count


CASES = [
    (rebinding, (0.3, 0.7)),
    (swap, (0.3, 0.7)),
    (fibonacci, (0.3, 0.7)),
    (carried_sum, (A,)),
    (breaks, (A,)),
    (continues, (A,)),
    (returns_early, (-0.4,)),
    (returns_early, (1.4,)),
    (returns_early, (0.4,)),
    (returns_in_loop, (A, 0.35)),
    (returns_in_loop, (A, 7.0)),
    (nested, (M,)),
    (triangular, (M,)),
    (newton, (2.0,)),
    (counted_while, (0.9,)),
    (newest, (0.9,)),
    (conditional, (-0.3, 0.7)),
    (conditional, (0.9, 0.7)),
    (chosen, (0.9, 0.7)),
    (chosen, (0.3, 0.7)),
    (chosen, (0.1, 0.2)),
    (index_after, (A,)),
    (constant_global, (0.8,)),
    (stencil, (A, 0.3)),
    (arrays, (A, M)),
    (old_kept, (1.0,)),
    (exit_at_end, (1.0,)),
    (nested_breaks, (M, 0.65)),
]


@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_emitted_text_computes_the_same(function, arguments):
    want = function(*arguments)
    program = lower(read_source(function), {})
    module = emit_module([program], "Round trip.")
    names = dict(module.bindings)
    exec(module.text, names)
    assert np.array_equal(names[function.__name__](*arguments), want), module.text
    assert np.allclose(numba.njit(names[function.__name__])(*arguments), want, rtol=1e-13), module.text


@pytest.mark.compiles
@pytest.mark.turns(3)
@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_three_address_text_computes_the_same(function, arguments):
    """Compiled only: it may copy a variable that no path has assigned yet, which Python refuses."""
    plain = three_address(lower(read_source(function), {}))
    names = dict(plain.bindings)
    exec(plain.text, names)
    want = function(*arguments)
    assert np.allclose(numba.njit(names[function.__name__])(*arguments), want, rtol=1e-13), plain.text
