"""Adjoint of `halves` (halves.py:11) with respect to x. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.special import tied, tied_off


def halves(x, low, high):
    if high - low == 1:
        n = x.shape[0]
        if low >= n or low < -n:
            raise IndexError('x[low] is out of bounds')
        return x[low]
    middle = (low + high) // 2
    left = halves(x, low, middle)
    right = halves(x, middle, high)
    top = max(left, right)
    return top + math.log(math.exp(left - top) + math.exp(right - top))


def halves_adjoint(x, low, high, x_bar, result_bar):
    # forward sweep
    high_minus_low_equals_1 = high - low == 1
    if high_minus_low_equals_1:
        n = x.shape[0]
        if low >= n or low < -n:
            raise IndexError('x[low] is out of bounds')
    else:
        middle = (low + high) // 2
        left = halves(x, low, middle)
        right = halves(x, middle, high)
        top = max(left, right)
        exp = math.exp(left - top)
        exp_1 = math.exp(right - top)
    # reverse sweep
    if high_minus_low_equals_1:
        # return x[low]
        x_bar[low] += result_bar
    else:
        middle = (low + high) // 2
        # return top + math.log(math.exp(left - top) + math.exp(right - top))
        result_term = result_bar / (exp + exp_1)
        right_bar = result_term * exp_1
        top_bar = result_bar - right_bar
        left_bar = result_term * exp
        top_bar -= left_bar
        # top = max(left, right)
        chosen = tied(top_bar, 1.0) if left == right else 0.0 if right > left else top_bar
        left_bar += chosen
        chosen = tied_off(top_bar, 1.0) if left == right else top_bar if right > left else 0.0
        right_bar += chosen
        # right = halves(x, middle, high)
        halves_adjoint(x, middle, high, x_bar, right_bar)
        # left = halves(x, low, middle)
        halves_adjoint(x, low, middle, x_bar, left_bar)


def halves_value_and_grad(x, low, high):
    # forward sweep
    high_minus_low_equals_1 = high - low == 1
    if high_minus_low_equals_1:
        n = x.shape[0]
        if low >= n or low < -n:
            raise IndexError('x[low] is out of bounds')
        result = x[low]
    else:
        middle = (low + high) // 2
        left = halves(x, low, middle)
        right = halves(x, middle, high)
        top = max(left, right)
        exp = math.exp(left - top)
        exp_1 = math.exp(right - top)
        result = top + math.log(exp + exp_1)
    # reverse sweep
    x_bar = np.zeros_like(x)
    if high_minus_low_equals_1:
        # return x[low]
        x_bar[low] += 1.0
    else:
        middle = (low + high) // 2
        # return top + math.log(math.exp(left - top) + math.exp(right - top))
        one_over_exp_plus_exp = 1.0 / (exp + exp_1)
        right_bar = one_over_exp_plus_exp * exp_1
        top_bar = 1.0 - right_bar
        left_bar = one_over_exp_plus_exp * exp
        top_bar -= left_bar
        # top = max(left, right)
        chosen = tied(top_bar, 1.0) if left == right else 0.0 if right > left else top_bar
        left_bar += chosen
        chosen = tied_off(top_bar, 1.0) if left == right else top_bar if right > left else 0.0
        right_bar += chosen
        # right = halves(x, middle, high)
        halves_adjoint(x, middle, high, x_bar, right_bar)
        # left = halves(x, low, middle)
        halves_adjoint(x, low, middle, x_bar, left_bar)
    return result, (x_bar,)
