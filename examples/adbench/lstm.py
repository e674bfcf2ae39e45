"""ADBench's LSTM with element-wise weights: its loss over a sequence, and the gradient Backsweep makes of it.

Run `python -m examples.adbench.lstm` to time the loss beside its gradient on a generated instance, or give it
files of the suite (`data/lstm/lstm_l2_c1024.txt` and so on).
The loss differentiates with respect to `main` (of each layer, weights and biases in blocks for the forget,
input and output gates and the change) and `extra` (the weights of the input, those of the output, its bias).
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

import backsweep as bs
from examples.adbench.timing import report

Floats = NDArray[np.float64]


class Instance(NamedTuple):
    """The arguments of `objective`, in its order."""

    main: Floats
    extra: Floats
    state: Floats
    sequence: Floats


@njit(error_model="numpy")
def sigmoid(x: float) -> float:
    """The logistic function."""
    return 1.0 / (1.0 + math.exp(-x))


@njit(error_model="numpy")
def step(layer: Floats, hidden: Floats, cell: Floats, x: Floats) -> None:
    """Advance one layer's `hidden` and `cell` by the input `x`, which becomes the layer's output."""
    b = x.size
    weights, biases = layer[0], layer[1]
    for j in range(b):
        forget = sigmoid(x[j] * weights[j] + biases[j])
        ingate = sigmoid(hidden[j] * weights[b + j] + biases[b + j])
        outgate = sigmoid(x[j] * weights[2 * b + j] + biases[2 * b + j])
        change = math.tanh(hidden[j] * weights[3 * b + j] + biases[3 * b + j])
        cell[j] = cell[j] * forget + ingate * change
        hidden[j] = outgate * math.tanh(cell[j])
        x[j] = hidden[j]


@njit(error_model="numpy")
def objective(main: Floats, extra: Floats, state: Floats, sequence: Floats) -> float:
    """The mean loss of predicting each entry of the sequence from those before it."""
    layers = main.shape[0] // 2
    count, b = sequence.shape
    memory = state.copy()
    x = np.empty(b)
    y = np.empty(b)
    total = 0.0
    for t in range(count - 1):
        for j in range(b):
            x[j] = sequence[t, j] * extra[0, j]
        for k in range(layers):
            step(main[2 * k : 2 * k + 2], memory[2 * k], memory[2 * k + 1], x)
        mass = 2.0
        for j in range(b):
            y[j] = x[j] * extra[1, j] + extra[2, j]
            mass += math.exp(y[j])
        log_mass = math.log(mass)
        for j in range(b):
            total += sequence[t + 1, j] * (y[j] - log_mass)
    return -total / (b * (count - 1))


def read_instance(path: Path | str) -> Instance:
    """The instance in a file of the ADBench suite."""
    words = Path(path).read_text(encoding="ascii").split()
    layers, count, b = (int(word) for word in words[:3])
    numbers = np.array(words[3:], dtype=np.float64)
    sizes = (2 * layers * 4 * b, 3 * b, 2 * layers * b)
    main, extra, state, sequence = np.split(numbers, np.cumsum(sizes))
    return Instance(
        main.reshape(2 * layers, 4 * b),
        extra.reshape(3, b),
        state.reshape(2 * layers, b),
        sequence.reshape(count, b),
    )


def generate_instance(layers: int, count: int, b: int = 14, seed: int = 0) -> Instance:
    """A random instance of the same shape and scale as the suite's: a sequence of zeros and ones."""
    rng = np.random.default_rng(seed)
    return Instance(
        rng.uniform(size=(2 * layers, 4 * b)),
        rng.uniform(size=(3, b)),
        rng.uniform(size=(2 * layers, b)),
        (rng.uniform(size=(count, b)) < 0.25).astype(float),
    )


def main() -> None:
    """Time the loss and its gradient on each instance."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    instances = {path.stem: read_instance(path) for path in parser.parse_args().files}
    gradient = bs.value_and_grad(objective, argnums=(0, 1))
    for name, instance in (instances or {"generated l2 c1024": generate_instance(2, 1024)}).items():
        report(name, objective, gradient, instance)


if __name__ == "__main__":
    main()
