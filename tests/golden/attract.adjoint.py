"""Adjoint of `attract` (attract.py:9) with respect to x. Written by backsweep."""
import numpy as np

from backsweep.runtime.memory import check_room


def attract_value_and_grad(x, m, steps):
    # forward sweep
    x = x.copy()
    n = x.size
    force = np.zeros(n)
    if steps > 0 and m.shape[0] < n:
        raise IndexError('m[j] is out of bounds')
    x_i_tape = np.empty((max(steps, 0), n))
    force_i_tape = np.empty((max(steps, 0), n))
    x_tape = np.empty((max(steps, 0), n))
    check_room(8 * (x_i_tape.size + force_i_tape.size + x_tape.size))
    total = 0.0
    for k in range(steps):
        for i in range(n):
            x_tape[k, i] = x[i]
        for i in range(n):
            pull = 0.0
            for j in range(n):
                gap = x[j] - x[i]
                pull += m[j] * gap / (1.0 + gap * gap)
            force[i] = pull
        for i in range(n):
            force_i = force[i]
            force_i_tape[k, i] = force_i
            x[i] += 0.1 * force_i
            x_i = x[i]
            x_i_tape[k, i] = x_i
            total += x_i * force_i
    # reverse sweep
    x_bar = np.zeros_like(x)
    force_bar = np.zeros_like(force)
    gap_bar_row = np.empty(n)
    for k in range(steps - 1, -1, -1):
        x = x_tape[k]
        for i in range(n):
            x_i = x_i_tape[k, i]
            force_i = force_i_tape[k, i]
            # total += x[i] * force[i]
            x_bar[i] += force_i
            # x[i] += 0.1 * force[i]
            force_bar[i] += x_i + x_bar[i] * 0.1
        for i in range(n):
            # force[i] = pull
            pull_bar = force_bar[i]
            force_bar[i] = 0.0
            for j in range(n):
                gap = x[j] - x[i]
                # pull += m[j] * gap / (1.0 + gap * gap)
                m_j = m[j]
                gap_times_gap_plus_1 = 1.0 + gap * gap
                gap_bar = -2.0 * (pull_bar * (m_j * gap / gap_times_gap_plus_1)
                        / gap_times_gap_plus_1 * gap)
                gap_bar += pull_bar / gap_times_gap_plus_1 * m_j
                gap_bar_row[j] = gap_bar
            x_bar_i = 0.0
            for j in range(n):
                # gap = x[j] - x[i]
                gap_bar_row_j = gap_bar_row[j]
                x_bar_i -= gap_bar_row_j
                x_bar[j] += gap_bar_row_j
            x_bar[i] += x_bar_i
    # x = x.copy()
    return total, (x_bar,)
