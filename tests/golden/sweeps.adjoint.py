"""Adjoint of `sweeps` (sweeps.py:17) with respect to x. Written by backsweep."""
import numpy as np


def relaxed(u, n):
    if not n < 2:
        if n > u.shape[0]:
            raise IndexError('u[i] is out of bounds')
        for i in range(1, n):
            u_i = u[i]
            u[i] = 0.5 * u_i + 0.5 * u[i - 1] * u_i
        relaxed(u, n - 1)


def relaxed_adjoint(u, n, u_bar):
    # forward sweep
    u = u.copy()
    n_below_2 = n < 2
    if not n_below_2:
        if n > u.shape[0]:
            raise IndexError('u[i] is out of bounds')
        tape = np.empty(max(n - 1, 0))
        u_i_tape = np.empty(max(n - 1, 0))
        for i in range(1, n):
            u_i = u[i]
            u_i_tape[i - 1] = u_i
            u_term = 0.5 * u[i - 1]
            tape[i - 1] = u_term
            u[i] = 0.5 * u_i + u_term * u_i
        u = u.copy()
    # reverse sweep
    if not n_below_2:
        # relaxed(u, n - 1)
        relaxed_adjoint(u, n - 1, u_bar)
        for i in range(n - 1, 0, -1):
            tape_prev = tape[i - 1]
            u_i = u_i_tape[i - 1]
            # u[i] = 0.5 * u[i] + 0.5 * u[i - 1] * u[i]
            u_bar_i = u_bar[i]
            u_bar[i] = 0.0
            u_bar[i - 1] += u_bar_i * u_i * 0.5
            u_bar[i] += u_bar_i * tape_prev + u_bar_i * 0.5


def sweeps_value_and_grad(x):
    # forward sweep
    u = np.empty_like(x)
    u_1 = np.empty_like(x)
    n = x.size
    for i in range(n):
        x_i = x[i]
        u_i = x_i * x_i
        u[i] = u_i
        u_1[i] = u_i
    relaxed(u, n)
    result = u.sum()
    # reverse sweep
    # return np.sum(u)
    u_bar = np.full_like(x, 1.0)
    # relaxed(u, u.size)
    relaxed_adjoint(u_1, n, u_bar)
    # u = x * x
    x_bar = np.empty_like(u_bar)
    for i in range(n):
        x_bar[i] = 2.0 * (u_bar[i] * x[i])
    return result, (x_bar,)
