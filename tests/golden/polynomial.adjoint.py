"""Adjoint of `polynomial` (polynomial.py:9) with respect to coefficients, x. Written by backsweep."""
import numpy as np


def polynomial_value_and_grad(coefficients, x):
    # forward sweep
    n = coefficients.size
    p_tape = np.empty(n)
    p = 0.0
    for k in range(n - 1, -1, -1):
        p_tape[n - 1 - k] = p
        p = p * x + coefficients[k]
    p_above_0 = p > 0.0
    q = p if p_above_0 else -p
    result = q ** 3
    # reverse sweep
    # return q**3
    q_bar = 3.0 * q ** 2
    if p_above_0:
        p_bar = q_bar
    else:
        # q = p if p > 0.0 else -p
        p_bar = -q_bar
    coefficients_bar = np.zeros_like(coefficients)
    x_bar = 0.0
    for k in range(n):
        p = p_tape[n - 1 - k]
        # p = p * x + coefficients[k]
        coefficients_bar[k] += p_bar
        p_bar_next = p_bar * x
        x_bar += p_bar * p
        p_bar = p_bar_next
    return result, (coefficients_bar, x_bar)
