"""Adjoints of the decompositions of matrices.

Singular vectors and eigenvectors are unique up to a sign where the values differ, and up to a rotation where they
agree. Where values agree to rounding, only what depends on no vector of theirs has a derivative here: that of anything
else is a limit that the vectors do not tell, and comes out as nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.runtime.support.compiled import kernel, shaped_like


@kernel
def undetermined(one: Any, other: Any) -> Any:
    """The value for a quotient of two zeros: zero if both numerators are zero, with nan as its derivative; else nan."""
    if one == 0.0 and other == 0.0:
        return np.sqrt(np.abs(one) + np.abs(other))
    return np.nan


@kernel
def turns(vectors: Any, vectors_bar: Any) -> bool:
    """Whether a result changes if the columns of a matrix, which are unique only up to a rotation, are rotated."""
    turned = vectors.T @ vectors_bar
    rounding = 8 * vectors.shape[0] * np.finfo(vectors.dtype).eps * np.sum(np.abs(vectors_bar))
    for i in range(turned.shape[0]):
        for j in range(i):
            if np.abs(turned[i, j] - turned[j, i]) > rounding:
                return True
    return False


@kernel
def eigh_pullback(w_bar: Any, v_bar: Any, w: Any, v: Any) -> Any:
    """The adjoint of `x` where `w, v = np.linalg.eigh(x)`, which reads the lower triangle only."""
    turned = v.T @ v_bar
    inner = np.zeros_like(turned)
    rounding = w.size * np.finfo(w.dtype).eps * np.sum(np.abs(w))
    for i in range(w.size):
        for j in range(w.size):
            if i == j:
                inner[i, i] = w_bar[i]
            elif np.abs(w[j] - w[i]) <= rounding:
                inner[i, j] = undetermined(turned[i, j], turned[j, i])
            else:
                inner[i, j] = turned[i, j] / (w[j] - w[i])
    whole = v @ inner @ v.T
    x_bar = np.zeros_like(whole)
    for i in range(w.size):
        x_bar[i, i] = whole[i, i]
        for j in range(i):
            x_bar[i, j] = whole[i, j] + whole[j, i]
    return x_bar


@kernel
def svd_pullback(u_bar: Any, s_bar: Any, vt_bar: Any, u: Any, s: Any, vt: Any) -> Any:
    """The adjoint of `x` where `u, s, vt = np.linalg.svd(x)`, full or reduced."""
    k = s.size
    left, left_bar = np.ascontiguousarray(u[:, :k]), np.ascontiguousarray(u_bar[:, :k])
    right, right_bar = np.ascontiguousarray(vt[:k]), np.ascontiguousarray(vt_bar[:k])
    rest, rest_bar = np.ascontiguousarray(u[:, k:]), np.ascontiguousarray(u_bar[:, k:])
    below, below_bar = np.ascontiguousarray(vt[k:]), np.ascontiguousarray(vt_bar[k:])
    turned_left = left.T @ left_bar
    turned_right = right @ right_bar.T
    # What leaves the span of the leading vectors, and turns those into the others.
    out_left = left_bar - left @ turned_left - rest @ (rest_bar.T @ left)
    out_right = right_bar - turned_right.T @ right - (right @ below_bar.T) @ below
    inner = np.zeros_like(turned_left)
    rounding = k * np.finfo(s.dtype).eps * np.sum(s)
    for i in range(k):
        for j in range(k):
            swing_left = turned_left[i, j] - turned_left[j, i]
            swing_right = turned_right[i, j] - turned_right[j, i]
            if i == j:
                inner[i, i] = s_bar[i]
            elif np.abs(s[j] - s[i]) <= rounding:
                inner[i, j] = undetermined(swing_left, swing_right)
            else:
                inner[i, j] = (swing_left * s[j] + swing_right * s[i]) / ((s[j] - s[i]) * (s[j] + s[i]))
        for j in range(out_left.shape[0]):
            out_left[j, i] = out_left[j, i] / s[i] if s[i] > rounding else undetermined(out_left[j, i], 0.0)
        for j in range(out_right.shape[1]):
            out_right[i, j] = (
                out_right[i, j] / s[i] if s[i] > rounding else undetermined(out_right[i, j], 0.0)
            )
    # Nothing tells where the vectors without singular values lie in the space that they span.
    if turns(rest, rest_bar) or turns(np.ascontiguousarray(below.T), np.ascontiguousarray(below_bar.T)):
        inner[:] = np.nan
    return (left @ inner + out_left) @ right + left @ out_right


@shaped_like("x")
@kernel
def qr_pullback(q_bar: Any, r_bar: Any, x: Any, q: Any, r: Any) -> Any:
    """The adjoint of `x` where `q, r = np.linalg.qr(x)`; its first columns, as many as `q` has, must have full rank."""
    k = q.shape[1]
    square = np.ascontiguousarray(r[:, :k])
    square_bar = np.triu(r_bar[:, :k])
    beside_bar = np.ascontiguousarray(r_bar[:, k:])
    whole_bar = q_bar + np.ascontiguousarray(x[:, k:]) @ beside_bar.T
    inner = square @ square_bar.T - whole_bar.T @ q
    for i in range(k):
        for j in range(i):
            inner[j, i] = inner[i, j]
    x_bar = np.zeros_like(x)
    x_bar[:, :k] = np.linalg.solve(square, (whole_bar + q @ inner).T).T
    x_bar[:, k:] = q @ beside_bar
    return x_bar


@shaped_like("x")
@kernel
def pinv_pullback(y_bar: Any, x: Any, y: Any) -> Any:
    """The adjoint of `x` where `y = np.linalg.pinv(x)`, for changes that keep the rank."""
    turned = y_bar.T
    left = turned - x @ (y @ turned)
    right = turned - (turned @ y) @ x
    return left @ (y @ y.T) + (y.T @ y) @ right - y.T @ y_bar @ y.T
