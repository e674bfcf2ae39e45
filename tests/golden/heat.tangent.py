"""Tangent of `heat` (heat.py:9) with respect to u, k. Written by backsweep."""
import numpy as np


def heat_jvp(u, k, steps, u_dot, k_dot):
    n = u.shape[0]
    if n < 2:
        raise ValueError('this code is for u.shape[0] >= 2')
    u = u.copy()
    u_dot = u_dot.copy()
    u_minus_u_plus_u = np.empty(max(n - 2, 0))
    for t in range(steps):
        for i in range(n - 2):
            u_minus_u_plus_u_i = u[i + 2] - 2.0 * u[i + 1] + u[i]
            u_minus_u_plus_u[i] = u_minus_u_plus_u_i
        for i in range(n - 2):
            u[i + 1] += k * u_minus_u_plus_u[i]
        u_dot_1 = np.empty_like(u_minus_u_plus_u)
        for i in range(n - 2):
            u_dot_next = u_dot[i + 1]
            u_term = (u_dot[i + 2] - u_dot_next * 2.0 + u_dot[i]) * k
            u_dot_i = u_dot_next + (k_dot * u_minus_u_plus_u[i] + u_term)
            u_dot_1[i] = u_dot_i
        for i in range(n - 2):
            u_dot[i + 1] = u_dot_1[i]
    result = 0.0
    result_dot = 0.0
    for i in range(n):
        u_i = u[i]
        result += u_i * u_i
        result_dot += 2.0 * (u_dot[i] * u_i)
    return result, result_dot
