"""Adjoint of `skip` (skip.py:11) with respect to x. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.special import strong_product, strong_quotient


def skip_value_and_grad(x):
    # forward sweep
    n = x.size
    s_tape = np.empty(n)
    s = 1.0
    for i in range(n):
        s_tape[i] = s
        if i % 3 != 1:
            s = math.sqrt(s) * x[i] + x[0]
    # reverse sweep
    x_bar = np.zeros_like(x)
    s_bar = 1.0
    for i in range(n - 1, -1, -1):
        s_1 = s_tape[i]
        if i % 3 != 1:
            # s = math.sqrt(s) * x[i] + x[0]
            sqrt_s = math.sqrt(s_1)
            x_i = x[i]
            x_bar[0] += s_bar
            x_bar[i] += strong_product(s_bar, sqrt_s)
            s_bar = strong_quotient(s_bar * x_i * 0.5, sqrt_s)
    return s, (x_bar,)
