"""Adjoint of `mlp` (mlp.py:22) with respect to x, w1, b1, w2, b2. Written by backsweep."""
import numpy as np

from backsweep.runtime.memory import check_room
from backsweep.runtime.special import shared, tied


def mlp_value_and_grad(x, w1, b1, w2, b2):
    # forward sweep
    x_shape = x.shape
    w1_shape = w1.shape
    m = w1_shape[1]
    n = b1.shape[0]
    w2_size0, w2_size1 = w2.shape
    b2_size0 = b2.shape[0]
    if w1_shape[0] != x_shape[1]:
        raise ValueError('this code is for w1.shape[0] == x.shape[1]')
    if n != m:
        raise ValueError('this code is for b1.shape[0] == w1.shape[1]')
    if b2_size0 != w2_size1:
        raise ValueError('this code is for b2.shape[0] == w2.shape[1]')
    if w2_size0 != m:
        raise ValueError('this code is for w2.shape[0] == w1.shape[1]')
    x_at_w1 = x @ w1
    maximum_x = np.empty_like(x_at_w1)
    x_size0 = x_shape[0]
    for i in range(x_size0):
        for j in range(m):
            x_1 = x_at_w1[i, j] + b1[j]
            maximum_x[i, j] = np.maximum(x_1, 0.0)
    maximum_x_at_w2 = maximum_x @ w2
    x_2 = np.empty_like(maximum_x_at_w2)
    for i in range(x_size0):
        for j in range(w2_size1):
            x_i_j = maximum_x_at_w2[i, j] + b2[j]
            x_2[i, j] = x_i_j
    out = np.empty_like(maximum_x_at_w2)
    max_tape = np.empty(x_size0)
    shifted_tape = np.empty((x_size0, w2_size1))
    sum_shifted_tape = np.empty(x_size0)
    shifted = np.empty(w2_size1)
    term_times_8 = 8 * (max_tape.size + shifted_tape.size + sum_shifted_tape.size)
    check_room(term_times_8)
    for i in range(x_size0):
        max = x_2[i].max()
        max_tape[i] = max
        sum_shifted = 0.0
        for j in range(w2_size1):
            shifted_j = np.exp(x_2[i, j] - max)
            shifted[j] = shifted_j
            shifted_tape[i, j] = shifted_j
            sum_shifted += shifted_j
        sum_shifted_tape[i] = sum_shifted
        for j in range(w2_size1):
            out[i, j] = shifted[j] / sum_shifted
    result = 0.0
    for i in range(x_size0):
        for j in range(w2_size1):
            out_i_j = out[i, j]
            result += out_i_j * out_i_j
    # reverse sweep
    # return np.sum(out * out)
    out_bar = np.empty_like(out)
    for i in range(x_size0):
        for j in range(w2_size1):
            out_bar[i, j] = 2.0 * out[i, j]
    x_bar = np.zeros_like(maximum_x_at_w2)
    shifted_bar = np.empty(w2_size1)
    for i in range(x_size0):
        max = max_tape[i]
        sum_shifted = sum_shifted_tape[i]
        # out[i] = shifted / np.sum(shifted)
        shifted_bar_term = 0.0
        for j in range(w2_size1):
            out_bar_i_j = out_bar[i, j]
            out_bar[i, j] = 0.0
            shifted_bar[j] = out_bar_i_j / sum_shifted
            shifted_bar_term -= out_bar_i_j * out[i, j] / sum_shifted
        # out[i] = shifted / np.sum(shifted)
        shifted_term = 0.0
        count = 0
        for j in range(w2_size1):
            shifted_bar[j] += shifted_bar_term
            # shifted = np.exp(x[i] - np.max(x[i]))
            x_bar_term = shifted_bar[j] * shifted_tape[i, j]
            x_bar[i, j] += x_bar_term
            shifted_term -= x_bar_term
            count += x_2[i, j] == max
        shifted_term_1 = shifted_term / count
        sign_max_times_0 = 0.0 * np.sign(max)
        for j in range(w2_size1):
            x_bar_term = shared(shifted_term, shifted_term_1, x_2[i, j] == max) + sign_max_times_0
            x_bar[i, j] += x_bar_term
    # out = softmax(relu(x @ w1 + b1) @ w2 + b2)
    b2_bar = np.zeros(w2_size1)
    for i in range(x_size0):
        for j in range(w2_size1):
            b2_bar[j] += x_bar[i, j]
    x_bar_at_transpose_w2 = x_bar @ w2.T
    w2_bar = maximum_x.T @ x_bar
    x_bar = np.empty_like(x_at_w1)
    b1_bar = np.zeros(m)
    for i in range(x_size0):
        for j in range(m):
            x_1 = x_at_w1[i, j] + b1[j]
            x_equals_0 = x_1 == 0.0
            chosen = tied(x_bar_at_transpose_w2[i, j],
                    1.0) if x_equals_0 else x_bar_at_transpose_w2[i,
                    j] if (x_1 > 0.0) | np.isnan(x_1) else 0.0
            x_bar[i, j] = chosen
            b1_bar[j] += chosen
    x_bar_1 = x_bar @ w1.T
    w1_bar = x.T @ x_bar
    return result, (x_bar_1, w1_bar, b1_bar, w2_bar, b2_bar)
