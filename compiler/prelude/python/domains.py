"""Whether powers, conversions and functions of `math` raise, as Python's do: what `try ... except` tests before it happens."""

from __future__ import annotations

import math
import sys

import numpy as np

from backsweep.prelude.declare import computed, has_array, is_complex

LARGEST = math.log(sys.float_info.max)
"""The logarithm of the largest float."""


def power_divides_by_zero(x, y) -> bool:
    """Whether a number is zero, and to be taken to a negative power."""
    if has_array(x, y) or is_complex(y):
        return False
    return bool(x == 0 and y < 0)


def power_overflows(x, y) -> bool:
    """Whether a power of floats is too large for one."""
    if has_array(x, y) or is_complex(x) or is_complex(y):
        return False
    if isinstance(x, (int, np.integer)) and isinstance(y, (int, np.integer)):
        return False
    if not np.isfinite(x) or not np.isfinite(y) or x == 0:
        return False
    bounded = np.maximum(np.minimum(float(y), 1e20), -1e20)  # so that the product is finite
    return bool(bounded * np.log(np.abs(float(x))) >= LARGEST)


def has_no_power(x, y) -> bool:
    """Whether `math.pow` has no number for it: zero to a negative power, or a negative number to that of a fraction."""
    return bool(np.isfinite(x) and np.isfinite(y) and ((x == 0 and y < 0) or (x < 0 and y != np.floor(y))))


def is_pole(x) -> bool:
    """Whether the gamma function has a pole here."""
    return bool(np.isfinite(x) and x <= 0 and x == np.floor(x))


def is_never_left(x, y) -> bool:
    """Whether no remainder of `x` is left by `y`."""
    return bool((y == 0 and x == x) or (np.isinf(x) and y == y))  # noqa: PLR0124  nan is not itself


def is_no_integer(x) -> bool:
    """Whether nan, or a text of something else, is to be a whole number."""
    if has_array(x):
        return False
    if isinstance(x, str):
        return computed(_is_text_of_no_integer)(x)
    return bool(np.isnan(x))


def is_no_float(x) -> bool:
    """Whether a text of something else is to be a float."""
    return computed(_is_text_of_no_float)(x) if isinstance(x, str) else False


def is_infinite(x) -> bool:
    """Whether an infinite number is to be a whole one."""
    return False if has_array(x) or isinstance(x, str) else bool(np.isinf(x))


def _is_text_of_no_integer(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return True
    return False


def _is_text_of_no_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return True
    return False


def is_scaled_too_far(x, y) -> bool:
    """Whether `x * 2**y` is too large for a float."""
    return bool(np.isfinite(x) and x != 0 and np.log2(np.abs(x)) + y >= 1024.0)
