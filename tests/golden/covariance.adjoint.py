"""Adjoint of `covariance` (covariance.py:9) with respect to data. Written by backsweep."""
import numpy as np


def covariance_value_and_grad(data):
    # forward sweep
    count, m = data.shape
    sum_data = np.zeros(m)
    for i in range(count):
        for j in range(m):
            sum_data[j] += data[i, j]
    sum_data_over_count = np.empty_like(sum_data)
    for i in range(m):
        sum_data_over_count[i] = sum_data[i] / count
    centred = np.empty_like(data)
    for i in range(count):
        for j in range(m):
            centred_i_j = data[i, j] - sum_data_over_count[j]
            centred[i, j] = centred_i_j
    spread_term = centred.T @ centred
    count_minus_1 = count - 1.0
    spread = np.empty_like(spread_term)
    result = 0.0
    for i in range(m):
        for j in range(m):
            spread_i_j = spread_term[i, j] / count_minus_1
            spread[i, j] = spread_i_j
            result += spread_i_j * spread_i_j
    # reverse sweep
    # spread = centred.T @ centred / (count - 1.0)
    spread_bar = np.empty_like(spread_term)
    for i in range(m):
        for j in range(m):
            spread_bar_i_j = 2.0 * spread[i, j] / count_minus_1
            spread_bar[i, j] = spread_bar_i_j
    spread_bar_1 = np.empty_like(spread_bar)
    for i in range(m):
        for j in range(m):
            spread_bar_i_j = spread_bar[i, j] + spread_bar[j, i]
            spread_bar_1[i, j] = spread_bar_i_j
    centred_bar = centred @ spread_bar_1
    # centred = data - np.sum(data, axis=0) / count
    centred_bar_1 = np.zeros(m)
    for i in range(count):
        for j in range(m):
            centred_bar_1[j] -= centred_bar[i, j]
    centred_bar_2 = np.empty_like(centred_bar_1)
    for i in range(m):
        centred_bar_2[i] = centred_bar_1[i] / count
    data_bar = np.empty_like(centred_bar)
    for i in range(count):
        for j in range(m):
            data_bar_i_j = centred_bar[i, j] + centred_bar_2[j]
            data_bar[i, j] = data_bar_i_j
    return result, (data_bar,)
