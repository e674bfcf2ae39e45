"""Operators of whole numbers as Python and NumPy have them, where machine instructions would wrap around or do anything.

Python's whole numbers have no end: where one would leave 64 bits, compiled code raises OverflowError. NumPy's wrap around, and a
shift by more bits than there are leaves none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from backsweep.runtime.support.compiled import declared

_LARGEST = 2.0**63
_TOO_LARGE = "a whole number leaves 64 bits, which compiled code cannot hold: compute with floats"


@declared(checks=True)
def product_of_whole(number, factor):
    """`number * factor` of Python's numbers."""
    return number * factor


@overload(product_of_whole)
def _product_of_whole(number, factor) -> Callable[..., Any]:  # noqa: ARG001  Numba asks for the names
    def implementation(number, factor):
        if abs(float(number) * float(factor)) >= _LARGEST:
            raise OverflowError(_TOO_LARGE)
        return number * factor

    return implementation


@declared(checks=True)
def power_of_whole(number, exponent):
    """`number ** exponent` of Python's numbers."""
    return number**exponent


@overload(power_of_whole)
def _power_of_whole(number, exponent) -> Callable[..., Any]:  # noqa: ARG001  Numba asks for the names
    def implementation(number, exponent):
        if exponent < 0 and abs(number) != 1:
            raise ValueError("a whole number to a negative power is a float: write float(n) ** k")
        if abs(float(number)) ** exponent >= _LARGEST:
            raise OverflowError(_TOO_LARGE)
        return number ** abs(exponent)

    return implementation


@declared(checks=True)
def whole_shifted_left(number, by):
    """`number << by` of Python's numbers."""
    return number << by


@overload(whole_shifted_left)
def _whole_shifted_left(number, by) -> Callable[..., Any]:  # noqa: ARG001  Numba asks for the names
    def implementation(number, by):
        if by < 0:
            raise ValueError("negative shift count")
        if number != 0 and (by > 62 or abs(float(number)) * 2.0**by >= _LARGEST):
            raise OverflowError(_TOO_LARGE)
        return number << by

    return implementation


@declared(checks=True)
def whole_shifted_right(number, by):
    """`number >> by` of Python's numbers."""
    return number >> by


@overload(whole_shifted_right)
def _whole_shifted_right(number, by) -> Callable[..., Any]:  # noqa: ARG001  Numba asks for the names
    def implementation(number, by):
        if by < 0:
            raise ValueError("negative shift count")
        return number >> min(by, 63)

    return implementation


@register_jitable
def _left(number, by, bits):
    """NumPy's `number << by`: no bit is left if it is shifted by all of them."""
    return number << by if 0 <= by < bits else number ^ number


@register_jitable
def _right(number, by, bits):
    """NumPy's `number >> by`: only the sign is left if it is shifted by all bits."""
    if 0 <= by < bits:
        return number >> by
    return number ^ number if number >= 0 else ~(number ^ number)


@register_jitable
def _raised(number, exponent, bits):  # noqa: ARG001  one signature
    """NumPy's `number ** exponent` of whole numbers, which wraps around."""
    if exponent < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    found, square = (number ^ number) + type(number)(1), number
    while exponent > 0:
        if exponent & 1:
            found *= square
        square *= square
        exponent >>= 1
    return found


def as_array(number):
    """A number as an array of one entry; an array itself."""
    return np.atleast_1d(number)


@overload(as_array)
def _as_array(number) -> Callable[..., Any]:
    def itself(number):
        return number

    def filled(number):
        return np.full(1, number)

    return itself if isinstance(number, types.Array) else filled


def _by_entry(compute: Callable[..., Any]) -> Callable[..., Any]:
    """An overload of two numbers, or arrays, of one dtype, of which each pair of entries is computed."""

    def typed(number, by) -> Callable[..., Any]:
        arrays = [each for each in (number, by) if isinstance(each, types.Array)]
        if not arrays:

            def of_numbers(number, by):
                return compute(number, by, 64)

            return of_numbers
        dtype = np.dtype(str(arrays[0].dtype))
        bits, wide = 8 * dtype.itemsize, np.uint64 if dtype.kind == "u" else np.int64
        kept = dtype.type

        def of_arrays(number, by):
            numbers, counts = np.broadcast_arrays(as_array(number), as_array(by))
            found = np.empty(numbers.shape, kept)
            for place in np.ndindex(numbers.shape):
                found[place] = kept(compute(wide(numbers[place]), wide(counts[place]), bits))
            return found

        return of_arrays

    return typed


@declared(checks=True)
def shifted_left(number, by):
    """`number << by` of NumPy's whole numbers."""
    return number << by


@declared(checks=True)
def shifted_right(number, by):
    """`number >> by` of NumPy's whole numbers."""
    return number >> by


@declared(checks=True)
def raised(number, by):
    """`number ** by` of NumPy's whole numbers."""
    return number**by


for _function, _compute in ((shifted_left, _left), (shifted_right, _right), (raised, _raised)):
    overload(_function)(_by_entry(_compute))
