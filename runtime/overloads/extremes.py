"""Extrema, products, medians, counts and tests along axes: loops over the parts of an array, each reduced by a function with a rule."""

from __future__ import annotations

from collections.abc import Sequence

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
    dtype_text,
    from_list,
    given_start,
    masked,
    number_text,
    reduced,
    several,
    stands_for,
)


@stands_for(np.max, np.amax)
def max_(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """Largest entries along axes; Numba has that of a whole array."""
    return _extreme("np.max", a, axis, out, keepdims, initial, where)


@stands_for(np.min, np.amin)
def min_(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """Smallest entries along axes; Numba has that of a whole array."""
    return _extreme("np.min", a, axis, out, keepdims, initial, where)


@stands_for(np.prod)
def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """Products along axes; Numba has that of a whole array."""
    if not is_array(a) or is_left_out(axis, dtype, out, keepdims, initial, where):
        return None
    reject("np.prod", out=out)
    head, a = converted("np.prod", a, dtype)
    return head + _product("np.prod", a, axis, keepdims, initial, where)


@stands_for(np.median)
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Medians along axes; Numba has that of a whole array."""
    if not is_array(a) or is_left_out(axis, out, keepdims):
        return None
    reject("np.median", out=out)
    _refuse_complex("np.median", a)
    return _between("np.median({})", axes_of("np.median", axis, a.ndim), a, keepdims)


@stands_for(np.ptp)
def ptp(a, axis=None, out=None, keepdims=False):
    """Ranges along axes; Numba has that of a whole array."""
    if not is_array(a) or is_left_out(axis, out, keepdims):
        return None
    reject("np.ptp", out=out)
    _refuse_complex("np.ptp", a)
    if is_single(a):
        return _between("np.ptp({})", axes_of("np.ptp", axis, a.ndim), a, keepdims)
    return _reduced("np.ptp({})", "np.ptp", a, axis, keepdims, as_dtype(a.dtype))


@stands_for(np.any)
def any_(a, axis=None, out=None, keepdims=False, where=None):
    """Whether some entry is true, along axes; Numba has that of a whole array."""
    return _test("np.any", a, axis, out, keepdims, where)


@stands_for(np.all)
def all_(a, axis=None, out=None, keepdims=False, where=None):
    """Whether all entries are true, along axes; Numba has that of a whole array."""
    return _test("np.all", a, axis, out, keepdims, where)


@stands_for(np.argmax)
def argmax(a, axis=None, out=None, keepdims=False):
    """Where the largest entries are, with `keepdims=`; Numba has the others."""
    return _position("np.argmax", a, axis, out, keepdims)


@stands_for(np.argmin)
def argmin(a, axis=None, out=None, keepdims=False):
    """Where the smallest entries are, with `keepdims=`; Numba has the others."""
    return _position("np.argmin", a, axis, out, keepdims)


@stands_for(np.count_nonzero)
def count_nonzero(a, axis=None, keepdims=False):
    """Counts along axes; Numba has some of them."""
    if not is_array(a) or is_left_out(keepdims):
        return None
    return _reduced("np.count_nonzero({})", "np.count_nonzero", a, axis, keepdims, np.int64)


@stands_for(np.nansum)
def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """Sums of numbers along axes; Numba has that of a whole array."""
    if not is_array(a) or is_left_out(axis, dtype, out, keepdims, initial, where):
        return None
    reject("np.nansum", out=out)
    head, a = converted("np.nansum", a, dtype)
    head += masked(number_text(0, as_dtype(a.dtype))) if has_mask("np.nansum", where, a) else ""
    start = given_start("np.nansum", initial, accumulated(a))
    value = f"{start} + np.nansum({{}})" if start else "np.nansum({})"
    return head + _reduced(value, "np.nansum", a, axis, keepdims, accumulated(a))


@stands_for(np.nanprod)
def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """Products of numbers along axes; Numba has that of a whole array."""
    if not is_array(a) or is_left_out(axis, dtype, out, keepdims, initial, where):
        return None
    reject("np.nanprod", out=out)
    head, a = converted("np.nanprod", a, dtype)
    return head + _product("np.nanprod", a, axis, keepdims, initial, where)


@stands_for(np.nanmean)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
    """Means of numbers along axes; Numba has that of a whole array."""
    if not is_array(a) or is_left_out(axis, dtype, out, keepdims, where):
        return None
    reject("np.nanmean", out=out)
    head, a = converted("np.nanmean", a, dtype, whole=False)
    if has_mask("np.nanmean", where, a):
        head += masked(f"{dtype_text(_divided(a))}(np.nan)")
    if a.dtype == types.float32:
        return head + _between("np.nanmean({})", axes_of("np.nanmean", axis, a.ndim), a, keepdims)
    return head + _reduced("np.nanmean({})", "np.nanmean", a, axis, keepdims, _divided(a))


@stands_for(np.nanmax)
def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """Largest numbers along axes; Numba has that of a whole array."""
    return _extreme("np.nanmax", a, axis, out, keepdims, initial, where)


@stands_for(np.nanmin)
def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """Smallest numbers along axes; Numba has that of a whole array."""
    return _extreme("np.nanmin", a, axis, out, keepdims, initial, where)


@stands_for(np.nanmedian)
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Medians of numbers along axes; Numba has that of a whole array."""
    if not is_array(a) or is_left_out(axis, out, keepdims):
        return None
    reject("np.nanmedian", out=out)
    _refuse_complex("np.nanmedian", a)
    axes = axes_of("np.nanmedian", axis, a.ndim)
    return _between("np.median({0}[~np.isnan({0})])", axes, a, keepdims)


@stands_for(np.quantile)
def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, weights=None):
    """Quantiles along axes, weighted, or by another method; Numba has those of a whole array, linear."""
    return _quantile("np.quantile", a, q, axis, out, method, keepdims, weights)


@stands_for(np.percentile)
def percentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, weights=None
):
    """Percentiles along axes, weighted, or by another method; Numba has those of a whole array, linear."""
    return _quantile("np.percentile", a, q, axis, out, method, keepdims, weights)


@stands_for(np.nanquantile)
def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """Quantiles of numbers along axes; Numba has those of a whole array."""
    return _quantile("np.nanquantile", a, q, axis, out, method, keepdims)


@stands_for(np.nanpercentile)
def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """Percentiles of numbers along axes; Numba has those of a whole array."""
    return _quantile("np.nanpercentile", a, q, axis, out, method, keepdims)


POSITIONS = {
    "lower": "s[int(np.floor(k))]",
    "higher": "s[int(np.ceil(k))]",
    "nearest": "s[int(np.round(k))]",
    "midpoint": "0.5 * (s[int(np.floor(k))] + s[int(np.ceil(k))])",
}
"""The quantile at a place `k` among the sorted entries `s`, by the name of the method."""
BETWEEN = {
    "interpolated_inverted_cdf": ("0.0", "0.0"),
    "hazen": ("0.5", "0.0"),
    "weibull": ("0.0", "1.0"),
    "median_unbiased": ("1.0 / 3.0", "(1.0 / 3.0)"),
    "normal_unbiased": ("0.375", "0.25"),
}
"""What is added to the place of a quantile among `n` entries, n q: a number, and one times `q`, by the name of the method."""


STEP = "inverted_cdf"
"""The method that takes weights: the first entry up to which there is a share `q` of all."""
OUTSIDE = {
    "np.quantile": "Quantiles must be in the range [0, 1]",
    "np.percentile": "Percentiles must be in the range [0, 100]",
}


def _quantile(name: str, a, q, axis, out, method, keepdims, weights=None) -> str | None:
    way = literal(method)
    if not is_array(a) or (is_left_out(axis, out, keepdims, weights) and way == "linear"):
        return None
    reject(name, out=out)
    _refuse_complex(name, a)
    axes, keep = axes_of(name, axis, a.ndim), flag("keepdims", keepdims)
    is_weighted = not is_none(weights)
    if is_weighted:
        _check_weights(name, a, axes, way, weights)
    ways = () if name.startswith("np.nan") else (*POSITIONS, *BETWEEN, STEP)
    form = f'method="{way}"' + (", weights=weights" if is_weighted else "")
    head = from_list("weights", weights) if is_listed(weights) else ""
    is_whole = len(axes) == a.ndim and not keep
    kind = as_dtype(a.dtype) if way == STEP else _divided(a)
    if way in ways and is_whole and (is_listed(q) or (is_array(q) and q.ndim == 1 and way not in POSITIONS)):
        count = f"{len(q)}" if is_listed(q) else "q.size"
        return "\n".join(
            [
                head.strip(),
                from_list("q", q).strip() if is_listed(q) else "",
                f"y = np.empty({count}, {dtype_text(kind)})",
                f"for i in range({count}):",
                f"    y[i] = {name}(a, q[i], {form})",
                "return y",
            ]
        ).strip()
    if way in ways and isinstance(q, types.Number):
        if not is_whole:
            value = f"{name}({{}}, q, {form})"
            return head + reduced(value, "a", axes, a.ndim, keepdims=keep, dtype=kind)
        part = f"q{' / 100.0' if name == 'np.percentile' else ''}"
        if is_weighted:
            return head + _of_weights(name, a, part)
        return _by_method(name, way, a, part)
    several_by_step = way == STEP and ways and (is_listed(q) or (is_array(q) and q.ndim == 1))
    if way != "linear" and not several_by_step:
        raise refused(
            f"`{name}` is not supported by this method, or along axes for several numbers by it",
            "write one of "
            + ", ".join(("linear", *POSITIONS, *BETWEEN, STEP))
            + ", and ask for one number at a time.",
        )
    if isinstance(q, types.Number):
        return _between(f"{name}({{}}, q)", axes, a, keepdims)
    listed = is_listed(q)
    if not (listed or (is_array(q) and q.ndim == 1)):
        raise refused(
            f"`{name}` along an axis is for a number, or a vector of them",
            "ask for one at a time.",
        )
    value = f"{name}({{}}, q{f', {form}' if several_by_step else ''})"
    return (
        head
        + (from_list("q", q) if listed else "")
        + several(
            value, "a", axes, a.ndim, count="q.size", dtype=kind if way == STEP else np.float64, keepdims=keep
        )
    )


def _check_weights(name: str, a, axes: Sequence[int], way, weights) -> None:
    """Refuse weights that this method does not take, or that differ from part to part."""
    if way != STEP:
        raise refused(f"`{name}` takes weights by one method only", f'write method="{STEP}".')
    fits = (is_array(weights) and weights.ndim in (1, a.ndim)) or (is_listed(weights) and a.ndim == 1)
    if not fits or (len(axes) < a.ndim and not (is_array(weights) and weights.ndim == len(axes) == 1)):
        raise refused(
            f"the weights of `{name}` are no array of the shape of the values, or no vector along one axis",
            "give one weight for each entry along the axis, or call it for each row.",
        )


def _of_weights(name: str, a, part: str) -> str:
    """The entry of a whole array up to which the weights reach a share of their sum."""
    shape = "weights.shape != a.shape" if a.ndim > 1 else "weights.size != a.size"
    return f"""
p = {part}
if not 0.0 <= p <= 1.0:
    raise ValueError("{OUTSIDE[name]}")
if {shape}:
    raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
x = np.ravel(a)
w = np.ravel(weights) * 1.0
if np.any(w < 0.0):
    raise ValueError("Weights must be non-negative.")
order = np.argsort(x)
reached = np.cumsum(w[order])
whole = reached[-1]
if not 0.0 < whole < np.inf:
    raise ValueError("Weights included NaN, inf or were all zero.")
place = 0
while place < x.size - 1 and (reached[place] / whole < p or reached[place] == 0.0):
    place += 1
found = x[order[place]]
last = x[order[-1]]
return found if last == last else last
"""


def _by_method(name: str, way, a, part: str) -> str:
    """The quantile of a whole array by a method that is not linear."""
    stays = way == STEP or isinstance(a.dtype, types.Float)
    sort = f"s = np.sort(np.ravel(a){'' if stays else ' * 1.0'})\n"
    if way in BETWEEN:
        first, both = BETWEEN[way]
        return f"""
p = {part}
if not 0.0 <= p <= 1.0:
    raise ValueError("{OUTSIDE[name]}")
{sort}k = min(max(s.size * p + {first} + p * {both} - 1.0, 0.0), s.size - 1.0)
low = int(np.floor(k))
found = s[low] + (k - low) * (s[min(low + 1, s.size - 1)] - s[low])
return found if s[-1] == s[-1] else s[-1]
"""
    if way == STEP:
        return f"""
p = {part}
if not 0.0 <= p <= 1.0:
    raise ValueError("{OUTSIDE[name]}")
{sort}found = s[max(int(np.ceil(s.size * p - 1.0)), 0)]
return found if s[-1] == s[-1] else s[-1]
"""
    place = f"{part} * (s.size - 1)"
    found = f"{POSITIONS[way]} if s[-1] == s[-1] else s[-1]"
    return f"{sort}k = {place}\nreturn {found}"


def _between(value: str, axes: Sequence[int], a, keepdims) -> str:
    """The body of a reduction to real numbers that Numba may give in double precision."""
    kind, value = (np.float32, f"np.float32({value})") if is_single(a) else (np.float64, value)
    return reduced(value, "a", axes, a.ndim, keepdims=flag("keepdims", keepdims), dtype=kind)


def _extreme(name: str, a, axis, out, keepdims, initial, where) -> str | None:
    if not is_array(a) or is_left_out(axis, out, keepdims, initial, where):
        return None
    reject(name, out=out)
    if name.startswith("np.nan"):
        _refuse_complex(name, a)
    kind, selects = as_dtype(a.dtype), has_mask(name, where, a)
    start = given_start(name, initial, kind)
    if not start and selects:
        raise refused(f"`{name}` of what a mask leaves may be of nothing", "say `initial=`: initial=-np.inf.")
    if not start:
        return _reduced(f"{name}({{}})", name, a, axis, keepdims, kind)
    head = masked(start) if selects else ""
    if name.startswith("np.nan") and isinstance(a.dtype, types.Float):
        head += f"a = np.where(np.isnan(a), {start}, a)\n"
    name = name.replace("nan", "")
    of_two = "np.maximum" if name == "np.max" else "np.minimum"
    return head + _reduced(f"{of_two}({name}({{}}), {start})", name, a, axis, keepdims, kind, start)


def _test(name: str, a, axis, out, keepdims, where) -> str | None:
    if not is_array(a) or is_left_out(axis, out, keepdims, where):
        return None
    reject(name, out=out)
    head = ""
    if has_mask(name, where, a):
        true = "a" if isinstance(a.dtype, types.Boolean) else f"(a != {number_text(0, as_dtype(a.dtype))})"
        mask = "np.broadcast_to(where, a.shape)"
        head = f"a = {mask} & {true}\n" if name == "np.any" else f"a = ~{mask} | {true}\n"
    return head + _reduced(f"{name}({{}})", name, a, axis, keepdims, np.bool_)


def _position(name: str, a, axis, out, keepdims) -> str | None:
    if not is_array(a) or is_left_out(keepdims, out):
        return None
    reject(name, out=out)
    if not is_none(axis):
        single_axis(name, axis, a.ndim)
    return _reduced(f"{name}({{}})", name, a, axis, keepdims, np.int64)


def _product(name: str, a, axis, keepdims, initial, where) -> str:
    head = masked(number_text(1, as_dtype(a.dtype))) if has_mask(name, where, a) else ""
    start = given_start(name, initial, accumulated(a))
    value = f"{start} * {name}({{}})" if start else f"{name}({{}})"
    return head + _reduced(value, name, a, axis, keepdims, accumulated(a))


def _reduced(value: str, name: str, a, axis, keepdims, dtype, start: str = "") -> str:
    """The body of a reduction by a function of NumPy's that reduces a whole array, as `value` writes it."""
    axes, keep = axes_of(name, axis, a.ndim), flag("keepdims", keepdims)
    return reduced(value, "a", axes, a.ndim, keepdims=keep, dtype=dtype, start=start)


def _refuse_complex(name: str, a) -> None:
    """Refuse complex numbers where they would be compared."""
    if is_complex(a):
        raise refused(f"`{name}` along axes is for real numbers", "take np.real or np.abs first.")


def _divided(a):
    """The dtype of means of numbers of the type of `a`."""
    return as_dtype(a.dtype) if isinstance(a.dtype, types.Float | types.Complex) else np.float64


@stands_for(np.clip)
def clip(a, a_min=None, a_max=None, out=None):
    """A number within bounds; Numba has that of arrays."""
    low, high = not is_none(a_min), not is_none(a_max)
    given = [a, *([a_min] if low else []), *([a_max] if high else [])]
    if not all(isinstance(each, types.Number | types.IntegerLiteral) for each in given) or not (low or high):
        return None
    reject("np.clip", out=out)
    raised = "np.maximum(a, a_min)" if low else "a"
    return f"return np.minimum({raised}, a_max)" if high else f"return {raised}"
