"""Entries put in place: at positions, where a mask holds, along an axis, and by other arrays."""

from __future__ import annotations

import numpy as np
from numba.core import types

from backsweep.runtime.overloads.forms import is_array, is_none, literal, refused, single_axis
from backsweep.runtime.overloads.texts import INDICES, indented_loops, stands_for

WRAPPED = {
    "raise": [
        "if p < -a.size or p >= a.size:",
        '    raise IndexError("index is out of bounds for the array")',
        "p = p % a.size",
    ],
    "wrap": ["p = p % a.size"],
    "clip": ["p = min(max(p, 0), a.size - 1)"],
}
"""What brings the position `p` into the array `a`, by the mode."""


@stands_for(np.put, alone=True)
def put(a, ind, v, mode="raise"):
    """Values at positions in the flattened array; fewer values are repeated."""
    kind = "raise" if isinstance(mode, str) else literal(mode)
    if kind not in WRAPPED:
        raise refused("`mode=` of `np.put` is 'raise', 'wrap' or 'clip'", "write one of them.")
    if not is_array(a):
        raise refused("`np.put` writes into no array", "make an array first.")
    whole = types.unliteral(ind)
    if not (
        isinstance(whole, types.Integer)
        or _is_whole(ind)
        or (isinstance(ind, types.BaseTuple) and _is_list(ind))
    ):
        raise refused("the positions of `np.put` are no whole numbers", "convert them: ind.astype(np.int64).")
    number = _is_number(v)
    if not number and not is_array(v) and not _is_list(v):
        raise refused("the values of `np.put` are neither a number nor an array", "make an array of them.")
    single = isinstance(whole, types.Integer)
    lines = (
        []
        if single
        else [f"places = {'np.array(ind)' if isinstance(ind, types.BaseTuple) else 'ind.flatten()'}"]
    )
    if not number:
        lines.append(f"values = {'v.flatten()' if is_array(v) else 'np.array(v)'}")
    inner = ["p = ind" if single else "p = places[h]", *WRAPPED[kind], *_subscripts(a.ndim)]
    place = ", ".join(INDICES[: a.ndim])
    taken = "v" if number else f"values[{'0' if single else 'h % values.size'}]"
    inner.append(f"a[{place}] = {taken}")
    if single:
        return "\n".join([*lines, *_if_any(number, inner)])
    lines += _if_any(number, ["for h in range(places.size):", *(f"    {line}" for line in inner)])
    return "\n".join(lines)


def _if_any(number: bool, lines: list[str]) -> list[str]:
    """The statements where there are values; NumPy does nothing where there are none."""
    return lines if number else ["if values.size > 0:", *(f"    {line}" for line in lines)]


def _subscripts(ndim: int) -> list[str]:
    """The statements that take a position `p` apart to subscripts by axis."""
    if ndim == 1:
        return [f"{INDICES[0]} = p"]
    lines = []
    for axis in reversed(range(1, ndim)):
        lines += [f"{INDICES[axis]} = p % a.shape[{axis}]", f"p = p // a.shape[{axis}]"]
    return [*lines, f"{INDICES[0]} = p"]


def _is_whole(given) -> bool:
    """Whether it is an array of whole numbers."""
    return is_array(given) and isinstance(given.dtype, types.Integer)


def _is_number(given) -> bool:
    """Whether it is one number."""
    return isinstance(types.unliteral(given), types.Number | types.Boolean)


def _is_list(given) -> bool:
    """Whether it is a tuple of numbers or of truths, as a list display is one."""
    return isinstance(given, types.BaseTuple) and bool(len(given)) and all(_is_number(each) for each in given)


def _mask(function: str, mask, a) -> None:
    """Refuse what is no mask of an array."""
    if not is_array(a):
        raise refused(f"`{function}` writes into no array", "make an array first.")
    if not is_array(mask) or not isinstance(mask.dtype, types.Boolean) or mask.ndim != a.ndim:
        raise refused(
            f"the mask of `{function}` is no array of truths of the same shape", "compare first: x > 0.0."
        )


@stands_for(np.putmask, alone=True)
def putmask(a, mask, values):
    """Where a mask holds, the values at the same position; fewer values are repeated."""
    _mask("np.putmask", mask, a)
    if _is_number(values):
        return _where_it_holds("np.putmask", a, ["    a[{place}] = values"], "")
    if not is_array(values) and not _is_list(values):
        raise refused(
            "the values of `np.putmask` are neither a number nor an array", "make an array of them."
        )
    made = "values.flatten()" if is_array(values) else "np.array(values)"
    return _where_it_holds(
        "np.putmask", a, ["    a[{place}] = taken[{position} % taken.size]"], f"taken = {made}\n"
    )


@stands_for(np.place, alone=True)
def place(arr, mask, vals):
    """Where a mask holds, one value after the other; fewer values are repeated."""
    _mask("np.place", mask, arr)
    if not is_array(vals) and not _is_list(vals) and not _is_number(vals):
        raise refused("the values of `np.place` are neither a number nor an array", "make an array of them.")
    made = "np.ravel(vals)" if is_array(vals) else "np.array(vals)" if _is_list(vals) else "np.array([vals])"
    head = f"""
a, taken, count = arr, {made}, 0
if taken.size == 0 and np.any(mask):
    raise ValueError("Cannot insert from an empty array!")
"""
    return _where_it_holds(
        "np.place", arr, ["    a[{place}] = taken[count % taken.size]", "    count += 1"], head
    )


def _where_it_holds(function: str, a, statements: list[str], head: str) -> str:
    """Loops over all entries, and statements for those where the mask holds."""
    names = INDICES[: a.ndim]
    place, position = ", ".join(names), names[0]
    array = "arr" if function == "np.place" else "a"
    for axis in range(1, a.ndim):
        position = f"({position} * {array}.shape[{axis}] + {names[axis]})"
    lines = [
        f"if mask.shape != {array}.shape:",
        f'    raise ValueError("the mask and the array of `{function}` have different shapes")',
    ]
    bounds = {name: f"{array}.shape[{axis}]" for axis, name in enumerate(names)}
    loops = indented_loops(bounds, f"if mask[{place}]:")
    indent = "    " * a.ndim
    return head + "\n".join(
        [*lines, *loops, *(indent + each.format(place=place, position=position) for each in statements)]
    )


@stands_for(np.copyto, alone=True)
def copyto(dst, src, casting="same_kind", where=True):
    """The entries of another array, or those where a mask holds."""
    if not is_array(dst):
        raise refused("`np.copyto` writes into no array", "make an array first.")
    if not isinstance(casting, str | types.Omitted) and literal(casting) != "same_kind":
        raise refused("`np.copyto` is supported without `casting=`", "convert first: src.astype(np.float64).")
    if not is_array(src) and not _is_number(src):
        raise refused("`np.copyto` takes no number and no array", "make an array first.")
    given = types.unliteral(getattr(src, "dtype", src))
    narrower = isinstance(dst.dtype, types.Integer | types.Boolean) and isinstance(
        given, types.Float | types.Complex
    )
    if narrower or (isinstance(given, types.Complex) and not isinstance(dst.dtype, types.Complex)):
        raise refused(
            "`np.copyto` converts to no narrower kind of number", "convert first: src.astype(np.int64)."
        )
    whole = ", ".join([":"] * dst.ndim)
    if is_none(where) or where is True or literal(where) is True:
        return f"dst[{whole}] = src"
    kind = where.dtype if is_array(where) else types.unliteral(where)
    if not isinstance(kind, types.Boolean):
        raise refused("the mask of `np.copyto` is no array of truths", "compare first: where=x > 0.0.")
    if not is_array(where):
        return f"if where:\n    dst[{whole}] = src"
    return f"dst[{whole}] = np.where(where, src, dst)"


@stands_for(np.put_along_axis, alone=True)
def put_along_axis(arr, indices, values, axis):
    """Values at positions along an axis, which are given for each line."""
    if not is_array(arr) or not _is_whole(indices):
        raise refused("`np.put_along_axis` takes an array, and an array of positions", "make arrays first.")
    if is_none(axis) and arr.ndim > 1:
        raise refused("`np.put_along_axis` goes along one axis", "name it: axis=0.")
    at = 0 if is_none(axis) else single_axis("np.put_along_axis", axis, arr.ndim)
    if indices.ndim != arr.ndim:
        raise refused("the positions have other axes than the array", "write np.expand_dims(indices, axis).")
    if not _is_number(values) and not (is_array(values) and values.ndim <= arr.ndim):
        raise refused("the values are neither a number nor an array", "make an array of them.")
    names = INDICES[: arr.ndim]
    extents = [f"indices.shape[{k}]" if k == at else f"n{k}" for k in range(arr.ndim)]
    lines = []
    for k in range(arr.ndim):
        if k != at:
            lines += [
                f"n{k} = arr.shape[{k}] if indices.shape[{k}] == 1 else indices.shape[{k}]",
                f"if n{k} != arr.shape[{k}] and arr.shape[{k}] != 1:",
                '    raise ValueError("the positions of `np.put_along_axis` do not broadcast to the array")',
            ]
    taken = "values"
    if is_array(values):
        lines.append(f"taken = np.broadcast_to(values.copy(), ({', '.join(extents)},))")
        taken = f"taken[{', '.join(names)}]"
    own = ", ".join(
        name if k == at else f"min({name}, indices.shape[{k}] - 1)" for k, name in enumerate(names)
    )
    target = ", ".join(
        f"indices[{own}]" if k == at else f"min({name}, arr.shape[{k}] - 1)" for k, name in enumerate(names)
    )
    bounds = dict(zip(names, extents, strict=True))
    return "\n".join([*lines, *indented_loops(bounds, f"arr[{target}] = {taken}")])


@stands_for(np.take, first=True)
def take(a, indices, axis=None, out=None, mode="raise"):
    """Entries at positions that are wrapped round or clipped, or of several axes; Numba has vectors of those inside."""
    kind = "raise" if isinstance(mode, str) else literal(mode)
    several = is_array(indices) and indices.ndim > 1 and not is_none(axis)
    if not is_array(a) or (kind == "raise" and not several):
        return None
    if kind not in WRAPPED:
        raise refused("`mode=` of `np.take` is 'raise', 'wrap' or 'clip'", "write one of them.")
    if not is_none(out):
        raise refused("`np.take` is supported without `out=`", "assign the result.")
    at = None if is_none(axis) else single_axis("np.take", axis, a.ndim)
    extent = "a.size" if at is None else f"a.shape[{at}]"
    given = "np.array(indices)" if isinstance(indices, types.BaseTuple) else "indices"
    single = isinstance(types.unliteral(indices), types.Integer)
    smaller, larger = ("min", "max") if single else ("np.minimum", "np.maximum")
    within = {"wrap": f"{given} % {extent}", "clip": f"{smaller}({larger}({given}, 0), {extent} - 1)"}
    head = f"places = {within.get(kind, given)}\n"
    if not several or at is None:
        return f"{head}return np.take(a, places{'' if at is None else f', {at}'})"
    part = ", ".join([":"] * at + ["np.ravel(places)"])
    shape = [
        *(f"a.shape[{k}]" for k in range(at)),
        *(f"places.shape[{k}]" for k in range(indices.ndim)),
        *(f"a.shape[{k}]" for k in range(at + 1, a.ndim)),
    ]
    return f"{head}return np.reshape(a[{part}], ({', '.join(shape)}))"
