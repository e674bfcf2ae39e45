"""Running sums and products, differences, sorting, reversing and shifting along an axis."""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import (
    axes_of,
    is_array,
    is_left_out,
    is_listed,
    is_none,
    literal,
    refused,
    reject,
    single_axis,
)
from backsweep.runtime.overloads.texts import (
    accumulated,
    along,
    converted,
    dtype_text,
    from_list,
    number_text,
    stands_for,
)


@stands_for(np.cumsum)
def cumsum(a, axis=None, dtype=None, out=None):
    """Running sums with a dtype; Numba has the others."""
    if is_left_out(dtype, out):
        return None
    return _scan("np.cumsum", a, axis, dtype, out)


@stands_for(np.cumprod)
def cumprod(a, axis=None, dtype=None, out=None):
    """Running products along an axis; Numba has those of flattened arrays."""
    return _scan("np.cumprod", a, axis, dtype, out)


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
    """Differences along an axis, or with more values at the ends; Numba has those along the last."""
    times = n if isinstance(n, int) else literal(n)
    if not is_array(a) or (times != 0 and isinstance(axis, int) and is_left_out(prepend, append)):
        return None
    at = a.ndim - 1 if isinstance(axis, int) else single_axis("np.diff", axis, a.ndim)
    if not isinstance(times, int) or times < 0:
        raise refused(
            "`np.diff` is taken a number of times that only the run knows", "write the number: n=2."
        )
    parts = [_end("prepend", prepend, a, at), "a", _end("append", append, a, at)]
    joined = ", ".join(part for part in parts if part)
    later, earlier = (_sliced(at, part) for part in ("1:", ":-1"))
    differ = "!=" if isinstance(a.dtype, types.Boolean) else "-"
    ends = {"prepend": prepend, "append": append}
    lists = [from_list(name, each).strip() for name, each in ends.items() if is_listed(each)]
    lines = (
        [*lists, f"a = np.concatenate(({joined}), {at})"]
        if joined != "a"
        else []
        if times
        else ["a = a[:]"]  # NumPy returns the array itself, Numba a copy
    )
    lines += [f"a = a{later} {differ} a{earlier}"] * times
    return "\n".join([*lines, "return a"])


def _end(name: str, given, a, axis: int) -> str:
    """The array that goes before or behind the values of a difference; empty if there is none."""
    if is_none(given):
        return ""
    if (is_array(given) and given.ndim == a.ndim) or (is_listed(given) and a.ndim == 1):
        return name
    if not isinstance(given, types.Number):
        raise refused(
            f"`{name}=` of `np.diff` is neither a number nor an array of as many axes", "give one of them."
        )
    shape = ", ".join("1" if each == axis else f"a.shape[{each}]" for each in range(a.ndim))
    kind = np.result_type(as_dtype(a.dtype), as_dtype(types.unliteral(given)))
    return f"np.full(({shape},), {dtype_text(kind)}({name}))"


@stands_for(np.unwrap, first=True)
def unwrap(p, discont=None, axis=-1, period=6.283185307179586):
    """Jumps by periods taken out along an axis; Numba has that along the last."""
    if not is_array(p) or isinstance(axis, int):
        return None
    at = single_axis("np.unwrap", axis, p.ndim)
    if p.dtype != types.float64:
        raise refused(
            "`np.unwrap` along an axis is supported in double precision",
            "write np.unwrap(p.astype(np.float64), axis=0).",
        )
    given = "" if is_none(discont) else ", discont=discont"
    given += "" if isinstance(period, float | types.Omitted) else ", period=period"
    return along(f"np.unwrap({{}}{given})", "p", at, p.ndim, dtype=np.float64)


@stands_for(np.nancumsum)
def nancumsum(a, axis=None, dtype=None, out=None):
    """Running sums of numbers along an axis; Numba has those of flattened arrays."""
    return _scan_of_numbers("np.cumsum", a, axis, dtype, out)


@stands_for(np.nancumprod)
def nancumprod(a, axis=None, dtype=None, out=None):
    """Running products of numbers along an axis; Numba has those of flattened arrays."""
    return _scan_of_numbers("np.cumprod", a, axis, dtype, out)


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
    listed = named if isinstance(named, tuple) else (axis,)
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
            f"{k} = {amount} % max(n, 1)",
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


def _scan(name: str, a, axis, dtype, out) -> str | None:
    if not is_array(a) or is_left_out(axis, dtype, out):
        return None
    reject(name, out=out)
    head, a = converted(name, a, dtype)
    if is_none(axis):
        return f"{head}return {name}(a)"
    at = single_axis(name, axis, a.ndim)
    return head + along(f"{name}({{}})", "a", at, a.ndim, dtype=accumulated(a))


def _scan_of_numbers(name: str, a, axis, dtype, out) -> str | None:
    if not is_array(a) or is_left_out(axis, dtype, out):
        return None
    neutral = number_text(0 if name == "np.cumsum" else 1, as_dtype(a.dtype))
    whole = isinstance(a.dtype, types.Integer | types.Boolean)
    return ("" if whole else f"a = np.where(np.isnan(a), {neutral}, a)\n") + (
        _scan(name, a, axis, dtype, out) or ""
    )


def _sliced(axis: int, part: str) -> str:
    """The subscript that takes a part along one axis, and all along those before it."""
    return f"[{', '.join([':'] * axis + [part])}]"
