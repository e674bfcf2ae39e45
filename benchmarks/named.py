"""Adjoints of variables by name, beside the gradient alone: what four gates in each iteration cost to hand out."""

from __future__ import annotations

from typing import Any

import numpy as np

import backsweep as bs
from benchmarks.adbench import instances
from benchmarks.problem import Problem, agree
from examples.adbench import lstm

ARGUMENTS = ("main", "extra")
GATES = ("forget", "ingate", "outgate", "change")
NAMED = tuple(f"step.{gate}" for gate in GATES)

alone = bs.grad(lstm.objective, wrt=ARGUMENTS)
with_gates = bs.grad(lstm.objective, wrt=(*ARGUMENTS, *NAMED))
values_too = bs.value_and_grad(lstm.objective, wrt=ARGUMENTS, return_intermediates=NAMED)


def check_gates(args: tuple[Any, ...]) -> str:
    """The gradient against the gradient alone, and that of the biases against what the gates' adjoints say of it."""
    main, extra = alone(*args)
    found, found_extra, *adjoints = with_gates(*args)
    agree(found, main, "lstm_named: main")
    agree(found_extra, extra, "lstm_named: extra")
    _, _, values = values_too(*args)
    for k, (gate, value, adjoint) in enumerate(zip(GATES, values, adjoints, strict=True)):
        slope = 1.0 - value * value if gate == "change" else value * (1.0 - value)
        b = value.shape[-1]
        agree(
            np.sum(adjoint * slope, axis=0), main[1::2, k * b : (k + 1) * b], f"lstm_named: biases of {gate}"
        )
    return "the gradient alone"


PROBLEMS = (
    Problem(
        "lstm_named",
        alone,
        instances("lstm", lstm),
        own_derivative=with_gates,
        gradient=with_gates,
        residuals=check_gates,
    ),
)
