"""Adjoint of `ping_pong` (ping_pong.py:9) with respect to x. Written by backsweep."""
import numpy as np

from backsweep.runtime.memory import check_room


def ping_pong_value_and_grad(x, steps):
    # forward sweep
    n = x.shape[0]
    if n < 4:
        raise ValueError('this code is for x.shape[0] >= 4')
    old = x.copy()
    old_bar = np.zeros_like(old)
    new = np.zeros_like(old)
    new_bar = np.zeros_like(new)
    old_i_tape = np.empty((max(steps, 0), n - 2))
    check_room(8 * old_i_tape.size)
    old_bar_1 = old_bar
    for t in range(steps):
        for i in range(1, n - 1):
            old_i = old[i]
            old_i_tape[t, i - 1] = old_i
            new_i = 0.5 * old_i * old_i + 0.25 * (old[i - 1] + old[i + 1])
            new[i] = new_i
        old, new, old_bar_1, new_bar = new, old, new_bar, old_bar_1
    result = 0.0
    for i in range(n):
        old_i = old[i]
        result += old_i * old_i
    # reverse sweep
    # return np.sum(old * old)
    for i in range(n):
        old_bar_1[i] += 2.0 * old[i]
    new_bar, old_bar_1 = old_bar_1, new_bar
    for t in range(steps - 1, -1, -1):
        for i in range(n - 4):
            # new[i] = 0.5 * old[i] * old[i] + 0.25 * (old[i - 1] + old[i + 1])
            new_bar_i_plus_2 = new_bar[i + 2]
            old_i_tape_t_next = old_i_tape[t, i + 1]
            new_term = new_bar_i_plus_2 * (0.5
                    * old_i_tape_t_next) + new_bar_i_plus_2 * old_i_tape_t_next * 0.5
            term_plus_new_term = (new_bar[i + 1] + new_bar[i + 3]) * 0.25 + new_term
            old_bar_1[i + 2] += term_plus_new_term
        # near the ends, where fewer terms are added
        old_bar_1[0] += new_bar[1] * 0.25
        new_bar_1 = new_bar[1]
        old_i_tape_t_0 = old_i_tape[t, 0]
        new_term_plus_new_term = new_bar_1 * (0.5
                * old_i_tape_t_0) + new_bar_1 * old_i_tape_t_0 * 0.5 + new_bar[2] * 0.25
        old_bar_1[1] += new_term_plus_new_term
        new_bar_n_minus_2 = new_bar[n - 2]
        old_i_tape_t_n_minus_3 = old_i_tape[t, n - 3]
        new_term = new_bar_n_minus_2 * (0.5
                * old_i_tape_t_n_minus_3) + new_bar_n_minus_2 * old_i_tape_t_n_minus_3 * 0.5
        old_bar_1[n - 2] += new_bar[n - 3] * 0.25 + new_term
        old_bar_1[n - 1] += new_bar[n - 2] * 0.25
        for i in range(1, n - 1):
            new_bar[i] = 0.0
        new_bar, old_bar_1 = old_bar_1, new_bar
    # old = x.copy()
    x_bar = old_bar.copy()
    return result, (x_bar,)
