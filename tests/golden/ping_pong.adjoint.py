"""Adjoint of `ping_pong` (ping_pong.py:9) with respect to x. Written by backsweep."""
import numpy as np

from backsweep.runtime.tape import reserved


def ping_pong_value_and_grad(x, steps):
    # forward sweep
    old = x.copy()
    old_bar = np.zeros_like(old)
    new = np.zeros_like(old)
    new_bar = np.zeros_like(new)
    old_i_tape = np.empty(16)
    old_bar_tape = list()
    new_bar_tape = list()
    count_tape = np.empty(max(steps, 0), np.int64)
    size_old = np.empty(max(steps, 0), np.int64)
    old_bar_1 = old_bar
    count = 0
    for t in range(steps):
        old_bar_tape.append(old_bar_1)
        new_bar_tape.append(new_bar)
        count_tape[t] = count
        n = old.size
        size_old[t] = n - 1
        old_i_tape = reserved(old_i_tape, count + max(n - 1 - 1, 0))
        for i in range(1, n - 1):
            old_i = old[i]
            old_i_tape[count + (i - 1)] = old_i
            new_term = 0.5 * old_i * old_i + 0.25 * (old[i - 1] + old[i + 1])
            new[i] = new_term
        count += max(n - 1 - 1, 0)
        old, new, old_bar_1, new_bar = new, old, new_bar, old_bar_1
    old_size = old.size
    result = 0.0
    for i in range(old_size):
        old_i = old[i]
        result += old_i * old_i
    # reverse sweep
    # return np.sum(old * old)
    for i in range(old_size):
        old_bar_1[i] += old[i]
        old_bar_1[i] += old[i]
    for t in range(steps - 1, -1, -1):
        old_bar_1 = old_bar_tape[t]
        new_bar = new_bar_tape[t]
        count = count_tape[t]
        for i in range(size_old[t] - 1, 0, -1):
            old_i = old_i_tape[count + (i - 1)]
            # new[i] = 0.5 * old[i] * old[i] + 0.25 * (old[i - 1] + old[i + 1])
            new_bar_i = new_bar[i]
            new_bar[i] = 0.0
            new_term = new_bar_i * 0.25
            old_bar_1[i + 1] += new_term
            old_bar_1[i - 1] += new_term
            old_bar_1[i] += new_bar_i * (0.5 * old_i) + new_bar_i * old_i * 0.5
    # old = x.copy()
    x_bar = old_bar.copy()
    return result, (x_bar,)
