"""Adjoint of `predator_prey` (predator_prey.py:13) with respect to u, v, p. Written by backsweep."""
import numpy as np

from backsweep.runtime.memory import check_room


def predator_prey_value_and_grad(u, v, p, steps, h):
    # forward sweep
    if steps > 0 and p.shape[0] < 4:
        raise IndexError('p[3] is out of bounds')
    u_tape = np.empty(max(steps, 0))
    v_tape = np.empty(max(steps, 0))
    check_room(8 * (u_tape.size + v_tape.size))
    for t in range(steps):
        u_tape[t] = u
        v_tape[t] = v
        du = p[0] * u - p[1] * u * v
        dv = p[2] * u * v - p[3] * v
        u += h * du
        v += h * dv
    result = u * v
    # reverse sweep
    # return u * v
    p_bar = np.zeros_like(p)
    u_bar = v
    v_bar = u
    p_bar_3 = 0.0
    p_bar_2 = 0.0
    p_bar_1 = 0.0
    p_bar_0 = 0.0
    for t in range(steps - 1, -1, -1):
        u = u_tape[t]
        v = v_tape[t]
        p_1 = p[1]
        p_2 = p[2]
        # v = v + h * dv
        dv_bar = v_bar * h
        # u = u + h * du
        du_bar = u_bar * h
        # dv = p[2] * u * v - p[3] * v
        dv_bar_times_v = dv_bar * v
        v_bar -= dv_bar * p[3]
        p_bar_3 -= dv_bar_times_v
        v_bar += dv_bar * (p_2 * u)
        u_bar += dv_bar_times_v * p_2
        p_bar_2 += dv_bar_times_v * u
        # du = slope(u, v, p)
        du_bar_times_v = du_bar * v
        v_bar -= du_bar * (p_1 * u)
        u_bar -= du_bar_times_v * p_1
        p_bar_1 -= du_bar_times_v * u
        u_bar += du_bar * p[0]
        p_bar_0 += du_bar * u
    if steps > 0:
        p_bar[3] += p_bar_3
        p_bar[2] += p_bar_2
        p_bar[1] += p_bar_1
        p_bar[0] += p_bar_0
    return result, (u_bar, v_bar, p_bar)
