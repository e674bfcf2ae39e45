"""A tuple of numbers: a reverse sweep for each, in a loop that carries the rows."""

import math
from typing import NamedTuple

WAY = "jacrev"
WRT = ("state", "length")


class State(NamedTuple):
    angle: float
    speed: float


ARGS = (State(0.5, -0.2), 1.3, 0.01)


def swing(state, length, dt):
    speed = state.speed - dt * 9.81 / length * math.sin(state.angle)
    return State(state.angle + dt * speed, speed)
