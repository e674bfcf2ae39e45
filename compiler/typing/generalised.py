"""The texts of calls of `@guvectorize` functions with arguments of the axes that their layout names: one call of their Python function.

Loops over further axes are not written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

Text = Callable[..., Any]
Place = tuple[int, int]
"""An argument and its axis."""


def text_of_cores(function: Any, arguments: Sequence[Any]) -> Text | None:
    """The text of a call without the argument for the result; None if the function or the arguments are of another kind."""
    builder = function.gufunc_builder
    given = [types.unliteral(type_) for type_ in arguments]
    if len(builder.sout) != 1 or len(given) != len(builder.sin):
        return None
    declared = [signature.args for signature in builder._sigs if tuple(signature.args[:-1]) == _plain(given)]
    if not declared or any(_rank(type_) != len(axes) for type_, axes in zip(given, builder.sin, strict=True)):
        return None
    places = {name: (k, axis) for k, axes in enumerate(builder.sin) for axis, name in enumerate(axes)}
    (axes,) = builder.sout
    if not all(name in places for name in axes) or len(axes) not in _TEXTS:
        return None
    kernel = numba.njit(builder.py_func)
    return _TEXTS[len(axes)](kernel, as_dtype(declared[0][-1].dtype), *(places[name] for name in axes))


def _plain(given: Sequence[Any]) -> tuple[Any, ...]:
    """The types as signatures declare them, whose arrays may have any layout."""
    return tuple(
        types.Array(type_.dtype, type_.ndim, "A") if isinstance(type_, types.Array) else type_
        for type_ in given
    )


def _rank(type_: Any) -> int:
    return type_.ndim if isinstance(type_, types.Array) else 0


def _number(kernel: Any, dtype: Any) -> Text:
    def of_cores(*xs: Any) -> Any:
        out = np.empty(1, dtype)
        kernel(*xs, out)
        return out[0]

    return of_cores


def _row(kernel: Any, dtype: Any, place: Place) -> Text:
    k, axis = place

    def of_cores(*xs: Any) -> Any:
        out = np.empty(xs[k].shape[axis], dtype)
        kernel(*xs, out)
        return out

    return of_cores


def _matrix(kernel: Any, dtype: Any, place: Place, other: Place) -> Text:
    (k, axis), (j, along) = place, other

    def of_cores(*xs: Any) -> Any:
        out = np.empty((xs[k].shape[axis], xs[j].shape[along]), dtype)
        kernel(*xs, out)
        return out

    return of_cores


_TEXTS: dict[int, Callable[..., Text]] = {0: _number, 1: _row, 2: _matrix}
"""By the number of axes of the result."""
