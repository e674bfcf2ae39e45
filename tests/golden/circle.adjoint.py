"""Adjoint of `circle` (circle.py:11) with respect to r, t. Written by backsweep."""
import math

import numpy as np


def circle_value_and_grad(r, t):
    # forward sweep
    area_term = np.pi * r
    area = area_term * r
    turned_term = 2.0 * np.pi * t
    turned_term_1 = np.pi / 2.0
    turned_term_times_t = turned_term_1 * t
    turned = math.cos(turned_term) + math.sin(turned_term_times_t)
    result = area * turned / np.e
    # reverse sweep
    # return area * turned / math.e
    result_term = 1.0 / np.e
    area_bar = result_term * turned
    turned_bar = result_term * area
    # turned = math.cos(2.0 * math.pi * t) + math.sin(math.pi / 2.0 * t)
    t_bar = turned_bar * math.cos(turned_term_times_t) * turned_term_1
    t_bar -= turned_bar * math.sin(turned_term) * (2.0 * np.pi)
    # area = np.pi * r * r
    r_bar = area_bar * area_term
    r_bar += area_bar * r * np.pi
    return result, (r_bar, t_bar)
