"""Adjoint of `shared_half` (shared_half.py:7) with respect to s, e. Written by backsweep."""


def shared_half_value_and_grad(s, e):
    # forward sweep
    result_term = 0.5 / s
    e_pow_2 = e ** 2
    result = result_term * e_pow_2
    # reverse sweep
    # return 0.5 / s * e**2
    e_bar = result_term * 2.0 * e
    s_bar = -(e_pow_2 * result_term / s)
    return result, (s_bar, e_bar)
