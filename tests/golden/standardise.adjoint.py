"""Adjoint of `standardise` (standardise.py:9) with respect to X, w. Written by backsweep."""
import numpy as np

from backsweep.runtime.broadcasting import aligned, sum_to


def standardise_value_and_grad(X, w):
    # forward sweep
    sum_X = np.sum(X, axis=0)
    n = X.shape[0]
    sum_X_1 = np.empty_like(sum_X)
    for i in range(sum_X_1.size):
        sum_X_1[i] = sum_X[i] / n
    centred = np.empty_like(X)
    X_minus_sum_X = np.empty_like(X)
    centred_shape = centred.shape
    for i in range(centred_shape[0]):
        for j in range(centred_shape[1]):
            X_i_j_minus_sum_X_j = X[i, j] - sum_X_1[j]
            centred[i, j] = X_i_j_minus_sum_X_j
            X_minus_sum_X[i, j] = X_i_j_minus_sum_X_j * X_i_j_minus_sum_X_j
    sum_X_minus_sum_X = np.sum(X_minus_sum_X, axis=0)
    scale = np.empty_like(sum_X_minus_sum_X)
    for i in range(scale.size):
        scale[i] = np.sqrt(sum_X_minus_sum_X[i] + 0.1)
    centred_over_scale = np.empty_like(centred)
    exp_centred_over_scale = np.empty_like(centred)
    centred_over_scale_shape = centred_over_scale.shape
    for i in range(centred_over_scale_shape[0]):
        for j in range(centred_over_scale_shape[1]):
            centred_i_j_over_scale_j = centred[i, j] / scale[j]
            centred_over_scale[i, j] = centred_i_j_over_scale_j
            exp_centred_over_scale[i, j] = np.exp(centred_i_j_over_scale_j)
    exp_centred_over_scale_1 = aligned(exp_centred_over_scale, w)
    w_1 = aligned(w, exp_centred_over_scale_1)
    shape = exp_centred_over_scale_1.shape
    result = 0.0
    for i in range(shape[0]):
        for j in range(shape[1]):
            result += exp_centred_over_scale_1[i, j] * w_1[j]
    # reverse sweep
    # return np.sum(np.exp(centred / scale) * w)
    result_bar = np.empty_like(exp_centred_over_scale_1)
    result_bar_1 = np.empty_like(exp_centred_over_scale_1)
    result_bar_shape = result_bar.shape
    for i in range(result_bar_shape[0]):
        for j in range(result_bar_shape[1]):
            result_bar[i, j] = w_1[j]
            result_bar_1[i, j] = exp_centred_over_scale_1[i, j]
    w_bar = sum_to(result_bar_1, w_1)
    w_bar = sum_to(w_bar, w)
    result_bar = sum_to(result_bar, X)
    centred_bar = np.empty_like(result_bar)
    result_bar_1 = np.empty_like(result_bar)
    centred_bar_shape = centred_bar.shape
    for i in range(centred_bar_shape[0]):
        for j in range(centred_bar_shape[1]):
            result_term = result_bar[i, j] * exp_centred_over_scale[i, j]
            centred_bar[i, j] = result_term / scale[j]
            result_term = -(result_term * centred_over_scale[i, j] / scale[j])
            result_bar_1[i, j] = result_term
    scale_bar = sum_to(result_bar_1, sum_X_minus_sum_X)
    # scale = np.sqrt(np.sum(centred * centred, axis=0) + 0.1)
    scale_bar_1 = np.empty_like(scale_bar)
    for i in range(scale_bar_1.size):
        scale_bar_1[i] = scale_bar[i] * 0.5 / scale[i]
    scale_bar_2 = np.expand_dims(scale_bar_1, 0)
    centred_bar_1 = np.empty_like(X)
    centred_bar_shape = centred_bar_1.shape
    for i in range(centred_bar_shape[0]):
        for j in range(centred_bar_shape[1]):
            centred_bar_term = 2.0 * (scale_bar_2[0, j] * centred[i, j])
            centred_bar[i, j] += centred_bar_term
            # centred = X - np.sum(X, axis=0) / X.shape[0]
            centred_bar_1[i, j] = -centred_bar[i, j]
    centred_bar_2 = sum_to(centred_bar_1, sum_X)
    centred_bar_3 = np.empty_like(centred_bar_2)
    for i in range(centred_bar_3.size):
        centred_bar_3[i] = centred_bar_2[i] / n
    centred_bar_1 = np.expand_dims(centred_bar_3, 0)
    X_bar = np.empty_like(centred_bar)
    X_bar_shape = X_bar.shape
    for i in range(X_bar_shape[0]):
        for j in range(X_bar_shape[1]):
            centred_term = centred_bar[i, j] + centred_bar_1[0, j]
            X_bar[i, j] = centred_term
    return result, (X_bar, w_bar)
