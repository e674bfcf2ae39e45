"""Format numbers and arrays in a few characters, for tables and pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_ENTRIES = 4


def short(value: Any, digits: int = 8) -> str:
    """A number with `digits` digits; a short array in full, a longer array by its shape and the range of its entries."""
    value = value[()] if isinstance(value, np.ndarray) else value  # an array without axes is a number
    if isinstance(value, np.ndarray):
        return _array(value, digits)
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, complex | np.complexfloating):
        return f"{value.real:.{digits}g}{value.imag:+.{digits}g}j"
    if isinstance(value, float | np.floating):
        return f"{value:.{digits}g}"
    if isinstance(value, tuple):
        return "(" + ", ".join(short(item, digits) for item in value) + ")"
    return "" if value is None else repr(value)


def _array(array: Any, digits: int) -> str:
    if array.size <= MOST_ENTRIES and array.ndim == 1:
        return "[" + ", ".join(short(entry, min(digits, 4)) for entry in array) + "]"
    shape = "[" + "×".join(map(str, array.shape)) + "]"
    if array.size == 0 or array.dtype.kind not in "fiub":
        return f"{shape} {array.dtype}"
    low, high = float(np.min(array)), float(np.max(array))
    return f"{shape} all {low:.4g}" if low == high else f"{shape} {low:.4g} … {high:.4g}"


def full(value: Any) -> str:
    """A number with all its digits, or an array as NumPy prints it, which shortens large arrays."""
    value = value[()] if isinstance(value, np.ndarray) else value  # an array without axes is a number
    if isinstance(value, np.ndarray):
        with np.printoptions(precision=6, threshold=60, edgeitems=3, linewidth=90):
            return f"{value.dtype}, {'×'.join(map(str, value.shape))}\n{value}"
    if isinstance(value, float | np.floating):
        return repr(float(value))
    return short(value, 17)
