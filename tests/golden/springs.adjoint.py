"""Adjoint of `springs` (springs.py:9) with respect to y, masses. Written by backsweep."""
import numpy as np

from backsweep.runtime.memory import check_room
from backsweep.runtime.special import strong_product, strong_quotient


def springs_value_and_grad(y, masses, dt, steps):
    # forward sweep
    y_size0 = y.shape[0]
    n = y_size0 // 2
    if masses.shape[0] != n:
        raise ValueError('this code is for masses.shape[0] == (y.shape[0] // 2)')
    places_tape = np.empty((max(steps, 0), n))
    tape = np.empty((max(steps, 0), n))
    masses_1 = np.empty(n)
    y_term = np.empty(y_size0)
    check_room(8 * (places_tape.size + tape.size))
    for i in range(steps):
        for j in range(n):
            places_tape[i, j] = y[j]
            masses_j = np.sin(y[j]) / masses[j]
            masses_1[j] = masses_j
            tape[i, j] = masses_j
        y_size0_minus_n = y_size0 - n
        for j in range(y_size0_minus_n):
            y_term[j] = y[j + n]
        for j in range(n):
            y_term[j + y_size0_minus_n] = -masses_1[j]
        y_next = np.empty_like(y)
        for j in range(y_size0):
            y_next[j] = y[j] + dt * y_term[j]
        y = y_next
    result = 0.0
    for i in range(y_size0):
        y_i = y[i]
        result += y_i * y_i
    # reverse sweep
    # return np.sum(y * y)
    y_bar = np.empty_like(y)
    for i in range(y_size0):
        y_bar[i] = 2.0 * y[i]
    masses_bar = np.zeros_like(masses)
    y_bar_1 = np.empty(y_size0)
    pull_bar = np.empty(n)
    for i in range(steps - 1, -1, -1):
        # y = y + dt * np.concatenate((speeds, pull))
        y_size0_minus_n = y_size0 - n
        for j in range(y_size0):
            y_bar_1[j] = y_bar[j] * dt
        for j in range(n):
            y_bar_entry = y_bar_1[j + y_size0_minus_n]
            pull_bar[j] = y_bar_entry
            y_bar_1[j + y_size0_minus_n] = 0.0
            # pull = -np.sin(places) / masses
            masses_bar_term = strong_product(y_bar_entry, tape[i, j] / masses[j])
            masses_bar[j] += masses_bar_term
        # y = y + dt * np.concatenate((speeds, pull))
        y_bar = y_bar.copy()
        for j in range(y_size0 - n):
            speeds_bar = y_bar_1[j]
            y_bar_1[j] = 0.0
            y_bar[j + n] += speeds_bar
        # pull = -np.sin(places) / masses
        for j in range(n):
            pull_bar_j_over_masses_j = strong_quotient(pull_bar[j], masses[j])
            minus_pull_term = -strong_product(pull_bar_j_over_masses_j, np.cos(places_tape[i, j]))
            y_bar[j] += minus_pull_term
    return result, (y_bar, masses_bar)
