"""Arrays of NumPy that stand for arrays on a GPU while the code for these is found: they have shape, dtype and strides, and nobody reads them."""

from __future__ import annotations

from typing import Any

import numpy as np


class StandIns:
    """The stand-ins of one call."""

    def __init__(self) -> None:
        self._meant: dict[int, Any] = {}
        self._kept: dict[tuple[Any, ...], Any] = {}

    def instead(self, value: Any) -> Any:
        """The value with a stand-in for each array on a GPU, also within tuples."""
        if type(value) is tuple:
            return tuple(map(self.instead, value))
        if is_on_gpu(value):
            return self._for(value)
        return value

    def meant(self, value: Any) -> Any:
        """The value with the arrays on a GPU in place of their stand-ins."""
        if type(value) is tuple:
            return tuple(map(self.meant, value))
        return self._meant.get(id(value), value)

    def _for(self, array: Any) -> Any:
        """The stand-in for one array. Its memory is never written, so that the system never provides it."""
        shape, dtype, strides = tuple(array.shape), _dtype_of(array), _strides_of(array)
        made = np.empty(shape, dtype)
        if strides is not None and strides != made.strides:
            made = _strided(shape, dtype, strides)
        self._meant[id(made)] = array
        self._kept[id(made),] = made  # an id is that of an object for as long as it lives
        return made


def is_on_gpu(value: Any) -> bool:
    """Whether the value is an array on a GPU, of any package."""
    if isinstance(value, np.ndarray | np.generic):
        return False
    if getattr(value, "__cuda_ndarray__", False):
        return True
    try:
        return hasattr(value, "__cuda_array_interface__") or _is_jax_on_gpu(value)
    except (AttributeError, TypeError, RuntimeError):  # PyTorch's tensors raise it where they lie on the host
        return False


def described(values: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """What decides the code for numbers and arrays: types, shapes, dtypes and strides; None if there is anything else."""
    found: list[Any] = []
    for value in values:
        if type(value) in (float, int, bool, complex):
            found.append(type(value))
        elif type(value) is np.ndarray or getattr(value, "__cuda_ndarray__", False):
            is_writable = type(value) is not np.ndarray or value.flags.writeable
            found.append((type(value), tuple(value.shape), value.dtype, tuple(value.strides), is_writable))
        else:
            return None
    return tuple(found)


def with_numpy(value: Any) -> Any:
    """The value with NumPy's arrays in place of those on a GPU."""
    from backsweep.runtime.gpu.launch import on_host

    if type(value) is tuple:
        return tuple(map(with_numpy, value))
    return on_host(value) if is_on_gpu(value) else value


def _is_jax_on_gpu(value: Any) -> bool:
    device = getattr(value, "__dlpack_device__", None)
    return device is not None and hasattr(value, "shape") and device()[0] == DLPACK_CUDA


DLPACK_CUDA = 2
"""What DLPack calls a device of CUDA."""


def _dtype_of(array: Any) -> np.dtype[Any]:
    """The dtype of an array on a GPU; PyTorch has its own names."""
    described = getattr(array, "__cuda_array_interface__", None)
    found: np.dtype[Any] = np.dtype(array.dtype if described is None else described["typestr"])
    return found


def _strides_of(array: Any) -> tuple[int, ...] | None:
    """The bytes between elements; None for an array in C's order."""
    described = getattr(array, "__cuda_array_interface__", None)
    found = described.get("strides") if described is not None else getattr(array, "strides", None)
    return None if found is None else tuple(found)


def _strided(shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...]) -> Any:
    """An array with these strides."""
    first = sum((extent - 1) * -step for extent, step in zip(shape, strides, strict=True) if step < 0)
    last = sum((extent - 1) * step for extent, step in zip(shape, strides, strict=True) if step > 0)
    memory = np.empty(first + last + dtype.itemsize, np.uint8)
    return np.ndarray(shape, dtype, memory, first, strides)
