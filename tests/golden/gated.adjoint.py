"""Adjoint of `gated` (gated.py:9) with respect to w. Written by backsweep."""
import numpy as np


def gated_value_and_grad(w, x):
    # forward sweep
    n = x.size
    if n > 0 and w.shape[0] < 3:
        raise IndexError('w[2] is out of bounds')
    tapes = np.empty((5, n))
    hidden_tape = tapes[0]
    cell_tape = tapes[1]
    change_tape = tapes[2]
    gate_tape = tapes[3]
    tanh_tape = tapes[4]
    cell = 0.0
    hidden = 0.0
    for t in range(n):
        hidden_tape[t] = hidden
        cell_tape[t] = cell
        gate = 1.0 / (1.0 + np.exp(-(w[0] * x[t] + hidden)))
        gate_tape[t] = gate
        change = np.tanh(w[1] * hidden + x[t])
        change_tape[t] = change
        cell = gate * cell + change * change
        tanh = np.tanh(w[2] * cell)
        tanh_tape[t] = tanh
        hidden = gate * tanh
    # reverse sweep
    w_bar = np.zeros_like(w)
    cell_bar = 0.0
    hidden_bar = 1.0
    w_bar_2 = 0.0
    w_bar_1 = 0.0
    w_bar_0 = 0.0
    for t in range(n - 1, -1, -1):
        hidden_1 = hidden_tape[t]
        cell = cell_tape[t]
        change = change_tape[t]
        gate = gate_tape[t]
        tanh = tanh_tape[t]
        x_t = x[t]
        cell_1 = gate * cell + change * change
        # hidden = gate * np.tanh(w[2] * cell)
        gate_bar = hidden_bar * tanh
        hidden_term = hidden_bar * gate * (1.0 - tanh * tanh)
        cell_bar += hidden_term * w[2]
        w_bar_2 += hidden_term * cell_1
        # cell = gate * cell + change * change
        change_bar = 2.0 * (cell_bar * change)
        gate_bar += cell_bar * cell
        cell_bar *= gate
        # change = np.tanh(w[1] * hidden + x[t])
        change_term = change_bar * (1.0 - change * change)
        hidden_bar = change_term * w[1]
        w_bar_1 += change_term * hidden_1
        # gate = 1.0 / (1.0 + np.exp(-(w[0] * x[t] + hidden)))
        gate_term = gate < 0.99
        chosen = gate * (1.0 - gate) if gate_term else gate * gate * np.exp(np.minimum(-(w[0] * x_t
                + hidden_1), 0.0))
        gate_bar_times_chosen = gate_bar * chosen
        hidden_bar += gate_bar_times_chosen
        w_bar_0 += gate_bar_times_chosen * x_t
    if n > 0:
        w_bar[2] += w_bar_2
        w_bar[1] += w_bar_1
        w_bar[0] += w_bar_0
    return hidden, (w_bar,)
