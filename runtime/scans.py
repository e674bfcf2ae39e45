"""Adjoints of products and differences of entries; those of products are right where factors are zero."""

from __future__ import annotations

import numpy as np

from backsweep.runtime.support.compiled import declared, kernel, shaped_like


@shaped_like("x")
@kernel
def products_of_others(x):
    """For each entry of `x` the product of all the others."""
    factors = x.ravel()
    others = np.empty(x.size, x.dtype)
    product = 1.0
    for i in range(x.size):
        others[i] = product
        product *= factors[i]
    product = 1.0
    for i in range(x.size - 1, -1, -1):
        others[i] *= product
        product *= factors[i]
    return others.reshape(x.shape)


@shaped_like("x")
@kernel
def cumprod_pullback(y_bar, x):
    """The adjoint of `x` where `y = np.cumprod(x)` and `x` has one dimension."""
    x_bar = np.empty_like(x)
    product = 1.0
    for i in range(x.size):
        x_bar[i] = product
        product *= x[i]
    tail = 0.0
    for i in range(x.size - 1, -1, -1):
        tail += y_bar[i]
        x_bar[i] *= tail
        tail *= x[i]
    return x_bar


@declared(length="size")
@kernel
def diff_pullback(y_bar, size: int):
    """The adjoint of `x` where `y = np.diff(x)` and `x` is a vector of that size, which may be zero."""
    x_bar = np.zeros(size, y_bar.dtype)
    for i in range(y_bar.size):
        x_bar[i] -= y_bar[i]
        x_bar[i + 1] += y_bar[i]
    return x_bar


@shaped_like("x")
@kernel
def cumsum_pullback(y_bar, x):
    """The adjoint of `x` where `y = np.cumsum(x)`, flattened."""
    x_bar = np.empty(x.size, x.dtype)
    total = 0.0
    for i in range(x.size - 1, -1, -1):
        total += y_bar[i]
        x_bar[i] = total
    return x_bar.reshape(x.shape)


@declared(length="size")
@kernel
def diffs_pullback(y_bar, n: int, size: int):
    """The adjoint of the vector `x` of that size where `y = np.diff(x, n)`."""
    x_bar = y_bar
    for k in range(n - 1, -1, -1):
        x_bar = diff_pullback(x_bar, max(size - k, 0))
    return x_bar


@kernel
def diff_rows_pullback(y_bar, size: int):
    """The adjoint of the matrix `x` with rows of that size where `y = np.diff(x)`, along its rows."""
    x_bar = np.zeros((y_bar.shape[0], size), y_bar.dtype)
    for i in range(y_bar.shape[0]):
        for j in range(y_bar.shape[1]):
            x_bar[i, j] -= y_bar[i, j]
            x_bar[i, j + 1] += y_bar[i, j]
    return x_bar
