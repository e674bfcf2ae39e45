"""Adjoint of `signal` (signal.py:9) with respect to x, omega. Written by backsweep."""
import numpy as np

from backsweep.runtime.special import squared_modulus


def signal_value_and_grad(x, omega):
    # forward sweep
    n = x.size
    exp_tape = np.empty(n, np.complex128)
    z = complex(0.0, 0.0)
    for k in range(n):
        x_k = x[k]
        exp = np.exp(complex(-0.0, -1.0) * omega * k)
        exp_tape[k] = exp
        z += x_k * exp
    result = squared_modulus(z)
    # reverse sweep
    # return abs(z) ** 2
    z_bar = 2.0 * np.conj(z)
    x_bar = np.zeros_like(x)
    omega_bar = 0.0
    for k in range(n):
        exp = exp_tape[k]
        # z += x[k] * np.exp(-1j * omega * k)
        omega_bar += np.real(z_bar * x[k] * exp * k * complex(-0.0, -1.0))
        x_bar[k] += np.real(z_bar * exp)
    return result, (x_bar, omega_bar)
