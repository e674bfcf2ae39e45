"""Arrays padded, in all of NumPy's modes."""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import is_array, is_left_out, is_none, literal, refused
from backsweep.runtime.overloads.texts import dtype_text, stands_for

STATISTICS = {"maximum": "np.max", "minimum": "np.min", "mean": "np.mean", "median": "np.median"}
"""What is computed of the entries along an axis, by the mode."""
GATHERED = {
    "edge": "np.minimum(np.maximum(np.arange({before}, {n} + {after}), 0), {n} - 1)",
    "wrap": "np.arange({before}, {n} + {after}) % {n}",
    "reflect": "{n} - 1 - np.abs(np.arange({before}, {n} + {after}) % max(2 * {n} - 2, 1) - ({n} - 1))",
    "symmetric": "np.minimum(np.arange({before}, {n} + {after}) % (2 * {n}), 2 * {n} - 1 - np.arange({before}, {n} + {after}) % (2 * {n}))",
}
"""The positions that a padded axis reads, by the mode."""


@stands_for(np.pad)
def pad(
    array, pad_width, mode="constant", constant_values=0, end_values=0, stat_length=None, reflect_type="even"
):
    """Padding by a constant, by the entries at the edge, by the array itself, by ramps, or by what an axis holds."""
    if not is_array(array):
        return None
    kind, ndim = literal(mode), array.ndim
    widths = _widths(pad_width, ndim)
    _only_with(kind, end_values, stat_length, reflect_type)
    if kind in STATISTICS or kind == "linear_ramp" or literal(reflect_type) == "odd":
        return _by_axes(array, kind, widths, end_values, stat_length)
    if kind == "empty":
        return _between(array, widths)
    if kind in GATHERED:
        lines, source = [], "array"
        for axis, (before, after) in enumerate(widths):
            places = GATHERED[kind].format(before=f"-{before}", after=after, n=f"array.shape[{axis}]")
            lines.append(f"at{axis} = {places}")
            source = f"{source}[{', '.join([':'] * axis + [f'at{axis}'])}]"
        return "\n".join([*lines, f"return {source}"])
    if kind != "constant":
        raise refused(
            "the mode of `np.pad` is none of NumPy's, or is known only when the program runs",
            "write one: " + ", ".join(("constant", "empty", "linear_ramp", *STATISTICS, *GATHERED)) + ".",
        )
    several = isinstance(constant_values, types.BaseTuple)
    if not several and not isinstance(constant_values, types.Number | types.Boolean | int | types.Omitted):
        raise refused("the constants of `np.pad` are no numbers", "write a number, or a pair for each axis.")
    extents, kind = _extents(widths), dtype_text(as_dtype(array.dtype))
    inside = [f"{before} : {before} + array.shape[{k}]" for k, (before, _) in enumerate(widths)]
    fresh = f"np.zeros({extents}, {kind})"
    if not is_left_out(constant_values):
        fresh = f"np.full({extents}, constant_values, {kind})"
    if several:
        return _sides(widths, _widths(constant_values, ndim, "constant_values"), extents, kind, inside)
    return f"y = {fresh}\ny[{', '.join(inside)}] = array\nreturn y"


def _sides(
    widths: list[tuple[str, str]], values: list[tuple[str, str]], extents: str, kind: str, inside: list[str]
) -> str:
    """Padding by a constant for each side; the last axis has the corners, as in NumPy."""
    lines = [f"y = np.empty({extents}, {kind})", f"y[{', '.join(inside)}] = array"]
    for axis, ((before, _), (first, last)) in enumerate(zip(widths, values, strict=True)):
        ahead = "".join([":, "] * axis)
        lines.append(f"y[{ahead}: {before}] = {first}")
        lines.append(f"y[{ahead}{before} + array.shape[{axis}] :] = {last}")
    return "\n".join([*lines, "return y"])


def _widths(given, ndim: int, name: str = "pad_width") -> list[tuple[str, str]]:
    """What belongs before and after each axis, as text: how much is added, or the constants."""
    numbers = types.Integer if name in ("pad_width", "stat_length") else types.Number
    if isinstance(types.unliteral(given), numbers) or isinstance(given, int):
        return [(name, name)] * ndim
    if isinstance(given, types.BaseTuple):
        items = list(given)
        if all(isinstance(item, numbers) for item in items) and len(items) in (1, 2):
            return [(f"{name}[0]", f"{name}[{len(items) - 1}]")] * ndim
        if all(isinstance(item, types.BaseTuple) and len(item) in (1, 2) for item in items) and len(
            items
        ) in (1, ndim):
            places = list(enumerate(items)) if len(items) == ndim else [(0, items[0])] * ndim
            return [(f"{name}[{k}][0]", f"{name}[{k}][{len(item) - 1}]") for k, item in places]
    raise refused(
        f"`{name}` of `np.pad` is no number, no pair, and no pair for each axis",
        "write them as in np.pad(x, ((1, 1), (0, 2))).",
    )


def _extents(widths: list[tuple[str, str]]) -> str:
    """The shape of the result."""
    return f"({', '.join(f'{b} + array.shape[{k}] + {a}' for k, (b, a) in enumerate(widths))},)"


def _between(array, widths: list[tuple[str, str]]) -> str:
    """The array between entries that hold anything, as NumPy says."""
    inside = ", ".join(f"{before} : {before} + array.shape[{k}]" for k, (before, _) in enumerate(widths))
    return f"y = np.empty({_extents(widths)}, {dtype_text(as_dtype(array.dtype))})\ny[{inside}] = array\nreturn y"


def _only_with(kind, end_values, stat_length, reflect_type) -> None:
    """Refuse options of other modes, as NumPy does."""
    ramp = is_left_out(end_values) or kind == "linear_ramp"
    odd = literal(reflect_type) == "even" or (
        literal(reflect_type) == "odd" and kind in ("reflect", "symmetric")
    )
    if not ramp or not (is_none(stat_length) or kind in STATISTICS) or not odd:
        raise refused(
            f"`np.pad` has options that its mode {kind!r} does not take",
            "write end_values= for linear_ramp, stat_length= for mean, reflect_type='odd' for reflect.",
        )


def _by_axes(array, kind, widths: list[tuple[str, str]], end_values, stat_length) -> str:
    """Padding along one axis after the other; what is padded along one is padded along the next, too."""
    exact = isinstance(array.dtype, types.Float | types.Complex)
    rounded = kind in ("mean", "median", "linear_ramp") or isinstance(array.dtype, types.Boolean)
    if not exact and rounded:
        raise refused(f"`np.pad` by {kind} is supported for floats", "convert them: x.astype(np.float64).")
    ndim, lines, source = array.ndim, [], "array"
    ends = [("0.0", "0.0")] * ndim if is_left_out(end_values) else _widths(end_values, ndim, "end_values")
    lengths = None if is_none(stat_length) else _widths(stat_length, ndim, "stat_length")
    for axis, (before, after) in enumerate(widths):
        ahead = "".join([":, "] * axis)
        shape = [f"{source}.shape[{k}]" for k in range(ndim)]
        shape[axis] = f"{before} + n + {after}"
        lines += [
            f"n, last = {source}.shape[{axis}], {before} + {source}.shape[{axis}] + {after} - 1",
            f"y{axis} = np.empty(({', '.join(shape)},), {dtype_text(as_dtype(array.dtype))})",
            f"y{axis}[{ahead}{before} : {before} + n] = {source}",
        ]
        if kind == "linear_ramp":
            for width, end, place, edge in zip(
                (before, after), ends[axis], ("k", "last - k"), ("0", "n - 1"), strict=True
            ):
                at = f"{source}[{ahead}{edge}]"
                lines.append(f"for k in range({width}):")
                lines.append(f"    y{axis}[{ahead}{place}] = {end} + ({at} - {end}) * (k / {width})")
        elif kind in STATISTICS:
            parts = ["", ""]
            if lengths is not None:
                parts = [f"[{ahead}: {lengths[axis][0]}]", f"[{ahead}max(n - {lengths[axis][1]}, 0) :]"]
            along = f", {axis}" if ndim > 1 else ""
            for width, part, place, name in zip(
                (before, after), parts, ("k", "last - k"), ("first", "second"), strict=True
            ):
                value = f"{STATISTICS[kind]}({source}{part}{along})"
                lines.append(f"{name} = {value if part or name == 'first' else 'first'}")
                lines += [f"for k in range({width}):", f"    y{axis}[{ahead}{place}] = {name}"]
        else:
            lines += _reflected(axis, ahead, (before, after), 1 if kind == "reflect" else 0)
        source = f"y{axis}"
    return "\n".join([*lines, f"return {source}"])


def _reflected(axis: int, ahead: str, widths: tuple[str, str], skipped: int) -> list[str]:
    """The statements that reflect an axis in its ends, in value, too."""
    before, after = widths
    lines = [f"if max({before}, {after}) > n - {skipped}:"]
    lines.append(
        "    raise ValueError(\"np.pad is supported with reflect_type='odd' for a width within the axis\")"
    )
    for width, edge, sign in ((before, before, "-"), (after, f"{before} + n - 1", "+")):
        other = "+" if sign == "-" else "-"
        lines.append(f"for k in range(1, {width} + 1):")
        inner = f"({edge}) {other} k" if skipped else f"({edge}) {other} (k - 1)"
        ends = f"y{axis}[{ahead}{edge}]"
        lines.append(f"    y{axis}[{ahead}({edge}) {sign} k] = 2 * {ends} - y{axis}[{ahead}{inner}]")
    return lines
