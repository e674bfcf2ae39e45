"""Entries that a call chooses: diagonals, entries where a condition holds, entries of one of several arrays."""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

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
from backsweep.runtime.overloads.texts import INDICES, dtype_text, indented_loops, stands_for
from backsweep.runtime.support.marks import seen_as_view


@stands_for(np.diagonal, seen_as_view=seen_as_view)
def diagonal(a, offset=0, axis1=0, axis2=1):
    """The entries of two axes whose subscripts differ by an offset, as the last axis of a view that is read only."""
    if not is_array(a) or a.ndim < 2:
        return None
    first, second = _two_axes("np.diagonal", axis1, axis2, a.ndim)
    if a.ndim == 2:
        return f"return np.diag(a, {'' if first < second else '-'}offset)"
    rest = [axis for axis in range(a.ndim) if axis not in (first, second)]
    place = [":"] * a.ndim
    place[first], place[second] = "i + below", "i + above"
    shape = ", ".join([*(f"a.shape[{axis}]" for axis in rest), "max(n, 0)"])
    return f"""
above, below = max(offset, 0), max(-offset, 0)
n = min(a.shape[{first}] - below, a.shape[{second}] - above)
y = np.empty(({shape}), {dtype_text(as_dtype(a.dtype))})
for i in range(n):
    y[{", ".join([":"] * len(rest))}, i] = a[{", ".join(place)}]
return seen_as_view(y, a)
"""


@stands_for(np.trace)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Sums of diagonals; Numba has that of matrices."""
    if (
        not is_array(a)
        or a.ndim < 2
        or (a.ndim == 2 and is_left_out(dtype, out) and axis1 == 0 and axis2 == 1)
    ):
        return None
    reject("np.trace", dtype=dtype, out=out)
    first, second = _two_axes("np.trace", axis1, axis2, a.ndim)
    rows = f"np.diagonal(a, offset, {first}, {second})"
    return f"return np.sum({rows})" if a.ndim == 2 else f"return np.sum({rows}, {a.ndim - 2})"


def _two_axes(function: str, axis1, axis2, ndim: int) -> tuple[int, int]:
    """The two axes of a diagonal, counted from the front."""
    first, second = (single_axis(function, axis, ndim) for axis in (axis1, axis2))
    if first == second:
        raise refused(f"`{function}` is given the same axis twice", "name two axes: axis1=0, axis2=1.")
    return first, second


@stands_for(np.compress)
def compress(condition, a, axis=None, out=None):
    """The parts of an array along an axis where a condition holds."""
    if not is_array(a):
        return None
    reject("np.compress", out=out)
    if not isinstance(condition, types.BaseTuple) and not (is_array(condition) and condition.ndim == 1):
        raise refused("the condition of `np.compress` is no vector", "flatten it, or write a[condition].")
    given = "np.array(condition)" if isinstance(condition, types.BaseTuple) else "condition"
    at = f"at = np.nonzero({given})[0]"
    if is_none(axis):
        return f"{at}\nreturn np.ravel(a)[at]"
    place = ", ".join([":"] * axes_of("np.compress", axis, a.ndim)[0] + ["at"])
    return f"{at}\nreturn a[{place}]"


@stands_for(np.choose)
def choose(a, choices, out=None, mode="raise"):
    """Each entry from the array whose number `a` has there."""
    reject("np.choose", out=out)
    kind = literal(mode)
    if kind not in ("raise", "wrap", "clip"):
        raise refused("`mode=` of `np.choose` is 'raise', 'wrap' or 'clip'", "write one of them.")
    if isinstance(a, types.BaseTuple):
        lines = ["k = np.array(a)"]
        rank, dtype = 1, types.unliteral(a[0])
    elif is_array(a) or isinstance(a, types.Integer | types.Boolean):
        lines, rank, dtype = ["k = a"], getattr(a, "ndim", 0), getattr(a, "dtype", a)
    else:
        return None
    if not isinstance(dtype, types.Integer | types.Boolean):
        raise refused("`np.choose` chooses by whole numbers", "convert them: k.astype(np.int64).")
    if isinstance(dtype, types.Boolean):
        lines[0] += ".astype(np.int64)" if rank else " * 1"
    if isinstance(choices, types.BaseTuple):
        lines.append(f"n = {len(choices)}")
    elif is_array(choices):
        lines.append("n = choices.shape[0]")
    else:
        raise refused("`np.choose` is given no arrays to choose from", "write np.choose(k, (a, b)).")
    lines += _in_range(kind, rank)
    if isinstance(choices, types.BaseTuple):
        return "\n".join([*lines, _by_number([f"choices[{k}]" for k in range(len(choices))])])
    return "\n".join([*lines, *_of_rows(choices, rank)])


def _in_range(kind: str, rank: int) -> list[str]:
    """The statements that bring the numbers into range, or check that they are."""
    if kind == "wrap":
        return ["k = k % n"]
    if kind == "clip":
        smaller, larger = ("np.minimum", "np.maximum") if rank else ("min", "max")
        return [f"k = {smaller}({larger}(k, 0), n - 1)"]
    outside = "np.any((k < 0) | (k >= n))" if rank else "k < 0 or k >= n"
    return [f"if {outside}:", '    raise ValueError("invalid entry in choice array")']


def _by_number(parts: list[str]) -> str:
    """The return of the part that the number `k` says, entry by entry."""
    text = parts[-1]
    for number in reversed(range(len(parts) - 1)):
        text = f"np.where(k == {number}, {parts[number]}, {text})"
    return f"return {text}"


def _of_rows(choices, rank: int) -> list[str]:
    """The statements that choose from the first axis of one array."""
    if rank == 0:
        return ["return choices[k]"]
    if choices.ndim not in (1, rank + 1):
        raise refused(
            "`np.choose` chooses from arrays with other axes", "write choices[k] or np.take_along_axis."
        )
    lines = []
    if choices.ndim > 1:
        lines += [
            "if k.shape != choices.shape[1:]:",
            '    raise ValueError("the numbers of np.choose have another shape than the arrays")',
        ]
    lines.append(f"y = np.empty(k.shape, {dtype_text(as_dtype(choices.dtype))})")
    places = ", ".join(INDICES[:rank].replace("k", "h"))
    own = f"k[{places}]" if choices.ndim == 1 else f"k[{places}], {places}"
    bounds = {each: f"k.shape[{axis}]" for axis, each in enumerate(places.split(", "))}
    return [*lines, *indented_loops(bounds, f"y[{places}] = choices[{own}]"), "return y"]


@stands_for(np.select)
def select(condlist, choicelist, default=0):
    """Each entry from the first array whose condition holds; Numba has it where the default is a number."""
    if not (isinstance(condlist, types.BaseTuple) and isinstance(choicelist, types.BaseTuple)):
        return None
    if len(condlist) != len(choicelist) or not len(condlist):
        raise refused(
            f"`np.select` has {len(condlist)} conditions and {len(choicelist)} choices",
            "give it a choice for each condition.",
        )
    alike = all(isinstance(each, types.UniTuple) and is_array(each[0]) for each in (condlist, choicelist))
    if alike and not is_array(default):
        return None
    if not all(isinstance(getattr(each, "dtype", each), types.Boolean) for each in condlist):
        raise refused("the conditions of `np.select` are not all True or False", "compare: x > 0.")
    text = "default"
    for k in reversed(range(len(condlist))):
        text = f"np.where(condlist[{k}], choicelist[{k}], {text})"
    return f"return {text}"
