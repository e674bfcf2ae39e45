"""A function of numbers, applied to arrays entry by entry."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

_KINDS = ((np.float64, np.float32), (np.complex128, np.complex64))
"""The results' types of real and of complex numbers, each in double and in single precision."""


def by_entries(function: Callable[..., Any], operands: tuple[Any, ...]):
    """The function of a tuple of numbers, of operands that are numbers or arrays which broadcast.

    The result is in single precision if all arrays are, and complex if an operand is.
    """
    if all(np.ndim(each) == 0 for each in operands):
        return function(operands)
    arrays = np.broadcast_arrays(*operands)
    kinds = _KINDS[any(map(np.iscomplexobj, operands))]
    single = all(each.dtype in (np.float32, np.complex64) for each in operands if np.ndim(each) > 0)
    result = np.empty(arrays[0].shape, kinds[single])
    for place in np.ndindex(result.shape):
        result[place] = function(tuple(each[place] for each in arrays))
    return result


@overload(by_entries)
def _by_entries(function, operands):  # noqa: ARG001  Numba matches parameters by name
    arrays = [k for k, each in enumerate(operands) if isinstance(each, types.Array)]
    if not arrays:
        return _of_numbers
    single = all(operands[k].dtype in (types.float32, types.complex64) for k in arrays)
    numbers = [types.unliteral(getattr(each, "dtype", each)) for each in operands]
    kinds = _KINDS[any(isinstance(each, types.Complex) for each in numbers)]
    return _of_arrays(len(operands), tuple(arrays), kinds[single])


def _of_numbers(function, operands):
    return function(operands)


@functools.cache
def _of_arrays(count: int, arrays: tuple[int, ...], dtype: type) -> Callable[..., Any]:
    """The implementation for so many operands, of which these are arrays."""
    total = functools.reduce("np.add({}, {})".format, (f"operands[{k}]" for k in arrays))
    shape = f"{total}.shape"
    entries = (f"entries_{k}[place]" if k in arrays else f"operands[{k}]" for k in range(count))
    lines = [
        "def of_arrays(function, operands):",
        f"    result = np.empty({shape}, dtype)",
        *(f"    entries_{k} = np.broadcast_to(operands[{k}], result.shape)" for k in arrays),
        "    for place in np.ndindex(result.shape):",
        f"        result[place] = function(({', '.join(entries)},))",
        "    return result",
    ]
    namespace: dict[str, Any] = {"np": np, "dtype": dtype, "__name__": __name__}
    exec("\n".join(lines), namespace)  # noqa: S102  our own text
    made: Callable[..., Any] = namespace["of_arrays"]
    return made
