"""Evenly spaced numbers with all of NumPy's options, and windows that slide over arrays."""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import flag, is_array, is_none, literal, refused, single_axis
from backsweep.runtime.overloads.texts import INDICES, dtype_text, indented_loops, stands_for
from backsweep.runtime.support.marks import seen_as_view


@stands_for(np.linspace)
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """Numbers at even distances between two ends; Numba has those of two numbers, with both ends."""
    ends = (start, stop)
    if not all(is_array(each) or isinstance(each, types.Number | types.Boolean) for each in ends):
        return None
    ranks = [each.ndim if is_array(each) else 0 for each in ends]
    with_end, with_step = flag("endpoint", endpoint), flag("retstep", retstep)
    if not any(ranks) and with_end and not with_step and is_none(dtype):
        return None
    _doubles_only("np.linspace", dtype)
    at, most = single_axis("np.linspace", axis, max(ranks) + 1), max(ranks)
    behind = most - at
    first, last = (
        f"np.expand_dims({name}, {rank - behind})" if rank > behind and rank else name
        for name, rank in zip(("start", "stop"), ranks, strict=True)
    )
    places = ", ".join(":" if axis == at else "np.newaxis" for axis in range(most + 1))
    numbers = f"np.arange(num)[{places}]" if most else "np.arange(num)"
    lines = [
        "if num < 0:",
        '    raise ValueError("Number of samples must be non-negative.")',
        f"parts = {'num - 1' if with_end else 'num'}",
        f"y = {first} + {numbers} * (({last} - {first}) / max(parts, 1))",
    ]
    if with_end:
        lines += ["if num > 1:", f"    y[{', '.join([':'] * at + ['-1'])}] = stop"]
    kind = np.result_type(*(as_dtype(getattr(each, "dtype", each)) for each in ends))
    single = most and kind in (np.float32, np.complex64)
    result = f"y.astype({dtype_text(kind)})" if single else "y"
    if with_step:
        result += ", (stop - start) * (1.0 / parts if parts > 0 else np.nan)"
    return "\n".join([*lines, f"return {result}"])


@stands_for(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Powers of a base with evenly spaced exponents; Numba has those of 10 with both ends, and of a given base."""
    plain = isinstance(base, float | types.Omitted) and is_none(dtype)
    if plain and not any(map(is_array, (start, stop))) and flag("endpoint", endpoint):
        return None
    _doubles_only("np.logspace", dtype)
    if is_array(base):
        raise refused("`np.logspace` is supported with a number as base", "write b ** np.linspace(x, y, n).")
    options = "" if flag("endpoint", endpoint) else ", endpoint=False"
    options += "" if literal(axis) in (0, None) else f", axis={literal(axis)}"
    return f"return np.power(base * 1.0, np.linspace(start, stop, num{options}))"


@stands_for(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers with one ratio; Numba has those of two numbers, with both ends."""
    ends = (start, stop)
    if not any(map(is_array, ends)) and flag("endpoint", endpoint) and is_none(dtype):
        return None
    _doubles_only("np.geomspace", dtype)
    if not all(isinstance(each, types.Float | types.Integer) for each in ends):
        raise refused("`np.geomspace` is supported for two real numbers", "write np.exp(np.linspace(...)).")
    return """
if start * stop <= 0.0:
    raise ValueError("Geometric sequence cannot include zero, or numbers of both signs")
sign = 1.0 if start > 0.0 else -1.0
y = sign * 10.0 ** np.linspace(np.log10(sign * start), np.log10(sign * stop), num, endpoint=endpoint)
if num > 0:
    y[0] = start
""" + ("if num > 1:\n    y[-1] = stop\nreturn y" if flag("endpoint", endpoint) else "return y")


def _doubles_only(function: str, dtype) -> None:
    """Refuse to give other numbers than doubles."""
    if not is_none(dtype) and getattr(dtype, "dtype", None) != types.float64:
        raise refused(f"`{function}` is supported without `dtype=`", "convert the result: .astype(...).")


@stands_for(np.lib.stride_tricks.sliding_window_view, first=True, seen_as_view=seen_as_view)
def sliding_window_view(x, window_shape, axis=None, subok=False, writeable=False):
    """All windows of a shape, as the last axes of a view that is read only."""
    if not is_array(x):
        return None
    if literal(writeable):
        raise refused("`sliding_window_view` gives windows that are read only", "leave `writeable=` out.")
    several = isinstance(window_shape, types.BaseTuple)
    count = len(window_shape) if several else 1
    named = literal(axis)
    if is_none(axis):
        axes = list(range(x.ndim))
    elif named is None:
        raise refused(
            "the axes of `sliding_window_view` are known only when the program runs", "write them: axis=0."
        )
    else:
        listed = named if isinstance(named, tuple) else (named,)
        axes = [single_axis("np.lib.stride_tricks.sliding_window_view", each, x.ndim) for each in listed]
    if len(axes) != count:
        raise refused(
            f"`sliding_window_view` has {count} extents of windows for {len(axes)} axes",
            "give one for each axis.",
        )
    if len(set(axes)) != len(axes):
        raise refused("`sliding_window_view` is supported for axes that differ", "name each axis once.")
    wide = [f"window_shape[{k}]" if several else "window_shape" for k in range(count)]
    lines = []
    for axis_, width in zip(axes, wide, strict=True):
        lines += [
            f"if {width} < 0:",
            '    raise ValueError("`window_shape` cannot contain negative values")',
            f"if {width} > x.shape[{axis_}]:",
            '    raise ValueError("window shape cannot be larger than input array shape")',
        ]
    outer = [
        f"x.shape[{k}] - {wide[axes.index(k)]} + 1" if k in axes else f"x.shape[{k}]" for k in range(x.ndim)
    ]
    places, starts = [":"] * x.ndim, INDICES[:count]
    for number, axis_ in enumerate(axes):
        places[axis_] = f"{starts[number]} : {starts[number]} + x.shape[{axis_}] - {wide[number]} + 1"
    lines.append(f"y = np.empty(({', '.join([*outer, *wide])},), {dtype_text(as_dtype(x.dtype))})")
    target = f"y[{', '.join([':'] * x.ndim + list(starts))}]"
    bounds = dict(zip(starts, wide, strict=True))
    lines += indented_loops(bounds, f"{target} = x[{', '.join(places)}]")
    return "\n".join([*lines, "return seen_as_view(y, x)"])
