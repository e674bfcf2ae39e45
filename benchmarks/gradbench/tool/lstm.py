"""The eval `lstm`: the mean loss of a network with memory that predicts the next item of a sequence, and its gradient."""

from __future__ import annotations

import backsweep as bs
import numpy as np
from timed import Function, floats


@bs.njit
def logistic(x):
    return 1.0 / (1.0 + np.exp(-x))


@bs.njit
def objective(main_params, extra_params, state, sequence):
    layers = main_params.shape[0] // 2
    count, size = sequence.shape
    memory = state.copy()
    total = 0.0
    for t in range(count - 1):
        x = sequence[t] * extra_params[0]
        for k in range(layers):
            weights = main_params[2 * k].reshape(4, size)
            biases = main_params[2 * k + 1].reshape(4, size)
            hidden, cell = memory[2 * k], memory[2 * k + 1]
            forget = logistic(x * weights[0] + biases[0])
            ingate = logistic(hidden * weights[1] + biases[1])
            outgate = logistic(x * weights[2] + biases[2])
            change = np.tanh(hidden * weights[3] + biases[3])
            memory[2 * k + 1] = cell * forget + ingate * change
            memory[2 * k] = outgate * np.tanh(memory[2 * k + 1])
            x = memory[2 * k]
        y = x * extra_params[1] + extra_params[2]
        total += np.sum(sequence[t + 1] * (y - np.log(np.sum(np.exp(y)) + 2.0)))
    return -total / (size * (count - 1))


def arguments(given):
    return tuple(
        floats(given[name])
        for name in ("main_params", "extra_params", "state", "sequence")
    )


def flat(gradient):
    return np.concatenate([part.ravel() for part in gradient]).tolist()


FUNCTIONS = {
    "objective": Function(objective, arguments),
    "jacobian": Function(
        bs.grad(objective, wrt=("main_params", "extra_params")), arguments, flat
    ),
}
