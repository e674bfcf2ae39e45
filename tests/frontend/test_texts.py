"""Texts that are printed and raised: compiled code shows what Python shows."""

# ruff: noqa: UP030, UP031, UP032, RUF010
# These forms are what is tested.

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.support.refused import refused

JIT = [False, pytest.param(True, marks=pytest.mark.compiles)]


def shown(x: Any, name: Any) -> Any:
    print(f"{x[0]:.3f} of {name:>5} {{}}", 3)
    if x[0] > 1.0:
        raise ValueError(f"{name}: {x[0]:.2f} is over {1.0}, {len(x)=}")
    if x[1] > 5.0:
        raise OverflowError(f"x is {x}")
    return (x * x).sum()


def put_together(x: Any, name: Any) -> Any:
    n = len(x)
    print("entries: " + str(n) + ", of " + name, repr(n), f"{'%d%%' % n} {str(name)}")
    print("%5.2f|%-6d|%06.1f|%+d|%s|%8s|%x|%e" % (x[0], n, x[0], n, name, name, 255, x[1]))
    print("{1} {0}".format(n, name), "{} {:02d}".format(name, n))
    print("{0:>6} {name!r} {{}} {0:.1f}".format(n, name=name), "%d" % x[0], sep=" {} ", flush=True)
    print(x[0], n, sep="", end=None)
    if x[0] > 1.0:
        message = "%s: " % name + "{} of {:.2f}".format(n, x[0])
        raise ValueError(message)
    if x[1] > 5.0:
        message = f"x is {str(x[1])}"
        raise OverflowError(message, n, "beside " + repr(n))
    if n > 2:
        raise AssertionError("of %s: %d" % (name, n))
    return (x * x).sum()


def read_elsewhere(x: Any, name: Any) -> Any:
    message = f"{name}: {x}"
    if x > 1.0:
        message = f"{x} of {name}"
        raise ValueError(message)
    return x * len(message)


def unknown_text(x: Any, n: Any) -> Any:
    first = x if n > 2 else n
    if n < 0:
        raise ValueError("n: " + first)
    return x * x


def varying_format(x: Any, digits: Any) -> Any:
    print(f"{x:.{digits}f}")
    return x * x


@pytest.mark.parametrize("jit", JIT)
@pytest.mark.parametrize("function", [shown, put_together])
def test_as_python_shows_them(function: Any, jit: bool, capsys: pytest.CaptureFixture[str]) -> None:
    gradient = bs.grad(function, jit=jit)
    for x in [0.5, 1.0], [1.5, 1.0], [0.5, 7.0], [0.5, 1.0, 1.0]:
        message = []
        for f in function, gradient:
            error = ""
            try:
                f(np.array(x), "rate")
            except (ValueError, OverflowError, AssertionError) as raised:
                error = repr(raised)
            message.append((error, capsys.readouterr().out))
        assert message[0] == message[1]


def test_a_format_that_only_the_run_knows_is_refused() -> None:
    with pytest.raises(bs.UnsupportedError, match="write the format out"):
        bs.grad(varying_format, jit=False)(0.5, 3)


@pytest.mark.parametrize(
    ("function", "told"), [(read_elsewhere, "the run decides"), (unknown_text, "`first` is added")]
)
def test_texts_that_are_more_than_shown_are_refused(function: Any, told: str) -> None:
    with refused(told):
        bs.grad(function, jit=False)(0.5, 3)
