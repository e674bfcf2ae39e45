"""Matrices of SciPy that are made of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from backsweep.prelude.declare import means, refuse


@means(scipy.linalg.leslie)
def leslie(f: Any, s: Any) -> Any:
    """Fecundities in the first row, rates of survival below the diagonal."""
    if np.ndim(f) != 1 or np.ndim(s) != 1:
        refuse("`scipy.linalg.leslie` is supported of two vectors", "call it for each of the rows")
    if len(f) != len(s) + 1:
        raise ValueError(
            "Incorrect lengths for f and s. Length of s along the last axis must be one less than the length of f."
        )
    if len(s) == 0:
        raise ValueError("The length of s must be at least 1.")
    a = np.zeros((len(f), len(f)))
    a[0] = f
    for k in range(len(s)):
        a[k + 1, k] = s[k]
    return a


@means(scipy.linalg.fiedler)
def fiedler(a: Any) -> Any:
    """Distances of the entries from each other."""
    if np.ndim(a) != 1:
        refuse("`scipy.linalg.fiedler` is supported of a vector", "call it for each of the rows")
    return np.abs(np.reshape(a, (len(a), 1)) - a)


@means(scipy.linalg.convolution_matrix)
def convolution_matrix(a: Any, n: Any, mode: Any = "full") -> Any:
    """The matrix whose product with a vector of `n` entries is `np.convolve(a, v, mode)`."""
    if np.ndim(a) != 1 or mode not in ("full", "same", "valid"):
        refuse(
            "`scipy.linalg.convolution_matrix` is supported of a vector, with the modes 'full', 'same' and 'valid'",
            "call it for each of the rows",
        )
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    if len(a) == 0:
        raise ValueError("len(a) must be at least 1.")
    whole = np.zeros((n + len(a) - 1, n))
    for j in range(n):
        whole[j : j + len(a), j] = a
    if mode == "same":
        first = (min(n, len(a)) - 1) // 2
        return whole[first : first + max(n, len(a))]
    if mode == "valid":
        first = min(n, len(a)) - 1
        return whole[first : first + max(n, len(a)) - first]
    return whole
