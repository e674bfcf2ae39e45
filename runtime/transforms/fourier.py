"""Discrete Fourier transforms of any length."""

from __future__ import annotations

import numpy as np

from backsweep.runtime.support.compiled import kernel, shaped_like
from backsweep.runtime.transforms.lines import steps_along


@kernel
def transform_of_power_of_two(x, sign: float):
    """The transform of a vector whose length is a power of two."""
    n = x.size
    y = np.empty(n, np.complex128)
    place = 0
    for k in range(n):
        y[place] = x[k]
        bit = n >> 1
        while bit > 0 and place & bit:
            place ^= bit
            bit >>= 1
        place |= bit
    turns = np.empty(max(n // 2, 1), np.complex128)
    for k in range(n // 2):
        angle = sign * 2.0 * np.pi * k / n
        turns[k] = complex(np.cos(angle), np.sin(angle))
    half = 1
    while half < n:
        step = n // (2 * half)
        for start in range(0, n, 2 * half):
            for k in range(half):
                upper = y[start + k]
                lower = y[start + k + half] * turns[k * step]
                y[start + k] = upper + lower
                y[start + k + half] = upper - lower
        half *= 2
    return y


@kernel
def transform_of_line(x, sign: float):
    """The transform of a vector: of other lengths by a convolution (Bluestein)."""
    n = x.size
    if n & (n - 1) == 0:
        return transform_of_power_of_two(x, sign)
    m = 1
    while m < 2 * n - 1:
        m *= 2
    chirp = np.empty(n, np.complex128)
    for k in range(n):
        angle = sign * np.pi * ((k * k) % (2 * n)) / n
        chirp[k] = complex(np.cos(angle), np.sin(angle))
    first, second = np.zeros(m, np.complex128), np.zeros(m, np.complex128)
    for k in range(n):
        first[k] = x[k] * chirp[k]
        second[k] = np.conj(chirp[k])
        if k > 0:
            second[m - k] = second[k]
    first, second = transform_of_power_of_two(first, -1.0), transform_of_power_of_two(second, -1.0)
    for k in range(m):
        first[k] *= second[k]
    folded = transform_of_power_of_two(first, 1.0)
    y = np.empty(n, np.complex128)
    for k in range(n):
        y[k] = chirp[k] * (folded[k] / m)
    return y


@shaped_like("x")
@kernel
def transform(x, axis: int, sign: float):
    """The sums of `x[k] * exp(sign * 2 pi i j k / n)` over k, for each j, of the lines along an axis."""
    n = x.shape[axis]
    if n == 0:
        raise ValueError("Invalid number of data points (0) specified.")
    before, behind = steps_along(x, axis)
    entries, result, line = x.ravel(), np.empty(x.size, np.complex128), np.empty(n, np.complex128)
    for i in range(before):
        for j in range(behind):
            start = i * n * behind + j
            for k in range(n):
                line[k] = entries[start + k * behind]
            found = transform_of_line(line, sign)
            for k in range(n):
                result[start + k * behind] = found[k]
    return result.reshape(x.shape)


@kernel
def fast_length(target: int, real: bool) -> int:
    """The least length that is not below `target` and has small prime factors alone: up to 11, or up to 5 for real numbers."""
    found = target
    rest = 0
    while rest != 1:
        rest = found
        for factor in (2, 3, 5, 7, 11):
            while rest > 1 and rest % factor == 0 and (factor <= 5 or not real):
                rest //= factor
        if rest != 1:
            found += 1
    return found
