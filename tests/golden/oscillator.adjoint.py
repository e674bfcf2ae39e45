"""Adjoint of `oscillator` (oscillator.py:13) with respect to system. Written by backsweep."""
import math

import numpy as np


def oscillator_value_and_grad(system, times, data):
    # forward sweep
    omega = system.omega
    system_zeta = system.zeta
    weights = system.weights
    zeta = system_zeta * omega
    n = len(times)
    if weights.shape[0] < n:
        raise IndexError('system.weights[i] is out of bounds')
    if data.shape[0] < n:
        raise IndexError('data[i] is out of bounds')
    exp_tape = np.empty(n)
    cos_tape = np.empty(n)
    loss = 0.0
    for i in range(n):
        times_i = times[i]
        exp = math.exp(-(zeta * times_i))
        exp_tape[i] = exp
        cos = math.cos(omega * times_i)
        cos_tape[i] = cos
        x = exp * cos
        loss += weights[i] * (x - data[i]) ** 2
    # reverse sweep
    weights_bar = np.zeros_like(weights)
    zeta_bar = 0.0
    omega_bar = 0.0
    for i in range(n):
        exp = exp_tape[i]
        cos = cos_tape[i]
        times_i = times[i]
        x = exp * cos
        # loss += system.weights[i] * (x - data[i]) ** 2
        x_minus_data_i = x - data[i]
        x_bar = weights[i] * 2.0 * x_minus_data_i
        weights_bar[i] += x_minus_data_i ** 2
        # x = math.exp(-zeta * times[i]) * math.cos(system.omega * times[i])
        omega_bar -= x_bar * exp * math.sin(omega * times_i) * times_i
        zeta_bar -= x_bar * cos * exp * times_i
    # zeta = system.zeta * system.omega
    system_zeta_bar = zeta_bar * omega
    omega_bar += zeta_bar * system_zeta
    return loss, (Oscillator(omega_bar, system_zeta_bar, weights_bar),)
