"""Adjoint of `fourfold` (fourfold.py:7) with respect to x, y. Written by backsweep."""


def fourfold_value_and_grad(x, y):
    # forward sweep
    u = 2.0 * x
    v = u * u / 3.0
    result = v * y * 0.25
    # reverse sweep
    # return v * y * 0.25
    v_bar = 0.25 * y
    y_bar = 0.25 * v
    # v = u * u / 3.0
    # u = 2.0 * x
    x_bar = 4.0 * (v_bar / 3.0 * u)
    return result, (x_bar, y_bar)
