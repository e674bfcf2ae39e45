"""Adjoint of `log_sum_exp` (log_sum_exp.py:11) with respect to x. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.special import shared


def log_sum_exp_value_and_grad(x):
    # forward sweep
    m = x.max()
    n = x.size
    exp_tape = np.empty(n)
    s = 0.0
    for i in range(n):
        exp = math.exp(x[i] - m)
        exp_tape[i] = exp
        s += exp
    result = m + math.log(s)
    # reverse sweep
    # return m + math.log(s)
    s_bar = 1.0 / s
    x_bar = np.zeros_like(x)
    m_bar = 1.0
    for i in range(n):
        exp = exp_tape[i]
        # s += math.exp(x[i] - m)
        s_bar_times_exp = s_bar * exp
        m_bar -= s_bar_times_exp
        x_bar[i] += s_bar_times_exp
    # m = np.max(x)
    count = 0
    for i in range(n):
        count += x[i] == m
    m_bar_over_count = m_bar / count
    sign_m_times_0 = 0.0 * np.sign(m)
    for i in range(n):
        x_bar_term = shared(m_bar, m_bar_over_count, x[i] == m) + sign_m_times_0
        x_bar[i] += x_bar_term
    return result, (x_bar,)
