"""Functions that `scipy.special` writes in Python: factorials, Dirichlet's kernel, polynomials."""

from __future__ import annotations

import numpy as np
import scipy.special

from backsweep.prelude.declare import core, has_array, is_complex, is_known, means, refuse


@means(scipy.special.factorial)
def factorial(n, exact=False, extend="zero"):
    """The factorial of numbers between, too: with `extend="complex"` also of negative and of complex ones."""
    if extend == "zero" and not exact:
        return core(scipy.special.factorial)(n)
    return _multifactorial(n, 1, exact, extend)


@means(scipy.special.factorial2)
def factorial2(n, exact=False, extend="zero"):
    """The double factorial."""
    return _multifactorial(n, 2, exact, extend)


@means(scipy.special.factorialk)
def factorialk(n, k, exact=False, extend="zero"):
    """The factorial that skips."""
    return _multifactorial(n, k, exact, extend)


def _multifactorial(n, k, exact, extend):
    """The product of every k-th number up to n, continued (DLMF 5.4.2); SciPy takes 1 at the number 0, and does so of no array's entries."""
    if exact or extend != "complex":
        refuse(
            "a factorial of whole numbers, with exact=True or extend='zero', has no derivative",
            "give extend='complex' or `scipy.special.factorial`",
        )
    if not is_complex(k) and k < 0:
        if is_known(k):
            k = complex(k)
        else:
            raise ValueError("a negative step makes a multifactorial complex: give it as a complex number")
    between = n / k
    result = scipy.special.gamma(between + 1.0)
    if not is_complex(between):
        result = np.where(between == -1.0, np.nan, result)
    if is_known(k) and k == 1:
        return result if has_array(n) else result.item()
    at_zero = scipy.special.rgamma(1.0 / k + 1.0) / np.power(k, 1.0 / k)
    result = result * np.power(k, between) * at_zero
    return result if has_array(n) else (result + np.where(n == 0, 1.0 - at_zero, 0.0)).item()


@means(scipy.special.diric)
def diric(x, n):
    """Dirichlet's kernel, the sine of n x / 2 over n times that of x / 2 (DLMF 1.8.7); nan where n is no whole number above zero."""
    x, n = np.asarray(x), np.asarray(n)
    n = n + (x - x)
    x = x + (n - n)
    half = 0.5 * x
    below = np.sin(half)
    least = 1e-3 if x.dtype == np.float32 else 1e-7
    near = np.abs(below) < least
    turns = np.round(half / np.pi)
    # by its series about the turns, whose value SciPy gives all around
    off = np.where(near, half - np.pi * turns, 0.0)
    sign = 1.0 - 2.0 * (turns * (n - 1.0) % 2.0)
    around = sign * (1.0 - (np.square(1.0 * n) - 1.0) / 6.0 * np.square(off))
    result = np.where(near, around, np.sin(n * half) / (n * np.where(near, 1.0, below)))
    return np.where((n <= 0) | (n != np.floor(n)), np.nan, result)


@means(scipy.special.assoc_laguerre)
def assoc_laguerre(x, n, k=0.0):
    """The generalised Laguerre polynomial."""
    return scipy.special.eval_genlaguerre(n, k, x)
