"""Ctrl-C at any moment of the first call: the call ends, and all that follows is as if it had not been made."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest

from backsweep.runtime.machine_code.compiling import Compiling
from tests.support.children import printed
from tests.support.sampled import turning

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers that send signals")
PROGRAM = """
import signal
import numpy as np
import backsweep as bs

arrived = []
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it


def interrupt(*_):
    arrived.append(True)
    signal.raise_signal(signal.SIGINT)


signal.signal(signal.SIGVTALRM, interrupt)


def made(factor, jit):
    def curve(x, w):
        total = 0.0
        for i in range(x.shape[0]):
            if x[i] > 0.0:
                total += np.exp(-x[i] * w) * factor
        return total + np.max(x)

    return bs.value_and_grad(curve, argnums=(0, 1), jit=jit)


x = np.array([0.5, -0.2, 0.8])
expected = made(1.0, False)(x, 0.7)
ended = 0
for number, delay in enumerate(DELAYS):
    gradient = made(1.0 + number * 2.0**-20, number % 5 != 4)
    arrived.clear()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, delay)
        gradient(x, 0.7)
        while not arrived:
            pass
    except KeyboardInterrupt:
        ended += 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    value, (x_bar, w_bar) = gradient(x, 0.7)
    np.testing.assert_allclose(value, expected[0], rtol=1e-4)
    np.testing.assert_allclose(x_bar, expected[1][0], rtol=1e-4)
    np.testing.assert_allclose(w_bar, expected[1][1], rtol=1e-4)
print(ended)
"""


def test_an_interruption_leaves_nothing_half_done(tmp_path: Path) -> None:
    delays = turning(38, [0.003 + 0.008 * k for k in range(100)])
    program = PROGRAM.replace("DELAYS", repr(delays))
    found = printed(program, {"BACKSWEEP_CACHE_DIR": str(tmp_path / "cache")}, tmp_path)
    assert int(found) == len(delays)


class Arrived(Exception):  # noqa: N818
    """What a handler raises."""


@pytest.fixture
def handled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler that raises an error."""

    def handler(*_: object) -> None:
        raise Arrived

    before = signal.signal(signal.SIGALRM, handler)
    yield
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("handled")
def test_a_signal_waits_until_it_does_no_harm() -> None:
    compiling, done = Compiling(), []
    with pytest.raises(Arrived), compiling, compiling:  # noqa: PT012  where it arrives is what is tested
        signal.raise_signal(signal.SIGALRM)
        done.append("after the signal")
        compiling.check()
        done.append("after the check")
    assert done == ["after the signal"]
    with pytest.raises(Arrived), compiling:  # noqa: PT012  as above
        with compiling:
            signal.raise_signal(signal.SIGALRM)
        done.append("after the inner block")
    assert done == ["after the signal", "after the inner block"]
    with pytest.raises(Arrived):
        signal.raise_signal(signal.SIGALRM)


@pytest.mark.usefixtures("handled")
def test_a_signal_while_another_thread_compiles() -> None:
    compiling, has_it, may_end = Compiling(), threading.Event(), threading.Event()

    def compile_long() -> None:
        with compiling:
            has_it.set()
            may_end.wait()

    thread = threading.Thread(target=compile_long)
    thread.start()
    has_it.wait()
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    with pytest.raises(Arrived), compiling:
        pass
    may_end.set()
    thread.join()
    with compiling:
        pass


def test_in_another_thread_no_signal_is_touched() -> None:
    compiling, seen = Compiling(), []

    def look() -> None:
        with compiling:
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]
