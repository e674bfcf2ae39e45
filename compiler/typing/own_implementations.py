"""Texts that replace Numba's implementations: shorter ones, and ones for what Numba writes as machine code or leaves to LAPACK.

Each gives what Numba's gives. It is written with functions that have rules. Where the function is one that Numba's own texts
call, a text stands for all of these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types
from numba.np import arraymath, linalg

from backsweep.runtime.support.marks import seen_as_view

Text = Callable[..., Any]


def _selected(arry: Any, k: Any, low: Any, high: Any) -> Any:
    """The element that would be at `k` if those from `low` to `high` were sorted."""
    return np.sort(arry[low : high + 1])[k - low]


def _two_selected(arry: Any, k: Any, low: Any, high: Any) -> Any:
    """The elements that would be at `k` and at `k + 1` if all were sorted."""
    ordered = np.sort(arry[low : high + 1])
    return ordered[k - low], ordered[k - low + 1]


def _singular_values(a: Any) -> Any:
    return np.linalg.svd(a, False)[1]


def _partitioned(a: Any, kth: Any) -> Any:
    order = np.argpartition(a, kth)  # it swaps what the partition swaps
    return a[order]


def _rows_partitioned(a: Any, kth: Any) -> Any:
    order = np.argpartition(a, kth)
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = a[i, order[i, j]]
    return out


def _stacks_partitioned(a: Any, kth: Any) -> Any:
    n = a.shape[-1]
    lines = np.ascontiguousarray(a).reshape((a.size // n if n > 0 else 0, n))
    return np.partition(lines, kth).reshape(a.shape)


def _taken(a: Any, indices: Any, axis: Any = None) -> Any:
    moved = np.moveaxis(a, axis, 0)
    found = np.empty((len(indices), *moved.shape[1:]), a.dtype)
    for i in range(len(indices)):
        found[i] = moved[indices[i]]
    return np.ascontiguousarray(np.moveaxis(found, 0, axis))


def _one_taken(a: Any, indices: Any, axis: Any = None) -> Any:
    return np.ascontiguousarray(np.moveaxis(a, axis, 0)[indices])


def _taken_along(arr: Any, indices: Any, axis: Any) -> Any:  # noqa: ARG001
    out = np.empty(len(indices), arr.dtype)
    for i in range(len(indices)):
        out[i] = arr[indices[i]]
    return out


def _taken_along_none(arr: Any, indices: Any, axis: Any = None) -> Any:  # noqa: ARG001
    return np.take_along_axis(arr.flatten(), indices, 0)


def _taken_along_rows(arr: Any, indices: Any, axis: Any) -> Any:
    other = 1 if axis in (0, -2) else 0
    count, wanted = arr.shape[other], indices.shape[other]
    if count not in (wanted, 1) and wanted != 1:
        raise ValueError("`arr` and `indices` dimensions don't match")
    along = indices.shape[1 - other]
    whole = wanted if count == 1 else count
    out = np.empty((along, whole) if other == 1 else (whole, along), arr.dtype)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            if other == 1:
                out[i, j] = arr[indices[i, 0 if wanted == 1 else j], 0 if count == 1 else j]
            else:
                out[i, j] = arr[0 if count == 1 else i, indices[0 if wanted == 1 else i, j]]
    return out


def _taken_along_stacks(arr: Any, indices: Any, axis: Any) -> Any:
    moved, places = np.moveaxis(arr, axis, -1), np.moveaxis(indices, axis, -1)
    n, count = moved.shape[-1], places.shape[-1]
    stacks = np.broadcast_shapes(moved.shape[:-1], places.shape[:-1])
    size = 1
    for extent in stacks:
        size *= extent
    rows = np.ascontiguousarray(np.broadcast_to(moved, (*stacks, n))).reshape((size, n))
    columns = np.ascontiguousarray(np.broadcast_to(places, (*stacks, count))).reshape((size, count))
    found = np.take_along_axis(rows, columns, 1).reshape((*stacks, count))
    return np.ascontiguousarray(np.moveaxis(found, -1, axis))


def _rank(s: Any, rcond: Any, eps: Any) -> Any:
    """How many singular values count; the others are below a part of the largest."""
    smallest = (eps if rcond < 0.0 else rcond) * (s[0] if len(s) > 0 else 0.0)
    rank = 0
    for k in range(len(s)):
        if s[k] > smallest:
            rank += 1
    return rank


def _least_squares(a: Any, b: Any, rcond: Any = -1.0) -> Any:
    if a.shape[0] != b.shape[0]:
        raise np.linalg.LinAlgError("Incompatible array sizes, system is not dimensionally valid.")
    m, n = a.shape
    u, s, vt = np.linalg.svd(a, False)
    rank = _rank(s, rcond, np.finfo(a.dtype).eps)
    if 0 < rank == len(s) and s[rank - 1] > 1e-14 * s[0]:
        x = np.dot(np.linalg.pinv(a), b)
    else:  # of singular values that count as zero the vectors do not count either
        x = np.dot(vt[:rank].T, (np.dot(u[:, :rank].T, b).T / s[:rank]).T)
    rest = b - np.dot(a, x)
    squares = np.array([np.sum(rest * rest)]) if rest.ndim == 1 else np.sum(rest * rest, 0)
    return x, squares[: len(squares) if rank == n < m else 0], rank, s


def _least_squares_of_complex(a: Any, b: Any, rcond: Any = -1.0) -> Any:
    if a.shape[0] != b.shape[0]:
        raise np.linalg.LinAlgError("Incompatible array sizes, system is not dimensionally valid.")
    m, n = a.shape
    u, s, vt = np.linalg.svd(a, False)
    rank = _rank(s, rcond, np.finfo(a.dtype).eps)
    if 0 < rank == len(s) and s[rank - 1] > 1e-14 * s[0]:
        x = np.dot(np.linalg.pinv(a), b)
    else:  # of singular values that count as zero the vectors do not count either
        left, right = np.conj(u[:, :rank].T), np.conj(vt[:rank].T)
        x = np.dot(right, (np.dot(left, b).T / s[:rank]).T)
    rest = np.abs(b - np.dot(a, x))
    squares = np.array([np.sum(rest * rest)]) if rest.ndim == 1 else np.sum(rest * rest, 0)
    return x, squares[: len(squares) if rank == n < m else 0], rank, s


def _pseudoinverse(a: Any, rcond: Any) -> Any:
    u, s, vt = np.linalg.svd(a, False)
    rank = 0
    for k in range(len(s)):
        if s[k] > rcond * s[0]:
            rank += 1
    if rank == len(s):
        y = np.ascontiguousarray(np.linalg.pinv(a))
    else:  # the vectors of singular values that count as zero do not count either
        y = np.dot(
            np.ascontiguousarray(np.conj(vt[:rank].T) / s[:rank]),
            np.ascontiguousarray(np.conj(u[:, :rank].T)),
        )
    return y


_bessel: Any = getattr(arraymath, "_i0", None)
"""The modified Bessel function I0 by which Numba computes the window; a release may not have it."""


def _kaiser(M: Any, beta: Any) -> Any:
    window = np.ones(max(M, 0))
    if M > 1:
        alpha = (M - 1) / 2.0
        for k in range(M):
            window[k] = _bessel(beta * np.sqrt(1.0 - ((k - alpha) / alpha) ** 2)) / _bessel(beta)
    return window


def _complex_between(x: Any, xp: Any, fp: Any) -> Any:
    real, imaginary = np.interp(x, xp, np.real(fp)), np.interp(x, xp, np.imag(fp))
    y = np.empty(real.shape, np.complex128)
    for k in range(len(y)):
        y[k] = complex(real[k], imaginary[k])
    return y


def _complex_number_between(x: Any, xp: Any, fp: Any) -> Any:
    return complex(np.interp(x, xp, np.real(fp)), np.interp(x, xp, np.imag(fp)))


def _strided_vector(x: Any, shape: Any = None, strides: Any = None) -> Any:
    step = strides[0] // x.itemsize
    n = shape[0]
    if strides[0] % x.itemsize != 0:
        raise ValueError("the strides lead into the middle of numbers")
    if n > 0 and (step * (n - 1) < 0 or step * (n - 1) >= x.size):
        raise IndexError("the strides lead out of the array")
    flat = np.ravel(x)
    y = np.empty(n, x.dtype)
    for i in range(n):
        y[i] = flat[i * step]
    return seen_as_view(y, x)


def _strided_matrix(x: Any, shape: Any = None, strides: Any = None) -> Any:
    outer, inner = strides[0] // x.itemsize, strides[1] // x.itemsize
    n, m = shape[0], shape[1]
    if strides[0] % x.itemsize != 0 or strides[1] % x.itemsize != 0:
        raise ValueError("the strides lead into the middle of numbers")
    low = min(0, outer * (n - 1)) + min(0, inner * (m - 1))
    high = max(0, outer * (n - 1)) + max(0, inner * (m - 1))
    if n > 0 and m > 0 and (low < 0 or high >= x.size):
        raise IndexError("the strides lead out of the array")
    flat = np.ravel(x)
    y = np.empty((n, m), x.dtype)
    for i in range(n):
        for j in range(m):
            y[i, j] = flat[i * outer + j * inner]
    return seen_as_view(y, x)


def _outer(a: Any, b: Any) -> Any:
    return np.expand_dims(np.ravel(a), 1) * np.ravel(b)


def _matrix_power(a: Any, n: Any) -> Any:
    if a.shape[0] != a.shape[1]:
        raise ValueError("input must be a square array")
    power = np.ascontiguousarray(np.linalg.inv(a)) if n < 0 else np.ascontiguousarray(a)
    found = np.eye(a.shape[0]).astype(a.dtype)
    left = abs(n)
    is_first = True
    while left > 0:
        if left % 2 == 1:
            found = np.copy(power) if is_first else np.dot(found, power)
            is_first = False
        left = left // 2
        if left > 0:
            power = np.dot(power, power)
    return found


def _lower_of_stack(m: Any, k: Any = 0) -> Any:
    return np.where(np.tri(m.shape[-2], m.shape[-1], k) > 0.5, m, np.zeros_like(m))


def _upper_of_stack(m: Any, k: Any = 0) -> Any:
    return np.where(np.tri(m.shape[-2], m.shape[-1], k - 1) > 0.5, np.zeros_like(m), m)


def _summed_as(a: Any, dtype: Any = None) -> Any:
    return np.sum(a.astype(dtype))


def _summed_along_as(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.sum(a.astype(dtype), axis)


def _lines_summed_up(a: Any, axis: Any) -> Any:
    lines = np.moveaxis(a, axis, 2)
    y = np.empty(lines.shape, a.dtype)
    for i in range(lines.shape[0]):
        for j in range(lines.shape[1]):
            y[i, j] = np.cumsum(lines[i, j])
    return np.ascontiguousarray(np.moveaxis(y, 2, axis))


def _all_summed_up(a: Any, axis: Any = None) -> Any:  # noqa: ARG001
    return np.cumsum(np.ravel(a))


def _summed_up_along(a: Any, axis: Any = None) -> Any:
    moved = np.moveaxis(a, axis, -1)
    n = moved.shape[-1]
    lines = np.ascontiguousarray(moved).reshape((a.size // n if n > 0 else 0, n))
    return np.ascontiguousarray(np.moveaxis(np.cumsum(lines, 1).reshape(moved.shape), -1, axis))


def _summed_up_as(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumsum(a.astype(dtype), axis)


def _sums_up_lines(given: Mapping[str, Any]) -> bool:
    is_known = isinstance(given.get("axis"), types.IntegerLiteral)
    return is_known and _is_array(given["a"], 3) and isinstance(given["a"].dtype, types.Float | types.Complex)


def _sums_up_along(given: Mapping[str, Any]) -> bool:
    axis = types.unliteral(given.get("axis", types.none))
    return isinstance(axis, types.Integer) and isinstance(given["a"], types.Array) and given["a"].ndim > 1


def _sums_up_as(given: Mapping[str, Any]) -> bool:
    return isinstance(types.unliteral(given.get("axis", types.none)), types.Integer) and _is_sum_as(given)


@dataclass(frozen=True, slots=True)
class Own:
    """A text that replaces a function, if `fits` holds of the types of its arguments, by name."""

    text: Text
    fits: Callable[[Mapping[str, Any]], bool] = lambda _: True


def _is_array(type_: Any, ndim: int) -> bool:
    return isinstance(type_, types.Array) and type_.ndim == ndim


def _is_real(type_: Any) -> bool:
    return isinstance(type_, types.Array) and isinstance(type_.dtype, types.Float)


def _takes_several(given: Mapping[str, Any]) -> bool:
    axis, indices = types.unliteral(given.get("axis", types.none)), given["indices"]
    is_vector = isinstance(indices, types.BaseTuple) or _is_array(indices, 1)
    return isinstance(axis, types.Integer) and is_vector


def _takes_one(given: Mapping[str, Any]) -> bool:
    axis, indices = (types.unliteral(given.get(name, types.none)) for name in ("axis", "indices"))
    is_number = isinstance(axis, types.Integer) and isinstance(indices, types.Integer)
    return is_number and isinstance(given["a"], types.Array) and given["a"].ndim > 1


def _takes_along(given: Mapping[str, Any], ndim: int) -> bool:
    is_known = isinstance(given.get("axis"), types.IntegerLiteral)
    return is_known and _is_array(given["arr"], ndim) and _is_array(given["indices"], ndim)


def _takes_along_none(given: Mapping[str, Any]) -> bool:
    return given.get("axis", types.none) is types.none and _is_array(given["indices"], 1)


def _is_sum_as(given: Mapping[str, Any]) -> bool:
    is_known = isinstance(given.get("dtype"), types.DType | types.NumberClass)
    return is_known and isinstance(given["a"], types.Array)


def _is_strided(given: Mapping[str, Any], axes: int) -> bool:
    """Whether an array in rows is seen with so many axes, whose extents and strides are given."""
    x, tuples = given["x"], [given.get(name) for name in ("shape", "strides")]
    return (
        isinstance(x, types.Array)
        and x.layout == "C"
        and all(isinstance(each, types.BaseTuple) and len(each) == axes for each in tuples)
    )


def _is_stack(given: Mapping[str, Any]) -> bool:
    return isinstance(given["m"], types.Array) and given["m"].ndim > 2


def _has_further_axes(given: Mapping[str, Any]) -> bool:
    arrays = [given[name] for name in ("a", "b")]
    if set(given) != {"a", "b"} or not all(isinstance(each, types.Array) for each in arrays):
        return False
    return any(each.ndim != 1 or isinstance(each.dtype, types.Complex) for each in arrays)


def _has_exponent_of_the_run(given: Mapping[str, Any]) -> bool:
    return isinstance(given["n"], types.Integer) and not isinstance(given["n"], types.Literal)


def _has_complex_values(given: Mapping[str, Any]) -> bool:
    return set(given) == {"x", "xp", "fp"} and isinstance(getattr(given["fp"], "dtype", None), types.Complex)


def _is_least_squares(given: Mapping[str, Any]) -> bool:
    has_number = not isinstance(given.get("rcond"), types.NoneType)
    return has_number and _is_real(given["a"]) and _is_real(given["b"])


def _is_complex_least_squares(given: Mapping[str, Any]) -> bool:
    has_number = not isinstance(given.get("rcond"), types.NoneType)
    dtypes = [getattr(given[name], "dtype", None) for name in ("a", "b")]
    return has_number and dtypes[0] == dtypes[1] and isinstance(dtypes[0], types.Complex)


OWN: Mapping[Any, Sequence[Own]] = {
    np.partition: (
        Own(_partitioned, lambda given: _is_array(given["a"], 1)),
        Own(_rows_partitioned, lambda given: _is_array(given["a"], 2)),
        Own(_stacks_partitioned, lambda given: isinstance(given["a"], types.Array) and given["a"].ndim > 2),
    ),
    np.take: (Own(_taken, _takes_several), Own(_one_taken, _takes_one)),
    np.take_along_axis: (
        Own(_taken_along, lambda given: _takes_along(given, 1)),
        Own(_taken_along_rows, lambda given: _takes_along(given, 2)),
        Own(_taken_along_none, _takes_along_none),
        Own(_taken_along_stacks, lambda given: any(_takes_along(given, n) for n in range(3, 9))),
    ),
    np.sum: (Own(_summed_as, _is_sum_as), Own(_summed_along_as, _is_sum_as)),
    np.cumsum: (
        Own(_lines_summed_up, _sums_up_lines),
        Own(
            _all_summed_up,
            lambda given: given.get("axis") is types.none and isinstance(given["a"], types.Array),
        ),
        Own(_summed_up_along, _sums_up_along),
        Own(_summed_up_as, _sums_up_as),
    ),
    np.kaiser: (Own(_kaiser, lambda given: set(given) == {"M", "beta"} and _bessel is not None),),
    np.interp: (
        Own(_complex_between, lambda given: _is_array(given["x"], 1) and _has_complex_values(given)),
        Own(
            _complex_number_between,
            lambda given: isinstance(given["x"], types.Number) and _has_complex_values(given),
        ),
    ),
    np.lib.stride_tricks.as_strided: (
        Own(_strided_vector, lambda given: _is_strided(given, 1)),
        Own(_strided_matrix, lambda given: _is_strided(given, 2)),
    ),
    np.outer: (Own(_outer, _has_further_axes),),
    np.linalg.pinv: (
        Own(_pseudoinverse, lambda given: set(given) == {"a", "rcond"} and _is_array(given["a"], 2)),
    ),
    np.linalg.matrix_power: (Own(_matrix_power, _has_exponent_of_the_run),),
    np.tril: (Own(_lower_of_stack, _is_stack),),
    np.triu: (Own(_upper_of_stack, _is_stack),),
    np.linalg.lstsq: (
        Own(_least_squares, _is_least_squares),
        Own(_least_squares_of_complex, _is_complex_least_squares),
    ),
}
"""By function: the first text that fits stands for it."""

INNER: Mapping[Any, Text] = {
    function: text
    for module, name, text in (
        (arraymath, "_select", _selected),
        (arraymath, "_select_two", _two_selected),
        (linalg, "_compute_singular_values", _singular_values),
    )
    if (function := getattr(module, name, None)) is not None
}
"""The same for functions that Numba's own texts call, whatever their arguments are; a release of Numba may not have one."""


def own_text(function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Text | None:
    """The text of ours for a call with arguments of these types; None if there is none."""
    for each in OWN.get(function, ()):
        code = each.text.__code__
        names = code.co_varnames[: code.co_argcount]
        if len(arguments) <= len(names) and set(keywords) <= set(names):
            if each.fits({**dict(zip(names, arguments, strict=False)), **keywords}):
                return each.text
    return None


def inner_text(function: Any) -> Text | None:
    """The text of ours for a function that Numba's own texts call; None if there is none."""
    try:
        return INNER.get(function)
    except TypeError:  # it has no hash
        return None
