"""Programs with subscripts out of bounds, and others that look like them and are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

import backsweep as bs
from tests.support.sampled import turning


@dataclass(frozen=True, eq=False)
class Program:
    """A function of an array, and arguments."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    number: int

    def __str__(self) -> str:
        return f"{self.function.__name__}_{self.number}"

    def transformations(self, *, jit: bool) -> Iterator[Callable[[], object]]:
        """What to call for each transformation of the function."""
        function, (x, *rest) = self.function, self.args
        yield lambda: bs.grad(function, jit=jit)(x, *rest)
        yield lambda: bs.vjp(function, x, *rest, jit=jit)
        yield lambda: bs.jvp(lambda x: function(x, *rest), (x,), (np.ones_like(x),), jit=jit)
        if x.size:  # of nothing there are no rows, and the function does not run
            yield lambda: bs.hessian(function, jit=jit)(x, *rest)


OUTSIDE: list[Program] = []
"""Programs that Python stops with an IndexError."""
FINE: list[Program] = []
"""Programs that it runs."""


def outside(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Arguments with which the function reads or writes out of bounds."""
    return _listed(OUTSIDE, args)


def fine(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Arguments with which it does not."""
    return _listed(FINE, args)


def _listed(
    programs: list[Program], args: tuple[Any, ...]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        programs.append(Program(function, args, len(programs)))
        return function

    return add


def X(count: int) -> Any:
    """An array of so many numbers."""
    return np.linspace(0.5, 1.5, count)


FAR = 10**12


@outside(X(3), 1)
@outside(X(0), 1)
@outside(X(3), FAR)
@fine(X(3), 0)
@fine(X(3), -1)
@fine(X(3), -3)
@fine(X(3), -FAR)
def past_the_end(x, more):
    s = 0.0
    for i in range(x.shape[0] + more):
        s += x[i] ** 2
    return s


@outside(X(3), 4)
@outside(X(3), FAR)
@fine(X(3), 3)
@fine(X(3), 0)
@fine(X(0), 0)
def before_the_start(x, n):
    s = 0.0
    for i in range(n):
        s += x[-i - 1] ** 2
    return s


@outside(X(3), X(2))
@outside(X(3), X(0))
@fine(X(3), X(3))
@fine(X(3), X(5))
@fine(X(0), X(0))
def two_arrays(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i] ** 2
    return s


@outside(X(3), 3)
@outside(X(3), -4)
@outside(X(3), FAR)
@outside(X(3), -FAR)
@outside(X(0), 0)
@fine(X(3), 2)
@fine(X(3), -3)
def one_element(x, i):
    return x[i] ** 2


@outside(X(3))
@fine(X(4))
def literal_places(x):
    a, b, c, d = x[0], x[1], x[2], x[3]
    return a * b + c * d * d


@outside(X(3))
@fine(X(4))
def literal_place_from_the_end(x):
    return x[-4] * x[-1]


@outside(X(4), np.array([0, 4, 1]))
@outside(X(4), np.array([0, -5, 1]))
@outside(X(4), np.array([FAR]))
@fine(X(4), np.array([0, 3, -4]))
@fine(X(4), np.array([], np.int64))
def places_from_an_array(x, places):
    s = 0.0
    for k in range(places.size):
        s += x[places[k]] ** 2
    return s


@outside(X(4), np.array([0, 4, 1], np.uint8))
@fine(X(4), np.array([0, 3, 3], np.uint8))
@outside(X(4), np.array([0, -5, 1], np.int8))
@fine(X(4), np.array([0, -4, 1], np.int8))
def narrow_places(x, places):
    y = x * x
    for k in range(places.size):
        y[places[k]] *= x[0]
    return np.sum(y)


@outside(X(4), np.array([0, 4, 1]))
@outside(X(4), np.array([0, -5, 1]))
@outside(X(4), np.array([0, FAR]))
@fine(X(4), np.array([0, 3, -4]))
@fine(X(4), np.array([], np.int64))
def index_array(x, places):
    return np.sum(x[places] ** 2)


@outside(X(4), np.array([0, 4, 1]))
@fine(X(4), np.array([0, 3, -4]))
def index_array_stored(x, places):
    y = x * 2.0
    y[places] = x[0]
    return np.sum(y * y)


@outside(X(4), np.array([0, 4]))
@fine(X(4), np.array([0, 3]))
def index_array_of_rows(x, places):
    a = np.outer(x, x)
    return np.sum(a[places] ** 2)


@outside(X(4), np.array([0, 4]))
@fine(X(4), np.array([0, 3]))
def index_array_beside_a_slice(x, places):
    a = np.outer(x, x)
    return np.sum(a[:, places] ** 2)


@outside(X(4), np.array([0, 4]))
@fine(X(4), np.array([0, 3]))
def taken(x, places):
    return np.sum(np.take(x, places) ** 2)


@outside(X(4), 4)
@outside(X(4), -5)
@fine(X(4), -4)
def taken_one(x, k):
    return np.take(x, k) ** 2


@outside(X(4), 16)
@outside(X(4), -17)
@fine(X(4), 15)
def flat_place(x, k):
    a = np.outer(x, x)
    return a.flat[k] ** 2


@outside(X(4), np.array([True, False, True]))
@outside(X(4), np.array([True, False, True, False, False]))
@fine(X(4), np.array([True, False, True, False]))
def masked(x, mask):
    return np.sum(x[mask] ** 2)


@outside(X(4), np.array([True, False, True]))
@fine(X(4), np.array([True, False, True, False]))
def masked_store(x, mask):
    y = x * 2.0
    y[mask] = x[0]
    return np.sum(y * y)


TABLE = np.array([1.0, 2.0, 3.0])


@outside(X(4), 3)
@outside(X(4), -4)
@fine(X(4), 2)
def in_a_table(x, k):
    return x[0] * TABLE[k]


PLACES = np.array([0, 3, -4])


@outside(X(3))
@fine(X(4))
def at_the_places_of_a_table(x):
    return np.sum(x[PLACES] ** 2)


@outside(X(3), 4)
@fine(X(3), 3)
def unused_element(x, n):
    s = x[0]
    for i in range(n):
        t = x[i]
        s += 0.0 * (t > 1e300)
    return s


@outside(X(3), 4)
@fine(X(3), 3)
def store_past_the_end(x, n):
    y = np.zeros(x.size)
    for i in range(n):
        y[i] = 2.0
    return np.sum(y * x)


@outside(X(3), 4)
@fine(X(3), 3)
def accumulated(x, n):
    y = np.zeros(x.size)
    for i in range(n):
        y[i] += x[0] * i
    return np.sum(y * x)


def element(x, i):
    return x[i] * x[i]


@outside(X(3), 4)
@outside(X(3), FAR)
@fine(X(3), 3)
def in_a_helper(x, n):
    s = 0.0
    for i in range(n):
        s += element(x, i)
    return s


@outside(X(6), 5, -8, -1)
@outside(X(6), 0, 8, 2)
@outside(X(6), 6, -1, -1)
@outside(X(6), 0, -14, -3)
@fine(X(6), 5, -1, -1)
@fine(X(6), 0, 6, 2)
@fine(X(6), 0, -6, -3)
@fine(X(6), 3, 3, 4)
def computed_step(x, start, stop, step):
    s = 0.0
    for i in range(start, stop, step):
        s += x[i] ** 2 * (i + 1.0)
    return s + x[0]


@outside(X(3), 3)
@fine(X(3), 2)
@fine(X(3), -5)
def downwards(x, n):
    s = 0.0
    for i in range(n, -1, -1):
        s += x[i] ** 2
    return s


@outside(X(5), 8)
@fine(X(5), 5)
@fine(X(5), 6)
def every_second(x, n):
    s = 0.0
    for i in range(0, n, 2):
        s += x[i] ** 2
    return s


@outside(X(3), 4)
@outside(X(3), FAR)
@fine(X(3), 3)
@fine(X(3), -1)
def in_a_while(x, n):
    s, i = 0.0, 0
    while i < n:
        s += x[i] ** 2
        i += 1
    return s


@outside(X(3), 5.0)
@fine(X(3), 1.0)
def while_data(x, limit):
    s, i = 0.0, 0
    while s < limit:
        s += x[i] ** 2
        i += 1
    return s


@outside(X(3), 1.0)
@fine(X(3), 9.0)
def in_a_condition(x, limit):
    i = 0
    while x[i] < limit and i < 2:
        i += 1
    while x[i] * 0.1 < limit < 5.0:
        i += 1
    return x[i] ** 2


@fine(X(3))
@fine(X(1))
@fine(X(0))
def guarded(x):
    s = 0.0
    n = x.shape[0]
    for i in range(n):
        if i + 1 < n:
            s += x[i + 1] ** 2 * x[i]
        if i > 0 and x[i - 1] > 0.0:
            s += x[i - 1] * x[i]
    return s


@fine(X(3), 7)
@outside(X(3), -5)
def guarded_at_the_end(x, k):
    s = x[0]
    if k < x.shape[0]:
        s += x[k] ** 2
    return s


@fine(X(3), np.array([0, 9, 2]))
@outside(X(3), np.array([0, -9, 2]))
def guarded_places(x, places):
    s = x[0]
    for k in range(places.size):
        if places[k] < x.size:
            s += x[places[k]] ** 2
    return s


@fine(X(3), 2.5)
@outside(X(3), 9.0)
def left_before_it(x, limit):
    s = 0.0
    for i in range(10):
        if s > limit * 0.5:
            break
        s += x[i] ** 2
    return s


@fine(X(3), 2.5)
@outside(X(3), 99.0)
def returned_before_it(x, limit):
    s = 0.0
    for i in range(10):
        s += x[i] ** 2
        if s > limit * 0.5:
            return s * x[0]
    return s


@fine(X(3), 3)
@outside(X(3), 4)
def continued_before_it(x, n):
    s = 0.0
    for i in range(10):
        if i >= n:
            continue
        s += x[i] ** 2
    return s


@outside(X(3), 3, 4)
@outside(X(3), 4, 3)
@outside(X(3), 1, FAR)
@fine(X(3), 3, 3)
@fine(X(3), 0, 9)
@fine(X(3), 9, 0)
def two_axes(x, n, m):
    a = np.outer(x, x)
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += a[i, j] ** 2 * (i + j)
    return s + x[0]


@outside(X(3), 5)
@fine(X(3), 3)
@fine(X(3), 1)
def triangle(x, n):
    a = np.outer(x, x)
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += a[i][j] ** 2
    return s + x[0]


@outside(X(4))
def edges(x):
    a = np.outer(x, x)
    n, m = a.shape
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += a[i, j] * a[i, j + 1]
    return s


@fine(X(4))
@fine(X(2))
@fine(X(0))
def stencil(x):
    a = np.outer(x, x)
    n, m = a.shape
    for _ in range(2):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    return np.sum(a)


@fine(X(4))
def wraps_around(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i - 1] * x[i] ** 2
    return s


@outside(X(4))
def wraps_too_far(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i - 5] * x[i] ** 2
    return s


@outside(X(4), 3)
@outside(X(4), -4)
@fine(X(4), 2)
def in_a_list(x, k):
    values = [x[0]]
    for i in range(2):
        values.append(x[i + 1] * 2.0)
    return values[k] ** 2


@outside(X(4), 3)
@outside(X(4), -4)
@fine(X(4), 2)
def in_a_list_of_arrays(x, k):
    rows = [x * 1.0]
    for i in range(2):
        rows.append(x * (2.0 + i))
    return np.sum(rows[k] ** 2)


@outside(X(4), 2, 4)
@fine(X(4), 2, 3)
def in_a_part(x, start, k):
    part = x[1:]
    return part[k - 1] ** 2 * x[start]


@fine(X(4), 9)
def slices_never_raise(x, n):
    return np.sum(x[:n] ** 2) + np.sum(x[n:]) + np.sum(x[-n:] ** 2)


@outside(X(4), 5)
@fine(X(4), 4)
def after_a_check_of_its_own(x, n):
    if n > 5:
        raise ValueError("too many")
    s = 0.0
    for i in range(n):
        s += x[i] ** 2
    return s


@fine(X(4), X(4))
def asserted(x, y):
    assert x.shape == y.shape
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    return s


@outside(X(4), 1.0)
@fine(X(4), 9.0)
def binary_search(x, v):
    lo, hi = 0, x.shape[0] + 1
    while lo < hi:
        mid = (lo + hi) // 2
        if x[min(mid, 3)] * 9.0 < v * 9.0:
            lo = mid + 1
        else:
            hi = mid
    return x[lo if v < 2.0 else 0] ** 2 + x[4 if v < 5.0 else 3]


def fold(x, low, high):
    if high - low <= 1:
        return x[low] ** 2
    middle = (low + high) // 2
    return fold(x, low, middle) + fold(x, middle, high)


@outside(X(4), 5)
@outside(X(0), 0)
@fine(X(4), 4)
def recursive(x, n):
    return fold(x, 0, n)


@njit
def of_numba(x, i):
    return x[i] * x[i]


@njit(boundscheck=True)
def checked_of_numba(x, i):
    return x[i] * x[i]


@outside(X(3), 3)
@fine(X(3), 2)
def calls_one_that_numba_checks(x, i):
    return checked_of_numba(x, i) + of_numba(x, 0)


def run_compiled() -> None:
    """Run every tenth of the programs compiled, others in each turn: all run plain, and it is the same text.

    Exits with an error if one raises or does not raise where Python does otherwise.
    """
    chosen = set(turning(15, dict.fromkeys(program.function for program in (*OUTSIDE, *FINE))))
    wrong = []
    for programs, expected in ((OUTSIDE, True), (FINE, False)):
        for program in (each for each in programs if each.function in chosen):
            print(program, flush=True)  # of a crash this tells where
            found = raises(lambda program=program: bs.grad(program.function)(*program.args))
            if found is not expected:
                wrong.append(str(program))
    if wrong:
        raise SystemExit(f"wrong: {wrong}")


def raises(run: Callable[[], object]) -> bool:
    """Whether it raises IndexError."""
    try:
        run()
    except IndexError:
        return True
    return False
