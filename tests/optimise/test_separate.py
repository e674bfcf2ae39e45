"""Which loops of the forward sweep become several, a loop for each record of a dear number and one for the rest."""

from __future__ import annotations

import math

import numpy as np
import pytest

import backsweep as bs
from tests.zoo import waiting


def forward_sweep(function, *args) -> str:
    """The statements of the forward sweep of its gradient."""
    argnums = tuple(k for k, arg in enumerate(args) if isinstance(arg, np.ndarray) and arg.dtype.kind == "f")
    source = bs.grad(function, argnums=argnums).source(*args)
    return source[source.index("# forward sweep") : source.index("# reverse sweep")]


def side_by_side(x, w):
    total = 0.0
    for i in range(x.size):
        total += math.exp(x[i] * w[i]) * math.tanh(x[i] + w[i])
    return total


def test_each_record_has_its_loop() -> None:
    text = forward_sweep(waiting.summed_at_once, np.ones(3), np.ones(3))
    first, second, rest = (part.splitlines() for part in text.split("for i in range(n):")[1:])
    assert any("a_tape[i] = " in line for line in first)
    assert any("a = a_tape[i]" in line for line in second)
    assert any("b_tape[i] = " in line for line in second)
    assert not any("_tape[i] = " in line for line in rest if "log" not in line)


def test_memory_is_written_in_the_last_loop() -> None:
    text = forward_sweep(waiting.gates_of_two_layers, np.ones((4, 4)), np.ones((2, 2)), np.ones((3, 2)))
    keep, new, tanh, rest = text.split("for j in range(b):")[2:6]
    assert "keep_tape[t, k, j] = " in keep
    assert "new_tape[t, k, j] = " in new
    assert "math.tanh" in tanh
    assert "memory[k, j] = " in rest
    assert not any("memory[k, j] = " in each for each in (keep, new, tanh))
    assert not any(f"math.{name}" in rest for name in ("exp", "tanh"))


def test_a_dear_number_that_is_not_recorded_waits_too() -> None:
    text = forward_sweep(waiting.each_takes_the_one_after, np.ones(4), np.ones(3))
    first_loop, rest = text.split("for i in range(n):")[1:]
    assert "math.exp" in first_loop
    assert "h[i] = " not in first_loop
    assert "math.sin" in rest


def test_numbers_of_a_recurrence_that_it_does_not_hand_on_are_computed_before() -> None:
    text = forward_sweep(waiting.growth_along_a_path, np.ones(4), np.ones(4))
    first_loop, rest = text.split("for i in range(n):")[1:]
    assert "exp_tape[i] = exp" in first_loop
    assert "exp = exp_tape[i]" in rest
    assert "math.exp" not in rest


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (side_by_side, (np.ones(3), np.ones(3))),
        (waiting.each_takes_the_one_before, (np.ones(4), np.ones(3))),
        (waiting.overlapping_halves, (np.ones(9),)),
        (waiting.gathered_and_scattered, (np.ones(4), np.zeros(3, np.int64))),
        (waiting.dear_numbers_carried, (np.ones(4), 1.0)),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_other_loops_stay_one(function, args) -> None:
    text = forward_sweep(function, *args)
    assert not any("= a_tape[" in line or "= exp_tape[" in line for line in text.splitlines())
