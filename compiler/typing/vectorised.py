"""The texts of calls of `@vectorize` functions: their Python function of each element, in loops."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype, ufunc_find_matching_loop


def text_of_call(function: Any, arguments: Sequence[Any], result: Any) -> Callable[..., Any] | None:
    """The text of a call of a `@vectorize` function with arguments of these types; None if there is none.

    `result` is Numba's type of the result. An array behind the operands is what the result is stored in.
    """
    given = [types.unliteral(type_) for type_ in arguments]
    count = len(inspect.signature(function.__wrapped__).parameters)
    if len(given) == count + 1 and isinstance(given[-1], types.Array):
        inner = text_of_call(function, arguments[:-1], given[-1])
        return None if inner is None else _stored(numba.njit(inner))
    if len(given) != count:
        return None
    plain = [getattr(type_, "dtype", type_) for type_ in given]
    if not all(isinstance(type_, types.Number | types.Boolean) for type_ in plain):
        return None
    wanted = _types_of_loop(function, tuple(plain))
    if wanted is None:
        return None
    kernel = numba.njit(function.__wrapped__)
    casts = [
        _same if one == other else as_dtype(other).type for one, other in zip(plain, wanted, strict=True)
    ]
    arrays = [isinstance(type_, types.Array) for type_ in given]
    dtype = as_dtype(getattr(result, "dtype", result))
    # a declared type converts what the function of an element returns
    made = dtype.type if function._frozen else _same
    if len(given) not in _TEXTS:
        plain_call = not any(arrays) and all(cast is _same for cast in casts)
        return _many_numbers(kernel, made) if plain_call else None
    of_numbers, of_arrays = _TEXTS[len(given)]
    text: Callable[..., Any] = (
        of_arrays(kernel, dtype, *casts, *arrays) if any(arrays) else of_numbers(kernel, made, *casts)
    )
    return text


def _types_of_loop(function: Any, given: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The types for which the function of an element runs: those of the declared signature that fits, else those given."""
    if not function._frozen:
        return given
    loop = ufunc_find_matching_loop(function, given)
    return None if loop is None else tuple(loop.inputs)


def _stored(inner: Any) -> Callable[..., Any]:
    def stored(*xs: Any) -> Any:
        out = xs[-1]
        out[...] = inner(*xs[:-1])
        return out

    return stored


def _same(value: Any) -> Any:
    return value


def _one_number(kernel: Any, made: Any, cast: Any) -> Callable[..., Any]:
    def of_number(x: Any) -> Any:
        return made(kernel(cast(x)))

    return of_number


def _two_numbers(kernel: Any, made: Any, cast_x: Any, cast_y: Any) -> Callable[..., Any]:
    def of_numbers(x: Any, y: Any) -> Any:
        return made(kernel(cast_x(x), cast_y(y)))

    return of_numbers


def _three_numbers(kernel: Any, made: Any, cast_x: Any, cast_y: Any, cast_z: Any) -> Callable[..., Any]:
    def of_numbers(x: Any, y: Any, z: Any) -> Any:
        return made(kernel(cast_x(x), cast_y(y), cast_z(z)))

    return of_numbers


def _four_numbers(
    kernel: Any, made: Any, cast_x: Any, cast_y: Any, cast_z: Any, cast_u: Any
) -> Callable[..., Any]:
    def of_numbers(x: Any, y: Any, z: Any, u: Any) -> Any:
        return made(kernel(cast_x(x), cast_y(y), cast_z(z), cast_u(u)))

    return of_numbers


def _many_numbers(kernel: Any, made: Any) -> Callable[..., Any]:
    def of_numbers(*xs: Any) -> Any:
        return made(kernel(*xs))

    return of_numbers


def _one_array(kernel: Any, dtype: Any, cast: Any, _: bool) -> Callable[..., Any]:
    def of_array(x: Any) -> Any:
        out = np.empty(x.shape, dtype)
        for place in np.ndindex(x.shape):
            out[place] = kernel(cast(x[place]))
        return out

    return of_array


def _two_arrays(
    kernel: Any, dtype: Any, cast_x: Any, cast_y: Any, x_is_array: bool, y_is_array: bool
) -> Callable[..., Any]:
    def of_arrays(x: Any, y: Any) -> Any:
        shape = np.add(x, y).shape
        xs = np.broadcast_to(x, shape) if x_is_array else x
        ys = np.broadcast_to(y, shape) if y_is_array else y
        out = np.empty(shape, dtype)
        for place in np.ndindex(shape):
            out[place] = kernel(
                cast_x(xs[place] if x_is_array else xs), cast_y(ys[place] if y_is_array else ys)
            )
        return out

    return of_arrays


def _three_arrays(
    kernel: Any, dtype: Any, cast_x: Any, cast_y: Any, cast_z: Any, *is_array: bool
) -> Callable[..., Any]:
    x_is_array, y_is_array, z_is_array = is_array

    def of_arrays(x: Any, y: Any, z: Any) -> Any:
        shape = np.add(np.add(x, y), z).shape
        xs = np.broadcast_to(x, shape) if x_is_array else x
        ys = np.broadcast_to(y, shape) if y_is_array else y
        zs = np.broadcast_to(z, shape) if z_is_array else z
        out = np.empty(shape, dtype)
        for place in np.ndindex(shape):
            out[place] = kernel(
                cast_x(xs[place] if x_is_array else xs),
                cast_y(ys[place] if y_is_array else ys),
                cast_z(zs[place] if z_is_array else zs),
            )
        return out

    return of_arrays


def _four_arrays(
    kernel: Any, dtype: Any, cast_x: Any, cast_y: Any, cast_z: Any, cast_u: Any, *is_array: bool
) -> Callable[..., Any]:
    x_is_array, y_is_array, z_is_array, u_is_array = is_array

    def of_arrays(x: Any, y: Any, z: Any, u: Any) -> Any:
        shape = np.add(np.add(np.add(x, y), z), u).shape
        xs = np.broadcast_to(x, shape) if x_is_array else x
        ys = np.broadcast_to(y, shape) if y_is_array else y
        zs = np.broadcast_to(z, shape) if z_is_array else z
        us = np.broadcast_to(u, shape) if u_is_array else u
        out = np.empty(shape, dtype)
        for place in np.ndindex(shape):
            out[place] = kernel(
                cast_x(xs[place] if x_is_array else xs),
                cast_y(ys[place] if y_is_array else ys),
                cast_z(zs[place] if z_is_array else zs),
                cast_u(us[place] if u_is_array else us),
            )
        return out

    return of_arrays


_TEXTS: dict[int, tuple[Callable[..., Callable[..., Any]], Callable[..., Callable[..., Any]]]] = {
    1: (_one_number, _one_array),
    2: (_two_numbers, _two_arrays),
    3: (_three_numbers, _three_arrays),
    4: (_four_numbers, _four_arrays),
}
"""By the number of arguments: the texts of calls with numbers, and of calls with arrays. More numbers are passed on as they are."""
