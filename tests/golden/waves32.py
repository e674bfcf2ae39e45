"""Pi in single precision is rounded pi."""

import numpy as np

ARGS = (np.array([0.2, 1.1, -0.4], np.float32),)
WRT = ("x",)
PI = np.float32(np.pi)


def waves32(x):
    return np.sum(np.sin(PI * x) * np.float32(np.pi))
