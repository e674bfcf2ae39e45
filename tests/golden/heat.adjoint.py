"""Adjoint of `heat` (heat.py:9) with respect to u, k. Written by backsweep."""
import numpy as np


def heat_value_and_grad(u, k, steps):
    # forward sweep
    u_1 = u.copy()
    add_tape = np.empty((max(steps, 0), max(u.shape[0] - 2, 0)))
    for t in range(steps):
        add = np.empty_like(u_1[2:])
        for j in range(add.size):
            plus = u_1[j + 2] - 2.0 * u_1[j + 1] + u_1[j]
            add[j] = plus
            add_tape[t, j] = plus
        for j in range(u.size - 2):
            u_1[j + 1] += k * add[j]
    result = 0.0
    for i in range(u_1.size):
        u_i = u_1[i]
        result += u_i * u_i
    # reverse sweep
    # return np.sum(u * u)
    u_bar = np.empty_like(u_1)
    for i in range(u_bar.size):
        u_bar_1 = u_1[i]
        u_bar[i] = 2.0 * u_bar_1
    k_bar = 0.0
    for t in range(steps - 1, -1, -1):
        # u[1:-1] = u[1:-1] + k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        empty_like = np.empty_like(u_bar[1:-1])
        plus = 0.0
        for j in range(empty_like.size):
            u_bar_next = u_bar[j + 1]
            empty_like[j] = u_bar_next
            u_bar[j + 1] = 0.0
            u_bar[j + 1] += u_bar_next
            plus += u_bar_next * add_tape[t, j]
        k_bar += plus
        empty_like_1 = np.empty_like(empty_like)
        for j in range(empty_like_1.size):
            empty_like_j_times_k = empty_like[j] * k
            empty_like_1[j] = empty_like_j_times_k
            u_bar[j] += empty_like_j_times_k
        n = u.size
        for j in range(n - 2):
            u_bar[j + 2] += empty_like_1[j]
        for j in range(n - 2):
            u_bar[j + 1] -= empty_like_1[j] * 2.0
    # u = u.copy()
    return result, (u_bar, k_bar)
