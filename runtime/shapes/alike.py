"""Arrays like others: of another shape, like a list, or filled with an array; Numba has those like an array, full of a number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import is_array, is_listed, is_none
from backsweep.runtime.overloads.texts import dtype_text, stands_for


def _kind(a, dtype) -> str:
    """The dtype of an array like `a`, as text."""
    return "dtype" if not is_none(dtype) else dtype_text(as_dtype(types.unliteral(getattr(a, "dtype", a))))


def _alike(name: str) -> Callable[..., str | None]:
    """What stands for a function that makes an array like another one."""

    def alike(a, dtype=None, order="K", subok=True, shape=None):
        said = "" if is_none(dtype) else ", dtype"
        if is_listed(a):
            return f"return np.{name}_like(np.array(a){said}{'' if is_none(shape) else ', shape=shape'})"
        if is_none(shape) or not (is_array(a) or isinstance(types.unliteral(a), types.Number)):
            return None
        return f"return np.{name}(shape, {_kind(a, dtype)})"

    return alike


for _name in ("zeros", "ones", "empty"):
    stands_for(getattr(np, f"{_name}_like"), first=True)(_alike(_name))


@stands_for(np.full_like)
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    """Arrays like another one, filled with numbers or with the entries of an array."""
    if is_listed(a):
        said = "" if is_none(dtype) else ", dtype"
        return (
            f"return np.full_like(np.array(a), fill_value{said}{'' if is_none(shape) else ', shape=shape'})"
        )
    if not is_array(a) or (is_none(shape) and not is_array(fill_value)):
        return None
    if not is_array(fill_value):
        return f"return np.full(shape, fill_value, {_kind(a, dtype)})"
    shown = "a.shape" if is_none(shape) else "shape"
    return f"y = np.empty({shown}, {_kind(a, dtype)})\ny[...] = fill_value\nreturn y"


@stands_for(np.full)
def full(shape, fill_value, dtype=None):
    """An array of a shape filled with the entries of an array."""
    if not is_array(fill_value):
        return None
    return f"y = np.empty(shape, {_kind(fill_value, dtype)})\ny[...] = fill_value\nreturn y"
