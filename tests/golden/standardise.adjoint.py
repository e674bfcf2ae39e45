"""Adjoint of `standardise` (standardise.py:9) with respect to X, w. Written by backsweep."""
import numpy as np

from backsweep.runtime.broadcasting import aligned, stretched, sum_to


def standardise_value_and_grad(X, w):
    # forward sweep
    sum_X = np.sum(X, axis=0)
    n = X.shape[0]
    empty_like_sum_X = np.empty_like(sum_X)
    for i in range(empty_like_sum_X.size):
        empty_like_sum_X[i] = sum_X[i] / n
    X_1 = aligned(X, empty_like_sum_X)
    aligned_1 = aligned(empty_like_sum_X, X_1)
    centred = np.empty_like(X_1)
    empty_like_X = np.empty_like(X_1)
    centred_shape = centred.shape
    for i in range(centred_shape[0]):
        for j in range(centred_shape[1]):
            X_i_j_minus = X_1[i, j] - aligned_1[j]
            centred[i, j] = X_i_j_minus
            empty_like_X[i, j] = X_i_j_minus * X_i_j_minus
    sum_empty_like_X = np.sum(empty_like_X, axis=0)
    scale = np.empty_like(sum_empty_like_X)
    for i in range(scale.size):
        scale[i] = np.sqrt(sum_empty_like_X[i] + 0.1)
    centred_1 = aligned(centred, scale)
    scale_1 = aligned(scale, centred_1)
    empty_like_centred = np.empty_like(centred_1)
    empty_like_centred_1 = np.empty_like(centred_1)
    shape = empty_like_centred.shape
    for i in range(shape[0]):
        for j in range(shape[1]):
            centred_i_j_over = centred_1[i, j] / scale_1[j]
            empty_like_centred[i, j] = centred_i_j_over
            empty_like_centred_1[i, j] = np.exp(centred_i_j_over)
    aligned_2 = aligned(empty_like_centred_1, w)
    w_1 = aligned(w, aligned_2)
    aligned_shape = aligned_2.shape
    result = 0.0
    for i in range(aligned_shape[0]):
        for j in range(aligned_shape[1]):
            result += aligned_2[i, j] * w_1[j]
    # reverse sweep
    # return np.sum(np.exp(centred / scale) * w)
    empty_like_aligned = np.empty_like(aligned_2)
    empty_like_aligned_1 = np.empty_like(aligned_2)
    shape = empty_like_aligned.shape
    for i in range(shape[0]):
        for j in range(shape[1]):
            empty_like_aligned[i, j] = w_1[j]
            empty_like_aligned_1[i, j] = aligned_2[i, j]
    w_bar = sum_to(empty_like_aligned_1, w_1)
    w_bar = sum_to(w_bar, w)
    sum_to_1 = sum_to(empty_like_aligned, centred_1)
    centred_bar = np.empty_like(sum_to_1)
    empty_like_sum_to = np.empty_like(sum_to_1)
    centred_bar_shape = centred_bar.shape
    for i in range(centred_bar_shape[0]):
        for j in range(centred_bar_shape[1]):
            sum_to_i_j_times = sum_to_1[i, j] * empty_like_centred_1[i, j]
            centred_bar[i, j] = sum_to_i_j_times / scale_1[j]
            minus = -(sum_to_i_j_times * empty_like_centred[i, j] / scale_1[j])
            empty_like_sum_to[i, j] = minus
    scale_bar = sum_to(empty_like_sum_to, scale_1)
    scale_bar = sum_to(scale_bar, sum_empty_like_X)
    centred_bar = sum_to(centred_bar, X_1)
    # scale = np.sqrt(np.sum(centred * centred, axis=0) + 0.1)
    empty_like_scale_bar = np.empty_like(scale_bar)
    for i in range(empty_like_scale_bar.size):
        empty_like_scale_bar[i] = scale_bar[i] * 0.5 / scale[i]
    expand_dims = np.expand_dims(empty_like_scale_bar, 0)
    shape = np.broadcast_shapes(X_1.shape, expand_dims.shape)
    stretched_1 = stretched(expand_dims, shape)
    empty_shape = np.empty(shape)
    empty_shape_shape = empty_shape.shape
    for i in range(empty_shape_shape[0]):
        for j in range(empty_shape_shape[1]):
            empty_shape[i, j] = stretched_1[i, j]
    centred_bar_shape = centred_bar.shape
    stretched_1 = stretched(empty_shape, centred_bar_shape)
    centred_bar_size0 = centred_bar_shape[0]
    for i in range(centred_bar_size0):
        for j in range(centred_bar_shape[1]):
            stretched_i_j_times = stretched_1[i, j] * centred[i, j]
            centred_bar[i, j] += stretched_i_j_times
    for i in range(centred_bar_size0):
        for j in range(centred_bar_shape[1]):
            stretched_i_j_times = stretched_1[i, j] * centred[i, j]
            centred_bar[i, j] += stretched_i_j_times
    # centred = X - np.sum(X, axis=0) / X.shape[0]
    empty_like = np.empty_like(centred_bar)
    empty_like_shape = empty_like.shape
    for i in range(empty_like_shape[0]):
        for j in range(empty_like_shape[1]):
            empty_like[i, j] = -centred_bar[i, j]
    sum_to_1 = sum_to(sum_to(empty_like, aligned_1), sum_X)
    X_bar = sum_to(centred_bar, X)
    empty_like_sum_to = np.empty_like(sum_to_1)
    for i in range(empty_like_sum_to.size):
        empty_like_sum_to[i] = sum_to_1[i] / n
    X_bar_shape = X_bar.shape
    stretched_1 = stretched(np.expand_dims(empty_like_sum_to, 0), X_bar_shape)
    for i in range(X_bar_shape[0]):
        for j in range(X_bar_shape[1]):
            X_bar[i, j] += stretched_1[i, j]
    return result, (X_bar, w_bar)
