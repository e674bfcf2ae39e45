"""Tangent of `newton_root` (newton_root.py:7) with respect to a. Written by backsweep."""
from backsweep.runtime.special import strong_product, strong_quotient


def newton_root_jvp(a, a_dot):
    x = a
    x_dot = a_dot
    while True:
        a_over_x = a / x
        x_dot_minus_step_term = x_dot - (strong_quotient(a_dot, x)
                - strong_product(x_dot, a_over_x / x))
        step = 0.5 * (x - a_over_x)
        step_dot = x_dot_minus_step_term * 0.5
        x -= step
        x_dot -= step_dot
        if abs(step) < 1e-12:
            break
    return x, x_dot
