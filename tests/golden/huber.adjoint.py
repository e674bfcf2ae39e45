"""Adjoint of `huber` (huber.py:9) with respect to residuals, delta. Written by backsweep."""
import numpy as np


def huber_value_and_grad(residuals, delta):
    # forward sweep
    n = len(residuals)
    total = 0.0
    for i in range(n):
        r = residuals[i]
        if r > delta:
            total += delta * (r - 0.5 * delta)
        elif r < -delta:
            total -= delta * (r + 0.5 * delta)
        else:
            total += 0.5 * r * r
    # reverse sweep
    residuals_bar = np.zeros_like(residuals)
    delta_bar = 0.0
    for i in range(n):
        r = residuals[i]
        if r > delta:
            # total += delta * (r - 0.5 * delta)
            total_term = 0.5 * delta
            delta_bar += r - total_term
            delta_bar -= total_term
            r_bar = delta
        elif r < -delta:
            # total -= delta * (r + 0.5 * delta)
            total_term = 0.5 * delta
            delta_bar -= r + total_term
            r_bar = -delta
            delta_bar -= total_term
        else:
            # total += 0.5 * r * r
            r_bar = r
        # for r in residuals:
        residuals_bar[i] += r_bar
    return total, (residuals_bar, delta_bar)
