"""Tangent of `standardise` (standardise.py:9) with respect to X, w. Written by backsweep."""
import numpy as np

from backsweep.runtime.broadcasting import aligned, stretched


def standardise_jvp(X, w, X_dot, w_dot):
    sum_X = np.sum(X, axis=0)
    sum_X_dot = np.sum(X_dot, axis=0)
    n = X.shape[0]
    sum_X_1 = np.empty_like(sum_X)
    sum_X_dot_1 = np.empty_like(sum_X)
    for i in range(sum_X_1.size):
        sum_X_1[i] = sum_X[i] / n
        sum_X_dot_1[i] = sum_X_dot[i] / n
    centred = np.empty_like(X)
    centred_dot = np.empty_like(X)
    X_minus_sum_X = np.empty_like(X)
    X_dot_minus_sum_X_dot = np.empty_like(X)
    centred_shape = centred.shape
    for i in range(centred_shape[0]):
        for j in range(centred_shape[1]):
            X_i_j_minus_sum_X_j = X[i, j] - sum_X_1[j]
            centred[i, j] = X_i_j_minus_sum_X_j
            X_dot_minus_sum_X_dot_1 = X_dot[i, j] - sum_X_dot_1[j]
            centred_dot[i, j] = X_dot_minus_sum_X_dot_1
            X_minus_sum_X[i, j] = X_i_j_minus_sum_X_j * X_i_j_minus_sum_X_j
            X_dot_minus_sum_X_dot[i, j] = 2.0 * (X_dot_minus_sum_X_dot_1 * X_i_j_minus_sum_X_j)
    sum_X_minus_sum_X = np.sum(X_minus_sum_X, axis=0)
    scale_term_1 = np.sum(X_dot_minus_sum_X_dot, axis=0)
    scale = np.empty_like(sum_X_minus_sum_X)
    scale_dot = np.empty_like(sum_X_minus_sum_X)
    for i in range(scale.size):
        sqrt_scale_term = np.sqrt(sum_X_minus_sum_X[i] + 0.1)
        scale[i] = sqrt_scale_term
        scale_dot[i] = scale_term_1[i] * 0.5 / sqrt_scale_term
    exp_centred_over_scale = np.empty_like(centred)
    centred_dot_over_scale = np.empty_like(centred)
    shape = exp_centred_over_scale.shape
    for i in range(shape[0]):
        for j in range(shape[1]):
            centred_i_j_over_scale_j = centred[i, j] / scale[j]
            result_term = np.exp(centred_i_j_over_scale_j)
            exp_centred_over_scale[i, j] = result_term
            scale_j = scale[j]
            centred_dot_over_scale_1 = centred_dot[i, j] / scale_j
            result_term *= centred_dot_over_scale_1 - scale_dot[j] * centred_i_j_over_scale_j / scale_j
            centred_dot_over_scale[i, j] = result_term
    exp_centred_over_scale = aligned(exp_centred_over_scale, w)
    shape = exp_centred_over_scale.shape
    centred_dot_over_scale = stretched(centred_dot_over_scale, shape)
    w = aligned(w, exp_centred_over_scale)
    w_dot = stretched(w_dot, w.shape)
    result = 0.0
    result_dot = 0.0
    for i in range(shape[0]):
        for j in range(shape[1]):
            exp_centred_over_scale_1 = exp_centred_over_scale[i, j]
            w_j = w[j]
            result_term = centred_dot_over_scale[i, j] * w_j + w_dot[j] * exp_centred_over_scale_1
            result += exp_centred_over_scale_1 * w_j
            result_dot += result_term
    return result, result_dot
