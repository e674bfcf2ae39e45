"""Adjoint of `heat` (heat.py:9) with respect to u, k. Written by backsweep."""
import numpy as np

from backsweep.runtime.memory import check_room


def heat_value_and_grad(u, k, steps):
    # forward sweep
    n = u.shape[0]
    if n < 4:
        raise ValueError('this code is for u.shape[0] >= 4')
    u = u.copy()
    tape = np.empty((max(steps, 0), n - 2))
    u_minus_u_plus_u = np.empty(max(n - 2, 0))
    check_room(8 * tape.size)
    for t in range(steps):
        for i in range(n - 2):
            u_minus_u_plus_u_i = u[i + 2] - 2.0 * u[i + 1] + u[i]
            u_minus_u_plus_u[i] = u_minus_u_plus_u_i
            tape[t, i] = u_minus_u_plus_u_i
        for i in range(n - 2):
            u[i + 1] += k * u_minus_u_plus_u[i]
    result = 0.0
    for i in range(n):
        u_i = u[i]
        result += u_i * u_i
    # reverse sweep
    # return np.sum(u * u)
    u_bar = np.empty_like(u)
    for i in range(n):
        u_bar[i] = 2.0 * u[i]
    u_bar_1 = np.empty(max(n - 2, 0))
    k_bar = 0.0
    for t in range(steps - 1, -1, -1):
        # u[1:-1] = u[1:-1] + k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        k_bar_term = 0.0
        for i in range(n - 2):
            u_bar_next = u_bar[i + 1]
            u_bar_1[i] = u_bar_next
            u_bar[i + 1] = 0.0
            u_bar[i + 1] += u_bar_next
            k_bar_term += u_bar_next * tape[t, i]
        k_bar += k_bar_term
        for i in range(n - 4):
            u_term_times_k = (u_bar_1[i] + u_bar_1[i + 2]) * k
            u_bar_term = u_term_times_k - u_bar_1[i + 1] * k * 2.0
            u_bar[i + 2] += u_bar_term
        # near the ends, where fewer terms are added
        u_bar[0] += u_bar_1[0] * k
        u_bar[1] += u_bar_1[1] * k - u_bar_1[0] * k * 2.0
        u_bar_term = u_bar_1[n - 4] * k - u_bar_1[n - 3] * k * 2.0
        u_bar[n - 2] += u_bar_term
        u_bar[n - 1] += u_bar_1[n - 3] * k
    # u = u.copy()
    return result, (u_bar, k_bar)
