"""Tangents of functions of arrays that take more than one expression: of factors of matrices, of sorted, accumulated and interpolated arrays.

In those of factors, `turned` is the change of the matrix in the basis of its vectors, and `swing` how these vectors turn into one
another. Functions of complex matrices are at the end.
"""

from __future__ import annotations

import numpy as np

from backsweep.runtime.decompositions import DEFECTIVE, need_rank, order_alike, undetermined
from backsweep.runtime.interpolation import cell, lies_in
from backsweep.runtime.support.compiled import kernel, shaped_like


@shaped_like("x")
@shaped_like("x")
@kernel
def lower_mirrored(x):
    """The symmetric matrix with the lower triangle of `x`."""
    whole = np.empty_like(x)
    for i in range(x.shape[0]):
        for j in range(i + 1):
            whole[i, j] = x[i, j]
            whole[j, i] = x[i, j]
    return whole


@kernel
def eigvalsh_tangent(x_dot, x):
    """The tangent of `np.linalg.eigvalsh(x)`, which reads the lower triangle only."""
    _, vectors = np.linalg.eigh(x)
    return np.sum(vectors * (lower_mirrored(x_dot) @ vectors), 0)


@kernel
def eigh_tangent(x_dot, w, v):
    """The tangents of `w, v = np.linalg.eigh(x)`, which reads the lower triangle only."""
    turned = v.T @ lower_mirrored(x_dot) @ v
    w_dot = np.empty_like(w)
    swing = np.zeros_like(turned)
    rounding = w.size * np.finfo(w.dtype).eps * np.sum(np.abs(w))
    for i in range(w.size):
        w_dot[i] = turned[i, i]
        for j in range(w.size):
            if i != j and np.abs(w[j] - w[i]) <= rounding:
                swing[i, j] = undetermined(turned[i, j], turned[j, i])
            elif i != j:
                swing[i, j] = turned[i, j] / (w[j] - w[i])
    return w_dot, v @ swing


@kernel
def eig_tangent(x_dot, w, v):
    """The tangents of `w, v = np.linalg.eig(x)`: columns keep the length 1, and their largest entry its phase."""
    inverse = np.linalg.inv(v)
    turned = inverse @ x_dot @ v
    if not np.sum(np.abs(inverse)) * np.sum(np.abs(v)) <= DEFECTIVE:
        turned[:] = np.nan
    w_dot = np.empty_like(w)
    swing = np.zeros_like(turned)
    rounding = w.size * np.finfo(w.dtype).eps * np.sum(np.abs(w))
    for i in range(w.size):
        w_dot[i] = turned[i, i]
        for j in range(w.size):
            if i != j and np.abs(w[j] - w[i]) <= rounding:
                swing[i, j] = undetermined(turned[i, j], turned[j, i])
                w_dot[i] += swing[i, j]
            elif i != j:
                swing[i, j] = turned[i, j] / (w[j] - w[i])
    v_dot = v @ swing
    for j in range(w.size):
        largest = np.argmax(np.abs(v[:, j]))
        along = np.sum(np.conj(v[:, j]) * v_dot[:, j])
        phase = v_dot[largest, j] / v[largest, j]
        v_dot[:, j] -= v[:, j] * 0.5 * (along + np.conj(along) + phase - np.conj(phase))
    return w_dot, v_dot.astype(v.dtype)


@kernel
def eigvals_tangent(x_dot, x, w):
    """The tangent of `w = np.linalg.eigvals(x)`."""
    found, v = np.linalg.eig(x)
    places = order_alike(w, found)
    found_dot, _ = eig_tangent(x_dot, found, v)
    w_dot = np.empty_like(w)
    for i in range(w.size):
        w_dot[places[i]] = found_dot[i]
    return w_dot


@kernel
def svd_tangent(x_dot, u, s, vt):
    """The tangents of `u, s, vt = np.linalg.svd(x)`, full or reduced."""
    k = s.size
    left, rest = np.ascontiguousarray(u[:, :k]), np.ascontiguousarray(u[:, k:])
    right, below = np.ascontiguousarray(vt[:k]), np.ascontiguousarray(vt[k:])
    x_left, x_right = left.T @ x_dot, x_dot @ right.T
    turned = left.T @ x_right
    # What leaves the span of the leading vectors
    out_left, out_right = x_right - left @ turned, x_left - turned @ right
    swing_left, swing_right = np.zeros_like(turned), np.zeros_like(turned)
    s_dot = np.empty_like(s)
    rounding = k * np.finfo(s.dtype).eps * np.sum(s)
    for i in range(k):
        s_dot[i] = turned[i, i]
        for j in range(k):
            if i != j and np.abs(s[j] - s[i]) <= rounding:
                swing_left[i, j] = undetermined(turned[i, j], turned[j, i])
                swing_right[i, j] = swing_left[i, j]
            elif i != j:
                gap = (s[j] - s[i]) * (s[j] + s[i])
                swing_left[i, j] = (turned[i, j] * s[j] + s[i] * turned[j, i]) / gap
                swing_right[i, j] = (s[i] * turned[i, j] + turned[j, i] * s[j]) / gap
        for j in range(out_left.shape[0]):
            out_left[j, i] = out_left[j, i] / s[i] if s[i] > rounding else undetermined(out_left[j, i], 0.0)
        for j in range(out_right.shape[1]):
            out_right[i, j] = (
                out_right[i, j] / s[i] if s[i] > rounding else undetermined(out_right[i, j], 0.0)
            )
    u_dot, vt_dot = np.empty_like(u), np.empty_like(vt)
    u_dot[:, :k] = left @ swing_left + out_left
    u_dot[:, k:] = -(left @ (out_left.T @ rest))
    vt_dot[:k] = swing_right.T @ right + out_right
    vt_dot[k:] = -((below @ out_right.T) @ right)
    return u_dot, s_dot, vt_dot


@kernel
def qr_tangent(x_dot, q, r):
    """The tangents of `q, r = np.linalg.qr(x)`; the first columns of `x`, as many as `q` has, must have full rank."""
    k = q.shape[1]
    square = np.ascontiguousarray(r[:, :k])
    need_rank(square)
    whole = np.linalg.solve(square.T, np.ascontiguousarray(x_dot[:, :k].T)).T
    turned = q.T @ whole
    swing = np.zeros_like(turned)
    for i in range(k):
        for j in range(i):
            swing[i, j] = turned[i, j]
            swing[j, i] = -turned[i, j]
    q_dot = whole - q @ (turned - swing)
    r_dot = np.zeros_like(r)
    r_dot[:, :k] = np.triu((turned - swing) @ square)
    # The columns beside the square are those of `x` in the basis `q`, so these are q @ r
    rest = np.ascontiguousarray(r[:, k:])
    r_dot[:, k:] = q_dot.T @ (q @ rest) + q.T @ np.ascontiguousarray(x_dot[:, k:])
    return q_dot, r_dot


@shaped_like("y")
@kernel
def pinv_tangent(x_dot, x, y):
    """The tangent of `y = np.linalg.pinv(x)`, for changes that keep the rank."""
    transposed = x_dot.T
    right = transposed - (transposed @ x) @ y
    left = transposed - y @ (x @ transposed)
    return (y @ y.T) @ right + left @ (y.T @ y) - y @ x_dot @ y


@shaped_like("x")
@kernel
def cumprod_tangent(x_dot, x):
    """The tangent of `np.cumprod(x)` where `x` has one dimension; right where some entries are zero."""
    y_dot = np.empty_like(x)
    product, product_dot = 1.0, 0.0
    for i in range(x.size):
        product_dot = product_dot * x[i] + product * x_dot[i]
        product *= x[i]
        y_dot[i] = product_dot
    return y_dot


@shaped_like("x")
@kernel
def sort_tangent(x_dot, x):
    """The tangent of `np.sort(x)` where `x` has one dimension."""
    order = np.argsort(x)
    y_dot = np.empty_like(x)
    for position in range(x.size):
        y_dot[position] = x_dot[order[position]]
    return y_dot


@shaped_like("x")
@kernel
def sort_rows_tangent(x_dot, x):
    """The tangent of `np.sort(x)` where `x` is a matrix, each row by itself."""
    y_dot = np.empty_like(x)
    for i in range(x.shape[0]):
        order = np.argsort(x[i])
        for j in range(x.shape[1]):
            y_dot[i, j] = x_dot[i, order[j]]
    return y_dot


@shaped_like("y")
@kernel
def unique_tangent(x_dot, x, y):
    """The tangent of `y = np.unique(x)`: the mean of those of the entries that are equal."""
    entries, entries_dot = x.ravel(), x_dot.ravel()
    places = np.searchsorted(y, entries)
    count = np.zeros(y.size)
    y_dot = np.zeros_like(y)
    for i in range(entries.size):
        count[places[i]] += 1.0
        y_dot[places[i]] += entries_dot[i]
    for k in range(y.size):
        y_dot[k] /= count[k]
    return y_dot


@shaped_like("x")
@kernel
def interp_tangent_points(points_dot, x, y, points, values):
    """What changes of the points alone make of `y`, which is `np.interp(x, points, values)` at a vector `x`."""
    y_dot = np.zeros(
        x.size, (values[:1] * points_dot[:1]).dtype
    )  # of floats, also where the values are whole numbers
    for i in range(x.size):
        k = cell(x[i], points)
        if 0 <= k < points.size - 1:
            width = points[k + 1] - points[k]
            slope = (values[k + 1] - values[k]) / width
            share = (x[i] - points[k]) / width
            y_dot[i] = -slope * (points_dot[k] * (1.0 - share) + points_dot[k + 1] * share)
        if not lies_in(k, x[i], y[i], points, values):
            y_dot[i] = np.nan
    return y_dot


# Of complex matrices


@shaped_like("x")
@kernel
def hermitian(x):
    """The Hermitian matrix with the lower triangle of `x`, whose diagonal is real."""
    whole = np.empty_like(x)
    for i in range(x.shape[0]):
        whole[i, i] = np.real(x[i, i])
        for j in range(i):
            whole[i, j] = x[i, j]
            whole[j, i] = np.conj(x[i, j])
    return whole


@kernel
def kept_real(reference, reference_dot):
    """How fast the phases of vectors turn back so that an entry of each stays real; not at all where it is zero."""
    return -np.imag(reference_dot) / np.where(reference == 0.0, np.inf, np.real(reference))


@kernel
def eigvalsh_tangent_of_complex(x_dot, x):
    """The tangent of `np.linalg.eigvalsh(x)` of a Hermitian matrix, which reads the lower triangle only."""
    _, vectors = np.linalg.eigh(x)
    return np.real(np.sum(np.conj(vectors) * (hermitian(x_dot) @ vectors), 0))


@kernel
def eigh_tangent_of_complex(x_dot, w, v):
    """The tangents of `w, v = np.linalg.eigh(x)` of a Hermitian matrix; the vectors keep the phase of their first entry."""
    turned = np.conj(v.T) @ hermitian(x_dot) @ v
    w_dot = np.empty_like(w)
    swing = np.zeros_like(turned)
    rounding = w.size * np.finfo(w.dtype).eps * np.sum(np.abs(w))
    for i in range(w.size):
        w_dot[i] = np.real(turned[i, i])
        for j in range(w.size):
            if i != j and np.abs(w[j] - w[i]) <= rounding:
                swing[i, j] = undetermined(np.abs(turned[i, j]), np.abs(turned[j, i]))
            elif i != j:
                swing[i, j] = turned[i, j] / (w[j] - w[i])
    v_dot = v @ swing
    return w_dot, v_dot + v * (1.0j * kept_real(v[0], v_dot[0]))


@kernel
def svd_tangent_of_complex(x_dot, u, s, vt):
    """The tangents of `u, s, vt = np.linalg.svd(x)`, full or reduced; the vectors of the shorter side keep the phase of their first entry."""
    k = s.size
    left, rest = np.ascontiguousarray(u[:, :k]), np.ascontiguousarray(u[:, k:])
    right, below = np.ascontiguousarray(vt[:k]), np.ascontiguousarray(vt[k:])
    x_left, x_right = np.conj(left.T) @ x_dot, x_dot @ np.conj(right.T)
    turned = np.conj(left.T) @ x_right
    # What leaves the span of the leading vectors
    out_left, out_right = x_right - left @ turned, x_left - turned @ right
    swing_left, swing_right = np.zeros_like(turned), np.zeros_like(turned)
    s_dot = np.empty_like(s)
    rounding = k * np.finfo(s.dtype).eps * np.sum(s)
    for i in range(k):
        s_dot[i] = np.real(turned[i, i])
        for j in range(k):
            one, other = turned[i, j], np.conj(turned[j, i])
            if i == j:
                phase = 0.5 * (one - other)
                swing_left[i, i] = phase / s[i] if s[i] > rounding else undetermined(np.abs(phase), 0.0)
            elif np.abs(s[j] - s[i]) <= rounding:
                swing_left[i, j] = undetermined(np.abs(one), np.abs(other))
                swing_right[i, j] = undetermined(np.abs(one), np.abs(other))
            else:
                gap = (s[j] - s[i]) * (s[j] + s[i])
                swing_left[i, j] = (one * s[j] + other * s[i]) / gap
                swing_right[i, j] = (one * s[i] + other * s[j]) / gap
        for j in range(out_left.shape[0]):
            out_left[j, i] = (
                out_left[j, i] / s[i] if s[i] > rounding else undetermined(np.abs(out_left[j, i]), 0.0)
            )
        for j in range(out_right.shape[1]):
            out_right[i, j] = (
                out_right[i, j] / s[i] if s[i] > rounding else undetermined(np.abs(out_right[i, j]), 0.0)
            )
    left_dot = left @ swing_left + out_left
    right_dot = np.conj(swing_right.T) @ right + out_right
    if left.shape[0] >= right.shape[1]:
        phases = -kept_real(right[:, 0], right_dot[:, 0])
    else:
        phases = kept_real(left[0], left_dot[0])
    left_dot += left * (1.0j * phases)
    right_dot -= right * (1.0j * phases.reshape(k, 1))
    u_dot, vt_dot = np.zeros_like(u), np.zeros_like(vt)
    u_dot[:, :k] = left_dot
    vt_dot[:k] = right_dot
    u_dot[:, k:] = -left @ np.conj(np.conj(rest.T) @ out_left).T
    vt_dot[k:] = -np.conj(out_right @ np.conj(below.T)).T @ right
    return u_dot, s_dot, vt_dot


@kernel
def qr_tangent_of_complex(x_dot, q, r):
    """The tangents of `q, r = np.linalg.qr(x)`, whose diagonal stays real."""
    k = q.shape[1]
    square = np.ascontiguousarray(r[:, :k])
    need_rank(square)
    moved = np.ascontiguousarray(np.linalg.solve(square.T, np.ascontiguousarray(x_dot[:, :k]).T).T)
    turned = np.conj(q.T) @ moved
    swing = np.zeros_like(turned)
    for i in range(k):
        swing[i, i] = 0.5 * (turned[i, i] - np.conj(turned[i, i]))
        for j in range(i):
            swing[i, j] = turned[i, j]
            swing[j, i] = -np.conj(turned[i, j])
    q_dot = q @ (swing - turned) + moved
    r_dot = np.zeros_like(r)
    r_dot[:, :k] = np.triu((turned - swing) @ square)
    beside, beside_dot = np.ascontiguousarray(r[:, k:]), np.ascontiguousarray(x_dot[:, k:])
    r_dot[:, k:] = np.conj(q_dot.T) @ (q @ beside) + np.conj(q.T) @ beside_dot
    return q_dot, r_dot


@kernel
def pinv_tangent_of_complex(x_dot, x, y):
    """The tangent of `y = np.linalg.pinv(x)`, for changes that keep the rank."""
    transposed, other = np.ascontiguousarray(np.conj(x_dot.T)), np.ascontiguousarray(np.conj(y.T))
    right = transposed - (transposed @ x) @ y
    left = transposed - y @ (x @ transposed)
    return (y @ other) @ right + left @ (other @ y) - y @ x_dot @ y
