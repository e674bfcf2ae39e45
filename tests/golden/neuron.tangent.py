"""Tangent of `neuron` (neuron.py:9) with respect to x, w, b. Written by backsweep."""
import math


def neuron_jvp(x, w, b, x_dot, w_dot, b_dot):
    u = x * w
    u_dot = x_dot * w + w_dot * x
    v = u + b
    v_dot = u_dot + b_dot
    a = math.tanh(v)
    a_dot = v_dot * (1.0 - a * a)
    return a, a_dot
