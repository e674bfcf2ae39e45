"""A function of numbers, applied to arrays entry by entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload


def by_entries(function: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    """The function of a tuple of numbers, of operands that are numbers or arrays which broadcast.

    The result is in single precision if all arrays are.
    """
    if all(np.ndim(each) == 0 for each in operands):
        return function(operands)
    arrays = np.broadcast_arrays(*operands)
    single = all(each.dtype == np.float32 for each in operands if np.ndim(each) > 0)
    result = np.empty(arrays[0].shape, np.float32 if single else np.float64)
    for place in np.ndindex(result.shape):
        result[place] = function(tuple(each[place] for each in arrays))
    return result


@overload(by_entries)
def _by_entries(function: Any, operands: Any) -> Any:  # noqa: ARG001  Numba matches parameters by name
    def of_numbers(function: Any, operands: Any) -> Any:
        return function(operands)

    def of_one(function: Any, operands: Any) -> Any:
        result = np.empty(operands[0].shape, dtype)
        for place in np.ndindex(result.shape):
            result[place] = function((operands[0][place],))
        return result

    def of_two(function: Any, operands: Any) -> Any:
        shape = np.add(operands[0], operands[1]).shape
        one, other = np.broadcast_to(operands[0], shape), np.broadcast_to(operands[1], shape)
        result = np.empty(shape, dtype)
        for place in np.ndindex(shape):
            result[place] = function((one[place], other[place]))
        return result

    def of_three(function: Any, operands: Any) -> Any:
        shape = np.add(np.add(operands[0], operands[1]), operands[2]).shape
        one, other = np.broadcast_to(operands[0], shape), np.broadcast_to(operands[1], shape)
        last = np.broadcast_to(operands[2], shape)
        result = np.empty(shape, dtype)
        for place in np.ndindex(shape):
            result[place] = function((one[place], other[place], last[place]))
        return result

    def of_five(function: Any, operands: Any) -> Any:
        shape = np.add(
            np.add(np.add(np.add(operands[0], operands[1]), operands[2]), operands[3]), operands[4]
        ).shape
        one, other = np.broadcast_to(operands[0], shape), np.broadcast_to(operands[1], shape)
        third, fourth = np.broadcast_to(operands[2], shape), np.broadcast_to(operands[3], shape)
        last = np.broadcast_to(operands[4], shape)
        result = np.empty(shape, dtype)
        for place in np.ndindex(shape):
            result[place] = function((one[place], other[place], third[place], fourth[place], last[place]))
        return result

    arrays = [each for each in operands if isinstance(each, types.Array)]
    dtype = np.float32 if all(each.dtype == types.float32 for each in arrays) else np.float64
    if not arrays:
        return of_numbers
    return {1: of_one, 2: of_two, 3: of_three, 5: of_five}[len(operands)]
