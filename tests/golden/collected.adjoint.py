"""Adjoint of `collected` (collected.py:11) with respect to x, rate. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.memory import check_room


def collected_value_and_grad(x, rate, n):
    # forward sweep
    x_size = len(x)
    levels = np.empty(x_size, np.float64)
    for i in range(x_size):
        value = x[i]
        levels[i] = rate * value
    max_n = max(n, 0)
    seen = np.empty(max_n, np.float64)
    level_tape = np.empty(max(n, 0))
    check_room(8 * level_tape.size)
    level = 1.0
    for i in range(n):
        level_tape[i] = level
        level *= rate
        seen[i] = math.sin(level)
    total = 0.0
    for k in range(max_n):
        seen_k = seen[k]
        k_mod_3 = k % 3
        if k_mod_3 >= x_size:
            raise IndexError('levels[k % 3] is out of bounds')
        total += seen_k * levels[k_mod_3]
    # reverse sweep
    seen_bar = np.zeros_like(seen)
    levels_bar = np.zeros_like(levels)
    for k in range(max_n):
        # total += seen[k] * levels[k % 3]
        k_mod_3 = k % 3
        levels_k_mod_3 = levels[k_mod_3]
        levels_bar[k_mod_3] += seen[k]
        seen_bar[k] += levels_k_mod_3
    level_bar = 0.0
    rate_bar = 0.0
    for i in range(n - 1, -1, -1):
        level = level_tape[i]
        level_1 = level * rate
        # seen.append(math.sin(level))
        level_bar_1 = level_bar + seen_bar[i] * math.cos(level_1)
        # level *= rate
        level_bar = level_bar_1 * rate
        rate_bar += level_bar_1 * level
    x_bar = np.zeros_like(x)
    for i in range(x_size):
        value = x[i]
        # [rate * value for value in x]
        levels_bar_i = levels_bar[i]
        rate_bar += levels_bar_i * value
        value_bar = levels_bar_i * rate
        x_bar[i] += value_bar
    return total, (x_bar, rate_bar)
