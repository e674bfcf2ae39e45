"""A loop with `else`, left by `break`; a namedtuple on the way."""

import math
from typing import NamedTuple

ARGS = (2.0, 1e-6)
WRT = ("a",)


class State(NamedTuple):
    value: float
    step: float


def settled(a, tolerance):
    state = State(a, 1.0)
    for _ in range(20):
        step = 0.5 * (state.value - a / state.value)
        state = State(state.value - step, step)
        if abs(step) < tolerance:
            break
    else:
        return -a
    return math.log(state.value)
