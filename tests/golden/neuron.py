"""Scalars: nothing is stored, the hyperbolic tangent's adjoint reads its result."""

import math

ARGS = (0.3, 0.7, -0.2)
WRT = ("x", "w", "b")


def neuron(x, w, b):
    u = x * w
    v = u + b
    a = math.tanh(v)
    return a
