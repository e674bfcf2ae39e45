"""Sums, means, variances, norms and averages along axes, in terms of `np.sum`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import (
    axes_of,
    flag,
    has_mask,
    is_array,
    is_complex,
    is_left_out,
    is_listed,
    is_none,
    is_single,
    literal,
    refused,
    reject,
    single_axis,
)
from backsweep.runtime.overloads.texts import (
    accumulated,
    converted,
    counted,
    dtype_text,
    from_list,
    given_start,
    masked,
    number_text,
    of_floats,
    reduced,
    stands_for,
    summed,
    widened,
)


@stands_for(np.sum)
def sum_(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """Sums with `keepdims=`, `initial=` or `where=`; Numba has the others."""
    if not is_array(a) or is_left_out(keepdims, initial, where, out):
        return None
    reject("np.sum", out=out)
    axes = axes_of("np.sum", axis, a.ndim)
    head, a = converted("np.sum", a, dtype)
    body = head + (masked(_zero(a)) if has_mask("np.sum", where, a) else "")
    start = given_start("np.sum", initial, accumulated(a))
    value = f"{start} + {summed('a', axes, a.ndim)}" if start else summed("a", axes, a.ndim)
    return body + _returned(value, axes, a.ndim, keepdims)


@stands_for(np.mean)
def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
    """Means along axes; Numba has that of all entries."""
    if not is_array(a) or is_left_out(axis, dtype, out, keepdims, where):
        return None
    reject("np.mean", out=out)
    axes = axes_of("np.mean", axis, a.ndim)
    head, a = converted("np.mean", a, dtype, whole=False)
    if has_mask("np.mean", where, a):
        value = f"{summed('a', axes, a.ndim)} / {_count('n', axes, a)}"
        return head + _counted_mask(axes, a) + _returned(value, axes, a.ndim, keepdims)
    return head + _returned(averaged("a", axes, a), axes, a.ndim, keepdims)


@stands_for(np.var)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None, correction=None):
    """Variances along axes, or with `ddof=`; Numba has that of all entries."""
    if not is_array(a) or is_left_out(axis, dtype, out, ddof, keepdims, where, mean, correction):
        return None
    reject("np.var", out=out)
    axes = axes_of("np.var", axis, a.ndim)
    freedom = _freedom("np.var", ddof, correction)
    distances, variance, a = _variance("np.var", axes, a, freedom, where, mean, dtype)
    return distances + _returned(variance, axes, a.ndim, keepdims)


@stands_for(np.std)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None, correction=None):
    """Standard deviations along axes, or with `ddof=`; Numba has that of all entries."""
    if not is_array(a) or is_left_out(axis, dtype, out, ddof, keepdims, where, mean, correction):
        return None
    reject("np.std", out=out)
    axes = axes_of("np.std", axis, a.ndim)
    freedom = _freedom("np.std", ddof, correction)
    distances, variance, a = _variance("np.std", axes, a, freedom, where, mean, dtype)
    body = f"{distances}v = {variance}\n"
    return body + _returned("np.sqrt(v)", axes, a.ndim, keepdims)


@stands_for(np.nanvar)
def nanvar(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None, correction=None
):
    """Variances of numbers along axes, or with `ddof=`; Numba has that of all entries."""
    if not is_array(a) or is_left_out(axis, dtype, out, ddof, keepdims, where, mean, correction):
        return None
    reject("np.nanvar", out=out, where=where, mean=mean)
    axes = axes_of("np.nanvar", axis, a.ndim)
    head, a = converted("np.nanvar", a, dtype, whole=False)
    body, variance = _variance_of_numbers("np.nanvar", axes, a, _freedom("np.nanvar", ddof, correction))
    return head + body + _returned(variance, axes, a.ndim, keepdims)


@stands_for(np.nanstd, first=True)
def nanstd(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None, correction=None
):
    """Standard deviations of numbers; Numba has that of all entries, as a power, which has no derivative where it is 0."""
    if isinstance(a, types.Array) and not a.ndim and is_left_out(axis, dtype, out, ddof, keepdims, where):
        return "return np.nanvar(a)"  # of one number: 0
    if not is_array(a):
        return None
    reject("np.nanstd", out=out, where=where, mean=mean)
    axes = axes_of("np.nanstd", axis, a.ndim)
    head, a = converted("np.nanstd", a, dtype, whole=False)
    body, variance = _variance_of_numbers("np.nanstd", axes, a, _freedom("np.nanstd", ddof, correction))
    return f"{head}{body}v = {variance}\n" + _returned("np.sqrt(v)", axes, a.ndim, keepdims)


def _variance_of_numbers(function: str, axes: Sequence[int], a, freedom: str) -> tuple[str, str]:
    """The statements for the distances from the mean, and the variance: nan where there are too few numbers."""
    whole = len(axes) == a.ndim
    if isinstance(a.dtype, types.Integer | types.Boolean):
        raise refused(f"`{function}` of whole numbers is that of all of them", "write np.var or np.std.")
    count = "np.count_nonzero(m)" if whole else summed("m.astype(np.float64)", axes, a.ndim)
    center = f"{summed('a', axes, a.ndim)} / {_count('n', axes, a)}"
    center = center if whole else widened(center, axes, a.ndim)
    lines = [
        "m = ~np.isnan(a)",
        f"a = np.where(m, a, {_zero(a)})",
        f"n = {count}",
        f"d = np.where(m, a - {center}, {_zero(a)})",
    ]
    if freedom and whole:
        lines.append(f"n = n - {freedom} if n > {freedom} else np.nan")
    elif freedom:
        lines.append(f"n = np.where(n > {freedom}, n - {freedom}, np.nan)")
    square = summed(_square("d", a), axes, a.ndim)
    return "\n".join([*lines, ""]), f"{square} / {_count('n', axes, a)}"


@of_floats(np.linalg.norm, "x")
def norm(x, ord=None, axis=None, keepdims=False):
    """Norms of the vectors along an axis, and of the matrices in two axes; Numba has those of whole arrays."""
    if not is_array(x) or (is_left_out(axis, keepdims) and x.ndim < 3):
        return None
    if is_none(axis) and not is_none(ord):
        if x.ndim > 2:
            raise refused(
                "`np.linalg.norm` with `ord=` is of vectors and matrices", "name the axes: axis=-1."
            )
        axis = 0 if x.ndim == 1 else (0, 1)
    axes, order = axes_of("np.linalg.norm", axis, x.ndim), None if is_none(ord) else literal(ord)
    of_vectors = len(axes) == 1 and not is_none(axis)
    if is_none(ord) or (of_vectors and order == 2) or (len(axes) == 2 and order == "fro"):
        body = f"v = {summed(_square('x', x), axes, x.ndim)}\n"
        return body + _returned("np.sqrt(v)", axes, x.ndim, keepdims)
    if of_vectors and order == 1:
        return _returned(summed("np.abs(x)", axes, x.ndim), axes, x.ndim, keepdims)
    if of_vectors and isinstance(ord, types.Integer | types.Float):
        return _norm_by_number(axes, x, flag("keepdims", keepdims), order)
    if len(axes) == 2 and (order in ("nuc", 1, -1, 2, -2) or isinstance(ord, types.Float)):
        return _norm_of_matrices(literal(axis), axes, x, keepdims, order)
    raise refused(
        f"`np.linalg.norm` is not supported with this `ord` along {len(axes)} axes",
        "along one axis write a number or np.inf as ord; along two 'fro', 'nuc', 1, 2 or np.inf.",
    )


def _norm_by_number(axes: Sequence[int], x, keepdims: bool, order) -> str:
    """The norm along one axis whose order only the run knows, as it does np.inf."""
    power = "np.float32(ord)" if is_single(x) else "ord"
    one = "np.float32(1.0)" if is_single(x) else "1.0"
    kind = np.float32 if is_single(x) else np.float64
    count = f"np.where(x != 0.0, {one}, {number_text(0, kind)})"
    count = _returned(summed(count, axes, x.ndim), axes, x.ndim, keepdims)
    if order == 0:
        return count
    bodies = {
        "if ord == np.inf:": reduced(
            "np.max(np.abs({}))", "x", axes, x.ndim, keepdims=keepdims, dtype=kind, start=number_text(0, kind)
        ),
        "if ord == -np.inf:": reduced("np.min(np.abs({}))", "x", axes, x.ndim, keepdims=keepdims, dtype=kind),
        "if ord == 0:": count,
    }
    lines = (
        [f"{head}\n{textwrap.indent(body, '    ')}" for head, body in bodies.items()] if order is None else []
    )
    value = f"{summed(f'np.abs(x) ** {power}', axes, x.ndim)} ** ({one} / {power})"
    return "\n".join([*lines, _returned(value, axes, x.ndim, keepdims)])


def _norm_of_matrices(named, axes: Sequence[int], x, keepdims, order) -> str:
    """The norm of the matrices in two axes, by the sums of their rows or columns, or by their singular values."""
    rows, columns = (range(x.ndim)[each] for each in named)
    kind = np.float32 if is_single(x) else np.float64
    if order in ("nuc", 2, -2):
        of = {"nuc": "np.sum({})", 2: "np.max({})", -2: "np.min({})"}[order]
        value = of.format("np.linalg.svd(np.ascontiguousarray({}), False)[1]")
        return reduced(value, "x", axes, x.ndim, keepdims=flag("keepdims", keepdims), dtype=kind)

    def by_sums(extreme: str, over: int, then: int) -> str:
        sums = f"np.sum(np.abs(x), {over})"
        whole = x.ndim == 2
        value = f"{extreme}({sums})" if whole else f"{extreme}({sums}, {then - (over < then)})"
        return _returned(value, axes, x.ndim, keepdims)

    if order is not None:
        return by_sums("np.max" if order == 1 else "np.min", rows, columns)
    bodies = {
        "if ord == np.inf:": by_sums("np.max", columns, rows),
        "if ord == -np.inf:": by_sums("np.min", columns, rows),
        "if ord == 1.0:": by_sums("np.max", rows, columns),
        "if ord == -1.0:": by_sums("np.min", rows, columns),
    }
    lines = [f"{head}\n{textwrap.indent(body, '    ')}" for head, body in bodies.items()]
    return "\n".join([*lines, 'raise ValueError("Invalid norm order for matrices.")'])


@stands_for(np.average, first=True)
def average(a, axis=None, weights=None, returned=False, keepdims=False):
    """Averages along an axis, with weights or without; Numba has those of all entries, and takes weights of other shapes."""
    listed = is_listed(weights)
    if not is_array(a) or (is_left_out(axis, returned, keepdims) and is_none(weights)):
        return None
    axes = axes_of("np.average", axis, a.ndim)
    head = from_list("weights", weights) if listed else ""
    if is_none(weights):
        value, total = averaged("a", axes, a), counted("a", axes, a.ndim)
    elif not is_array(weights) and not listed:
        raise refused("the weights of `np.average` are no array", "give np.asarray(weights).")
    elif not listed and weights.ndim == a.ndim:
        head = f"if weights.shape != a.shape:\n    raise {_unlike(axis)}\n"
        total, weighted = summed("weights", axes, a.ndim), "a * weights"
    elif listed or weights.ndim == 1:
        along = 0 if a.ndim == 1 and is_none(axis) else single_axis("np.average", axis, a.ndim)
        others = [each for each in range(a.ndim) if each != along]
        head += f"if weights.size != a.shape[{along}]:\n    raise {_unlike(axis)}\n"
        total, weighted = "np.sum(weights)", f"a * {widened('weights', others, -1)}"
    elif isinstance(named := literal(axis), tuple) and weights.ndim == len(axes):
        own = [range(a.ndim)[each] for each in named]
        extents = ", ".join(f"a.shape[{each}]" for each in own)
        head = f"if weights.shape != ({extents},):\n    raise {_unlike(axis)}\n"
        turned = f"np.transpose(weights, {tuple(own.index(each) for each in axes)})"
        total = "np.sum(weights)"
        weighted = f"a * {widened(turned, [each for each in range(a.ndim) if each not in axes], -1)}"
    else:
        raise refused(
            "the weights of `np.average` have neither the axes that it goes along nor those of the array",
            "broadcast them first, as in np.broadcast_to(weights, a.shape).",
        )
    if not is_none(weights):
        is_one = total == "np.sum(weights)" or len(axes) == a.ndim
        zero = "scale == 0.0" if is_one else "np.any(scale == 0.0)"
        head += f"scale = {total}\nif {zero}:\n    raise ZeroDivisionError({_NO_SCALE!r})\n"
        value, total = f"{summed(weighted, axes, a.ndim)} / scale", "scale"
    if not flag("returned", returned):
        return head + _returned(value, axes, a.ndim, keepdims)
    if len(axes) < a.ndim and (is_none(weights) or is_one):
        total = f"np.full(y.shape, {total}, {dtype_text(np.float64)})"
    total = widened(total, axes, a.ndim) if flag("keepdims", keepdims) and "y.shape" not in total else total
    value = widened(value, axes, a.ndim) if flag("keepdims", keepdims) else value
    return f"{head}y = {value}\nreturn y, {total if len(axes) < a.ndim else f'1.0 * {total}'}"


_NO_SCALE = "Weights sum to zero, can't be normalized"


def _unlike(axis) -> str:
    """The error for weights of another shape than the array's, as NumPy raises it."""
    if is_none(axis):
        return "TypeError('Axis must be specified when shapes of a and weights differ.')"
    return "ValueError('Shape of weights must be consistent with shape of a along specified axis.')"


def averaged(text: str, axes: Sequence[int], a) -> str:
    """The mean over axes, of numbers of the type of `a`."""
    if len(axes) == a.ndim:
        return f"np.mean({text})"
    return f"{summed(text, axes, a.ndim)} / {_count(counted('a', axes, a.ndim), axes, a)}"


def _freedom(function: str, ddof, correction) -> str:
    """The name of the argument that is taken from the count of entries; empty if there is none."""
    if is_none(correction):
        return "" if is_left_out(ddof) else "ddof"
    if not is_left_out(ddof):
        raise refused(f"`{function}` is given both `ddof=` and `correction=`", "give one of them.")
    return "correction"


def _variance(
    function: str, axes: Sequence[int], a, freedom: str, where, mean, dtype
) -> tuple[str, str, Any]:
    """The statements for the distances from the mean, the variance in terms of them, and the type of its numbers as that of an array.

    A dtype that holds less than the numbers do is for sums alone, as in NumPy.
    """
    statement, kind = converted(function, a, dtype, whole=False)
    if is_complex(kind) and not is_complex(a):
        raise refused(f"`{function}` of real numbers has no complex dtype", "leave `dtype=` out.")
    narrow = np.result_type(as_dtype(a.dtype), as_dtype(kind.dtype)) != as_dtype(kind.dtype)
    head, a, cast = (
        ("", a, f".astype({dtype_text(as_dtype(kind.dtype))})") if narrow else (statement, kind, "")
    )
    selects, whole = has_mask(function, where, a), len(axes) == a.ndim
    if is_array(mean) and mean.ndim != a.ndim:
        raise refused(f"the mean of `{function}` has other axes than the array", "keep them: keepdims=True.")
    count = "n" if selects else counted("a", axes, a.ndim)
    if not is_none(mean):
        center = "mean"
    else:
        total = summed(f"a{cast}", axes, a.ndim)
        center = f"{total} / {_count('n', axes, kind)}" if selects else averaged(f"a{cast}", axes, kind)
        center = center if whole else widened(center, axes, a.ndim)
    if freedom and selects and not whole:
        count = f"np.maximum({count} - {freedom}, 0.0)"
    elif freedom:
        count = f"max({count} - {freedom}, 0)"
    head += _counted_mask(axes, a) if selects else ""
    distances = f"np.where(m, a - {center}, {_zero(a)})" if selects else f"a - {center}"
    square = f"({_square('d', a)}){cast}" if cast else _square("d", a)
    return f"{head}d = {distances}\n", f"{summed(square, axes, a.ndim)} / {_count(count, axes, kind)}", kind


def _counted_mask(axes: Sequence[int], a) -> str:
    """The statements that put zeros where a mask `m` does, and count what it selects."""
    count = "np.count_nonzero(m)" if len(axes) == a.ndim else summed("m.astype(np.float64)", axes, a.ndim)
    return f"{masked(_zero(a))}n = {count}\n"


def _zero(a) -> str:
    """Zero of the type of the numbers of `a`."""
    return number_text(0, as_dtype(a.dtype))


def _count(count: str, axes: Sequence[int], a) -> str:
    """A count to divide by, which leaves single precision as it is; with the mask, one for each result."""
    of_each = len(axes) < a.ndim and (count == "n" or count.startswith("np.maximum"))
    if is_single(a):
        return f"{count}.astype(np.float32)" if of_each else f"np.float32({count})"
    return f"({count})" if " * " in count and not count.startswith("max") else count


def _square(text: str, a) -> str:
    """The squares of the magnitudes of numbers of the type of `a`."""
    if is_complex(a):
        return f"np.real({text}) * np.real({text}) + np.imag({text}) * np.imag({text})"
    return f"{text} * {text}"


def _returned(value: str, axes: Sequence[int], ndim: int, keepdims) -> str:
    """The return of a reduced array, with axes of length 1 where the call asks for them."""
    return f"return {widened(value, axes, ndim) if flag('keepdims', keepdims) else value}"
