"""f-strings that are printed and raised: compiled code shows what Python shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backsweep as bs

JIT = [False, pytest.param(True, marks=pytest.mark.compiles)]


def shown(x: Any, name: Any) -> Any:
    print(f"{x[0]:.3f} of {name:>5} {{}}", 3)
    if x[0] > 1.0:
        raise ValueError(f"{name}: {x[0]:.2f} is over {1.0}, {len(x)=}")
    if x[1] > 5.0:
        raise OverflowError(f"x is {x}")
    return (x * x).sum()


def varying_format(x: Any, digits: Any) -> Any:
    print(f"{x:.{digits}f}")
    return x * x


@pytest.mark.parametrize("jit", JIT)
def test_as_python_shows_them(jit: bool, capsys: pytest.CaptureFixture[str]) -> None:
    gradient = bs.grad(shown, jit=jit)
    for x in np.array([0.5, 1.0]), np.array([1.5, 1.0]), np.array([0.5, 7.0]):
        message = []
        for f in shown, gradient:
            error = ""
            try:
                f(x, "rate")
            except (ValueError, OverflowError) as raised:
                error = repr(raised)
            message.append((error, capsys.readouterr().out))
        assert message[0] == message[1]


def test_a_format_that_only_the_run_knows_is_refused() -> None:
    with pytest.raises(bs.UnsupportedError, match="write the format out"):
        bs.grad(varying_format, jit=False)(0.5, 3)
