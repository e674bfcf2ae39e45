import math
from typing import NamedTuple

import numpy as np


class Oscillator(NamedTuple):
    omega: float
    zeta: float
    weights: np.ndarray


def oscillator(system, times, data):
    zeta = system.zeta * system.omega
    loss = 0.0
    for i in range(len(times)):
        x = math.exp(-zeta * times[i]) * math.cos(system.omega * times[i])
        loss += system.weights[i] * (x - data[i]) ** 2
    return loss


WRT = ("system",)
ARGS = (Oscillator(2.0, 0.1, np.array([1.0, 0.5, 2.0])), np.array([0.1, 0.4, 0.9]), np.array([0.9, 0.7, -0.2]))
