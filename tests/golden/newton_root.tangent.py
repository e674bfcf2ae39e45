"""Tangent of `newton_root` (newton_root.py:7) with respect to a. Written by backsweep."""


def newton_root_jvp(a, a_dot):
    x = a
    x_dot = a_dot
    while True:
        a_over_x = a / x
        step = 0.5 * (x - a_over_x)
        step_dot = (x_dot - (a_dot / x - x_dot * a_over_x / x)) * 0.5
        x -= step
        x_dot -= step_dot
        if abs(step) < 1e-12:
            break
    return x, x_dot
