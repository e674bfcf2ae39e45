"""Running sums and products, differences, sorting, reversing and shifting along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.extremes import accumulated
from backsweep.runtime.overloads.forms import (
    axes_of,
    is_array,
    is_left_out,
    is_none,
    literal,
    refused,
    reject,
    single_axis,
)
from backsweep.runtime.overloads.texts import along, stands_for


@stands_for(np.cumprod)
def cumprod(a, axis=None, dtype=None, out=None):
    """Running products along an axis; Numba has those of flattened arrays."""
    return _scan("np.cumprod", a, axis, dtype, out)


@stands_for(np.sort)
def sort(a, axis=-1, kind=None, order=None, stable=None):
    """Sorting along an axis; Numba sorts vectors, and rows of matrices."""
    if not is_array(a) or isinstance(axis, int):
        return None
    reject("np.sort", order=order)
    if is_none(axis) and axis is not None:
        return "return np.sort(np.ravel(a))"
    at = a.ndim - 1 if isinstance(axis, int) else single_axis("np.sort", axis, a.ndim)
    return along("np.sort({})", "a", at, a.ndim, dtype=as_dtype(a.dtype))


@stands_for(np.argsort)
def argsort(a, axis=-1, kind=None, order=None, stable=None):
    """The order of entries along an axis; Numba has that of vectors."""
    if not is_array(a) or (a.ndim == 1 and isinstance(axis, int)):
        return None
    reject("np.argsort", order=order)
    given = ', kind="mergesort"' if literal(kind) in ("mergesort", "stable") else ""
    if is_none(axis) and axis is not None:
        return f"return np.argsort(np.ravel(a){given})"
    at = a.ndim - 1 if isinstance(axis, int) else single_axis("np.argsort", axis, a.ndim)
    return along(f"np.argsort({{}}{given})", "a", at, a.ndim, dtype=np.int64)


@stands_for(np.diff)
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences along an axis; Numba has those along the last."""
    ends = [("prepend", prepend), ("append", append)]
    more = [name for name, type_ in ends if not is_none(type_)]
    if not is_array(a) or (isinstance(axis, int) and not more):
        return None
    at, times = a.ndim - 1 if isinstance(axis, int) else single_axis("np.diff", axis, a.ndim), literal(n)
    if more:
        return _with_ends(a, dict(ends), at)
    if not isinstance(times, int) or times < 0:
        raise refused(
            "`np.diff` is taken a number of times that only the run knows", "write the number: n=2."
        )
    later, earlier = (_sliced(at, part) for part in ("1:", ":-1"))
    differ = "!=" if isinstance(a.dtype, types.Boolean) else "-"
    lines = [f"a = a{later} {differ} a{earlier}"] * times
    return "\n".join(["a = a.copy()" if not times else "", *lines, "return a"])


def _with_ends(a: Any, ends: dict[str, Any], at: int) -> str:
    """The differences of an array with more entries before or behind it along an axis."""
    lines, parts = [], []
    for name, type_ in (("prepend", ends["prepend"]), ("a", a), ("append", ends["append"])):
        if is_none(type_):
            continue
        parts.append(name)
        if isinstance(type_, types.Number):
            shape = ", ".join("1" if axis == at else f"a.shape[{axis}]" for axis in range(a.ndim))
            lines.append(f"{name}_ = np.full(({shape},), {name} + np.zeros(1, a.dtype)[0])")
            parts[-1] = f"{name}_"
        elif not is_array(type_) or type_.ndim != a.ndim:
            raise refused(f"`{name}=` of `np.diff` has other axes", "give it as many axes as the array has.")
    return "\n".join([*lines, f"return np.diff(np.concatenate(({', '.join(parts)}), {at}), n, axis={at})"])


@stands_for(np.flip)
def flip(m, axis=None):
    """Entries in reverse order along axes; Numba has that along all of them."""
    if not is_array(m) or axis is None:
        return None
    axes = axes_of("np.flip", axis, m.ndim)
    return f"return m[{', '.join('::-1' if each in axes else ':' for each in range(m.ndim))}]"


@stands_for(np.roll)
def roll(a, shift, axis=None):
    """Entries moved round along axes; Numba moves those of the flattened array by one number."""
    several = isinstance(shift, types.BaseTuple)
    if not is_array(a) or (axis is None and not several):
        return None
    amounts = [f"shift[{number}]" for number in range(len(shift))] if several else ["shift"]
    if is_none(axis):
        return f"return np.roll(a, {' + '.join(amounts)})"
    named = literal(axis)
    listed = named if isinstance(named, tuple) else (named,)
    axes = [single_axis("np.roll", each, a.ndim) for each in listed]
    if len({len(axes), len(amounts), 1}) > 2:
        raise refused("`np.roll` has other numbers of shifts and of axes", "give a shift for each axis.")
    count = max(len(axes), len(amounts))
    axes, amounts = (each * count if len(each) == 1 else each for each in (axes, amounts))  # type: ignore[assignment]
    lines, source = ["y = np.empty_like(a)"], "a"
    for number, (at, amount) in enumerate(zip(axes, amounts, strict=True)):
        k = f"k{number}" if count > 1 else "k"
        lines += [
            f"n = a.shape[{at}]",
            f"{k} = {amount} % n if n > 0 else 0",
            f"y{_sliced(at, f'{k}:')} = {source}{_sliced(at, f':n - {k}')}",
            f"y{_sliced(at, f':{k}')} = {source}{_sliced(at, f'n - {k}:')}",
        ]
        if number < count - 1:
            source = f"y{number}"
            lines += [f"{source} = y", "y = np.empty_like(a)"]
    return "\n".join([*lines, "return y"])


@stands_for(np.repeat)
def repeat(a, repeats, axis=None):
    """Entries repeated along an axis; Numba repeats those of the flattened array."""
    listed = isinstance(repeats, types.BaseTuple)
    if not is_array(a) or (axis is None and not listed):
        return None
    if listed:
        return f"return np.repeat(a, np.array(repeats){'' if axis is None else ', axis=axis'})"
    if is_none(axis):
        return "return np.repeat(a, repeats)"
    at = single_axis("np.repeat", axis, a.ndim)
    if a.ndim == 1:
        return "return np.repeat(a, repeats)"
    return f"return a{_sliced(at, f'np.repeat(np.arange(a.shape[{at}]), repeats)')}"


def _scan(name: str, a: Any, axis: Any, dtype: Any, out: Any) -> str | None:
    if not is_array(a) or is_left_out(axis, dtype, out):
        return None
    reject(name, dtype=dtype, out=out)
    if is_none(axis):
        return f"return {name}(a)"
    return along(f"{name}({{}})", "a", single_axis(name, axis, a.ndim), a.ndim, dtype=accumulated(a))


def _sliced(axis: int, part: str) -> str:
    """The subscript that takes a part along one axis, and all along those before it."""
    return f"[{', '.join([':'] * axis + [part])}]"
