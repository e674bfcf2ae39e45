"""Adjoint of `standardise` (standardise.py:9) with respect to X, w. Written by backsweep."""
import numpy as np


def standardise_value_and_grad(X, w):
    # forward sweep
    X_shape = X.shape
    m = X_shape[1]
    if w.shape[0] != m:
        raise ValueError('this code is for w.shape[0] == X.shape[1]')
    sum_X = np.zeros(m)
    n = X_shape[0]
    for i in range(n):
        for j in range(m):
            sum_X[j] += X[i, j]
    sum_X_over_n = np.empty_like(sum_X)
    for i in range(m):
        sum_X_over_n[i] = sum_X[i] / n
    sums = np.zeros(m)
    for i in range(n):
        for j in range(m):
            centred = X[i, j] - sum_X_over_n[j]
            sums[j] += centred * centred
    scale = np.empty_like(sums)
    for i in range(m):
        scale[i] = np.sqrt(sums[i] + 0.1)
    centred_over_scale = np.empty_like(X)
    exp_centred_over_scale = np.empty_like(X)
    result = 0.0
    for i in range(n):
        for j in range(m):
            centred = X[i, j] - sum_X_over_n[j]
            centred_over_scale_i_j = centred / scale[j]
            centred_over_scale[i, j] = centred_over_scale_i_j
            result_term = np.exp(centred_over_scale_i_j)
            exp_centred_over_scale[i, j] = result_term
            result += result_term * w[j]
    # reverse sweep
    # return np.sum(np.exp(centred / scale) * w)
    centred_bar = np.empty_like(X)
    w_bar = np.zeros(m)
    scale_bar = np.zeros(m)
    for i in range(n):
        for j in range(m):
            w_bar[j] += exp_centred_over_scale[i, j]
            result_term = w[j] * exp_centred_over_scale[i, j]
            centred_bar[i, j] = result_term / scale[j]
            scale_bar_term = -(result_term * centred_over_scale[i, j] / scale[j])
            scale_bar[j] += scale_bar_term
    # scale = np.sqrt(np.sum(centred * centred, axis=0) + 0.1)
    scale_bar_1 = np.empty_like(scale_bar)
    for i in range(m):
        scale_bar_1[i] = scale_bar[i] * 0.5 / scale[i]
    centred_bar_1 = np.zeros(m)
    for i in range(n):
        for j in range(m):
            centred = X[i, j] - sum_X_over_n[j]
            centred_bar[i, j] += 2.0 * (scale_bar_1[j] * centred)
            # centred = X - np.sum(X, axis=0) / X.shape[0]
            centred_bar_1[j] -= centred_bar[i, j]
    centred_bar_2 = np.empty_like(centred_bar_1)
    for i in range(m):
        centred_bar_2[i] = centred_bar_1[i] / n
    X_bar = np.empty_like(centred_bar)
    for i in range(n):
        for j in range(m):
            X_bar_i_j = centred_bar[i, j] + centred_bar_2[j]
            X_bar[i, j] = X_bar_i_j
    return result, (X_bar, w_bar)
