"""Derivatives in several threads: Python's lock is released while one runs, unless it calls Python."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from backsweep.specialise.build import compiled


def long(x, n):
    total = 0.0
    for i in range(n):
        total = np.sin(total + x * i)
    return total


def drawn(x, rng):
    return x * rng.normal()


def made(x):
    return x * np.random.default_rng(3).normal()


RNG = np.random.default_rng(5)


def around(x):
    return x * RNG.normal()


@bs.pure_python(result=1.0)
def looked_up(x):
    return 2.0


def tabled(x):
    return x * looked_up(1.0)


def releases(transformed: Any, *args: Any) -> bool:
    """Whether the machine code for these arguments runs without Python's lock."""
    emitted = transformed._looked_at(args)
    return bool(compiled(emitted, 0, transformed.build.options).targetoptions["nogil"])


def test_other_threads_run_meanwhile() -> None:
    """With the lock held, this thread could not run before the other is through."""
    slope, runs = bs.grad(long), threading.Event()
    slope(0.1, 10)

    def work() -> None:
        runs.set()
        slope(0.1, 20_000_000)
        runs.clear()

    thread = threading.Thread(target=work)
    thread.start()
    runs.wait()
    rounds = 0
    while runs.is_set():
        rounds += 1
        time.sleep(0.001)
    thread.join()
    assert rounds > 20


def test_what_calls_python_keeps_the_lock() -> None:
    assert releases(bs.grad(long), 0.1, 10)
    assert not releases(bs.grad(drawn), 0.1, np.random.default_rng(1))
    assert not releases(bs.grad(made), 0.1)
    assert not releases(bs.grad(around), 0.1)
    assert not releases(bs.grad(tabled), 0.1)


@pytest.mark.compiles_many("each closure is a function of its own")
def test_threads_make_call_and_drop_gradients() -> None:
    def made(k: float) -> Callable[[Any], Any]:
        def scaled(x):
            y = x * k
            for i in range(x.size):
                y[i] = y[i] * x[i]
            return np.sum(y)

        return scaled

    shared, x = bs.grad(made(1.0)), np.arange(4.0)

    def work(k: int) -> bool:
        right = True
        for each in (2.0, 3.0):
            slope = bs.grad(made(each))
            right &= bool((slope(x) == 2.0 * each * x).all()) and bool((shared(x) == 2.0 * x).all())
            del slope
            if k == 0:
                gc.collect()
        return right

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))
