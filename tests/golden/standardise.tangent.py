"""Tangent of `standardise` (standardise.py:9) with respect to X, w. Written by backsweep."""
import numpy as np

from backsweep.runtime.broadcasting import joint_shape, stretched


def standardise_jvp(X, w, X_dot, w_dot):
    X_shape = X.shape
    m = X_shape[1]
    w_shape = w.shape
    if w_shape[0] != m:
        raise ValueError('this code is for w.shape[0] == X.shape[1]')
    sum_X = np.zeros(m)
    sum_X_dot = np.zeros(m)
    n = X_shape[0]
    for i in range(n):
        for j in range(m):
            sum_X[j] += X[i, j]
            sum_X_dot[j] += X_dot[i, j]
    sum_X_over_n = np.empty_like(sum_X)
    sum_X_dot_over_n = np.empty_like(sum_X)
    for i in range(m):
        sum_X_over_n[i] = sum_X[i] / n
        sum_X_dot_over_n[i] = sum_X_dot[i] / n
    sums = np.zeros(m)
    sums_1 = np.zeros(m)
    for i in range(n):
        for j in range(m):
            centred = X[i, j] - sum_X_over_n[j]
            sums[j] += centred * centred
            centred_dot = X_dot[i, j] - sum_X_dot_over_n[j]
            sums_1[j] += 2.0 * (centred_dot * centred)
    scale = np.empty_like(sums)
    scale_dot = np.empty_like(sums)
    for i in range(m):
        scale_i = np.sqrt(sums[i] + 0.1)
        scale[i] = scale_i
        scale_dot[i] = sums_1[i] * 0.5 / scale_i
    centred_over_scale = np.empty_like(X)
    exp_centred_over_scale = np.empty_like(X)
    for i in range(n):
        for j in range(m):
            centred = X[i, j] - sum_X_over_n[j]
            centred_over_scale_i_j = centred / scale[j]
            centred_over_scale[i, j] = centred_over_scale_i_j
            exp_centred_over_scale[i, j] = np.exp(centred_over_scale_i_j)
    shape = joint_shape(exp_centred_over_scale.shape, w_shape)
    exp_centred_over_scale_1 = stretched(exp_centred_over_scale, shape)
    _size1 = shape[1]
    w_1 = stretched(w, (_size1,))
    result = 0.0
    for i in range(shape[0]):
        for j in range(_size1):
            result += exp_centred_over_scale_1[i, j] * w_1[j]
    shape = joint_shape(X_dot.shape, sum_X_dot_over_n.shape)
    shape = joint_shape(shape, w_shape)
    X_dot = stretched(X_dot, shape)
    _size1 = shape[1]
    sum_X_dot_over_n = stretched(sum_X_dot_over_n, (_size1,))
    scale = stretched(scale, (_size1,))
    scale_dot = stretched(scale_dot, (_size1,))
    centred_over_scale = stretched(centred_over_scale, shape)
    exp_centred_over_scale = stretched(exp_centred_over_scale, shape)
    w = stretched(w, (_size1,))
    w_dot = stretched(w_dot, (_size1,))
    result_dot = 0.0
    for i in range(shape[0]):
        for j in range(_size1):
            centred_dot = X_dot[i, j] - sum_X_dot_over_n[j]
            scale_j = scale[j]
            result_term_over_scale_j = scale_dot[j] * centred_over_scale[i, j] / scale_j
            exp_centred_over_scale_2 = exp_centred_over_scale[i, j]
            result_term_times_w_j = (centred_dot / scale_j
                    - result_term_over_scale_j) * exp_centred_over_scale_2 * w[j]
            result_dot += result_term_times_w_j + w_dot[j] * exp_centred_over_scale_2
    return result, result_dot
