"""The softmax over the last axis, and its adjoint by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.problem import Problem

Floats = NDArray[np.float64]


@njit(error_model="numpy")
def softmax(x: Floats) -> float:
    """The sum of squares of the softmax over the last axis."""
    batches, heads, rows, columns = x.shape
    y = np.empty(x.shape)
    for b in range(batches):
        for h in range(heads):
            for i in range(rows):
                top = -np.inf
                for j in range(columns):
                    top = max(top, x[b, h, i, j])
                total = 0.0
                for j in range(columns):
                    y[b, h, i, j] = math.exp(x[b, h, i, j] - top)
                    total += y[b, h, i, j]
                for j in range(columns):
                    y[b, h, i, j] /= total
    return np.sum(y * y)


@njit(error_model="numpy")
def softmax_by_hand(x: Floats) -> Any:
    """Value and gradient of `softmax`: the adjoint reads the result."""
    batches, heads, rows, columns = x.shape
    x_bar = np.empty(x.shape)
    loss = 0.0
    y = np.empty(columns)
    for b in range(batches):
        for h in range(heads):
            for i in range(rows):
                top = -np.inf
                for j in range(columns):
                    top = max(top, x[b, h, i, j])
                total = 0.0
                for j in range(columns):
                    y[j] = math.exp(x[b, h, i, j] - top)
                    total += y[j]
                squares = 0.0
                for j in range(columns):
                    y[j] /= total
                    squares += y[j] * y[j]
                loss += squares
                for j in range(columns):
                    x_bar[b, h, i, j] = 2.0 * y[j] * (y[j] - squares)
    return loss, (x_bar,)


def softmax_instance(size: str) -> tuple[Floats]:
    """Scores of attention."""
    shape = {"tiny": (2, 2, 3, 4), "S": (4, 4, 64, 64), "M": (16, 16, 128, 128)}[size]
    return (np.random.default_rng(42).random(shape),)


PROBLEMS = (Problem("softmax", softmax, softmax_instance, (0,), softmax_by_hand),)
