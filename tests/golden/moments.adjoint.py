"""Adjoint of `moments` (moments.py:9) with respect to a. Written by backsweep."""
import numpy as np

from backsweep.runtime.special import over_root


def moments_value_and_grad(a):
    # forward sweep
    a_shape = a.shape
    if a_shape[1] != 2:
        raise ValueError('this code is for a.shape[1] == 2')
    sum_a = np.zeros(2)
    n = a_shape[0]
    for i in range(n):
        for j in range(2):
            sum_a[j] += a[i, j]
    means = np.empty_like(sum_a)
    for i in range(2):
        means[i] = sum_a[i] / n
    d = np.empty(2)
    spread = 0.0
    for i in range(n):
        for j in range(2):
            d[j] = a[i, j] - means[j]
        d_0 = d[0]
        d_1 = d[1]
        d_at_d = d_0 * d_0 + d_1 * d_1
        spread += d_at_d
    result = np.sqrt(spread)
    # reverse sweep
    # return np.sqrt(spread)
    spread_bar = over_root(0.5, result)
    a_bar = np.zeros_like(a)
    means_bar = np.zeros_like(sum_a)
    for i in range(n):
        # spread += np.dot(d, d)
        for j in range(2):
            d_bar = 2.0 * (spread_bar * (a[i, j] - means[j]))
            # d = a[i] - means
            a_bar[i, j] += d_bar
            means_bar[j] -= d_bar
    # means = np.sum(a, axis=0) / a.shape[0]
    means_bar_1 = np.empty_like(means_bar)
    for i in range(2):
        means_bar_1[i] = means_bar[i] / n
    for i in range(n):
        for j in range(2):
            a_bar[i, j] += means_bar_1[j]
    return result, (a_bar,)
