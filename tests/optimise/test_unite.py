"""Which loops of the forward sweep run in one with the loops that take them back."""

from __future__ import annotations

import numpy as np
import pytest

import backsweep as bs
from tests import zoo
from tests.zoo import charted, gathers

X = np.linspace(0.5, 1.5, 5)


def gradient_code(function, *args, derivative=bs.grad) -> str:
    """The emitted gradient with respect to every argument of floats."""
    argnums = tuple(k for k, arg in enumerate(args) if isinstance(arg, np.ndarray) and arg.dtype.kind == "f")
    return derivative(function, argnums=argnums).source(*args)


def is_united(text: str) -> bool:
    """Whether a part of the reverse sweep stands in a loop."""
    return "        # reverse sweep" in text


def test_a_sparse_product_is_one_loop() -> None:
    args = (charted.STARTS, charted.COLUMNS, X, X[:4])
    text = gradient_code(charted.sparse_product, *args)
    assert text.count("for i in range(y.size):") == 1
    assert text.count("for ") == 3
    assert "y[i]" not in text.replace("# y[i] = total", "")
    assert "y_bar" not in text


@pytest.mark.parametrize(
    "function",
    [charted.sum_needed_by_all, charted.read_backwards, charted.cleared_between],
)
def test_iterations_that_do_not_wait_are_united(function) -> None:
    case = next(case for case in zoo.load() if case.function is function)
    assert is_united(gradient_code(function, *case.args, derivative=bs.value_and_grad))


@pytest.mark.parametrize(
    "function",
    [
        charted.product_carried,
        charted.two_results_of_a_row,
        charted.read_backwards,
        charted.other_ranges,
        charted.read_of_the_row_after,
        charted.read_of_the_row_before,
        charted.scattered_then_read,
        charted.read_and_overwritten,
        charted.if_of_each_row,
        charted.written_between,
        charted.every_row_makes_a_buffer,
    ],
)
def test_iterations_that_wait_are_not(function) -> None:
    case = next(case for case in zoo.load() if case.function is function)
    assert not is_united(gradient_code(function, *case.args))


def test_array_statements_and_plain_loops_keep_their_sweeps_apart() -> None:
    assert not is_united(gradient_code(gathers.vector_read, X, gathers.PLACES))
    assert not is_united(gradient_code(lambda x: np.sum(np.exp(x) * x), X))
