"""Which loops of the reverse sweep become two, one that computes and one that adds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import backsweep as bs
from tests.zoo.pairs import energies_after_the_diagonal, forces


def cheap(m, x):
    total = 0.0
    for i in range(m.size):
        for j in range(m.size):
            total += m[i] * x[j, 0] * x[j, 0]
    return total


def of_sines(m, x):
    total = 0.0
    for i in range(m.size):
        for j in range(m.size):
            total += math.sin(m[i] / math.sqrt(1.0 + x[j, 0] * m[i]))
    return total


def once(m, x):
    total = 0.0
    for j in range(m.size):
        total += m[j] / math.sqrt(x[j, 0] + 1.0) / (x[j, 1] + 2.0)
    return total


def reverse_sweep(function) -> str:
    """Its statements, without the headings."""
    source = bs.grad(function, argnums=(0, 1)).source(np.ones(5), np.ones((5, 3)))
    lines = source[source.index("# reverse sweep") :].splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


def test_columns_and_terms_have_rows() -> None:
    text = reverse_sweep(forces)
    computing, adding = text.split("for j in range(n):")[2:4]
    assert "x_column_0[j] = x[j, 0]" in text
    assert "x[j, " not in computing
    assert "math.sqrt" in computing
    assert "dx_bar_row[j] = " in computing
    assert "x_bar[j, 0] += " in adding
    assert "math.sqrt" not in adding


def test_a_loop_that_begins_elsewhere_counts_from_zero() -> None:
    text = reverse_sweep(energies_after_the_diagonal)
    assert "j = i + 1 + trip" in text
    assert "for j in range(i + 1, " in text


@pytest.mark.parametrize("function", [cheap, of_sines, once])
def test_other_loops_stay_one(function) -> None:
    assert "_row" not in reverse_sweep(function)
