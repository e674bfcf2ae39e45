"""Sums, means, variances, norms and averages along axes, in terms of `np.sum`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.core import types

from backsweep.runtime.overloads.forms import (
    axes_of,
    flag,
    is_array,
    is_complex,
    is_left_out,
    is_none,
    is_single,
    literal,
    refused,
    reject,
    single_axis,
)
from backsweep.runtime.overloads.texts import counted, reduced, stands_for, summed, widened


@stands_for(np.sum)
def sum_(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """Sums with `keepdims=`; Numba has the others."""
    if not is_array(a) or is_left_out(keepdims, initial, where, out):
        return None
    reject("np.sum", where=where, initial=initial, out=out, dtype=dtype)
    axes = axes_of("np.sum", axis, a.ndim)
    return _returned(summed("a", axes, a.ndim), axes, a.ndim, keepdims)


@stands_for(np.mean)
def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
    """Means along axes; Numba has that of all entries."""
    if not is_array(a) or is_left_out(axis, dtype, out, keepdims, where):
        return None
    reject("np.mean", where=where, dtype=dtype, out=out)
    axes = axes_of("np.mean", axis, a.ndim)
    return _returned(averaged("a", axes, a), axes, a.ndim, keepdims)


@stands_for(np.var)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None, correction=None):
    """Variances along axes, or with `ddof=`; Numba has that of all entries."""
    if not is_array(a) or is_left_out(axis, dtype, out, ddof, keepdims, where, mean, correction):
        return None
    reject("np.var", where=where, dtype=dtype, out=out, mean=mean, correction=correction)
    axes = axes_of("np.var", axis, a.ndim)
    distances, variance = _variance(axes, a, ddof)
    return distances + _returned(variance, axes, a.ndim, keepdims)


@stands_for(np.std)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None, correction=None):
    """Standard deviations along axes, or with `ddof=`; Numba has that of all entries."""
    if not is_array(a) or is_left_out(axis, dtype, out, ddof, keepdims, where, mean, correction):
        return None
    reject("np.std", where=where, dtype=dtype, out=out, mean=mean, correction=correction)
    axes = axes_of("np.std", axis, a.ndim)
    distances, variance = _variance(axes, a, ddof)
    body = f"{distances}v = {variance}\n"
    return body + _returned(_root("v", axes, a), axes, a.ndim, keepdims)


@stands_for(np.linalg.norm)
def norm(x, ord=None, axis=None, keepdims=False):
    """Norms of the vectors along an axis, and of the matrices in two axes; Numba has those of whole arrays."""
    if not is_array(x) or is_left_out(axis, keepdims):
        return None
    if is_none(axis) and not is_none(ord):
        raise refused("`np.linalg.norm` with `ord=` is supported along an axis", "name it: axis=-1.")
    axes, order = axes_of("np.linalg.norm", axis, x.ndim), None if is_none(ord) else literal(ord)
    keep = flag("keepdims", keepdims)
    of_vectors = len(axes) == 1 and not is_none(axis)
    if is_none(ord) or (of_vectors and order == 2) or (len(axes) == 2 and order == "fro"):
        body = f"v = {summed(_square('x', x), axes, x.ndim)}\n"
        return body + _returned(_root("v", axes, x), axes, x.ndim, keepdims)
    if of_vectors and order == 1:
        return _returned(summed("np.abs(x)", axes, x.ndim), axes, x.ndim, keepdims)
    if of_vectors and isinstance(ord, types.Integer | types.Float):
        return _norm_by_number(axes, x, keep)
    raise refused(
        f"`np.linalg.norm` is not supported with this `ord` along {len(axes)} axes",
        "along one axis write a number or np.inf as ord; along two, no ord.",
    )


def _norm_by_number(axes: Sequence[int], x: Any, keepdims: bool) -> str:
    """The norm along one axis whose order only the run knows, as it does np.inf."""
    power = "np.float32(ord)" if is_single(x) else "ord"
    one = "np.float32(1.0)" if is_single(x) else "1.0"
    kind = np.float32 if is_single(x) else np.float64
    bodies = {
        "if ord == np.inf:": reduced("np.max(np.abs({}))", "x", axes, x.ndim, keepdims=keepdims, dtype=kind),
        "if ord == -np.inf:": reduced("np.min(np.abs({}))", "x", axes, x.ndim, keepdims=keepdims, dtype=kind),
    }
    lines = [f"{head}\n{textwrap.indent(body, '    ')}" for head, body in bodies.items()]
    value = f"{summed(f'np.abs(x) ** {power}', axes, x.ndim)} ** ({one} / {power})"
    return "\n".join([*lines, _returned(value, axes, x.ndim, keepdims)])


@stands_for(np.average, first=True)
def average(a, axis=None, weights=None, returned=False, keepdims=False):
    """Averages along an axis, with weights or without; Numba has those of all entries."""
    if not is_array(a) or is_left_out(axis, returned, keepdims):
        return None
    if flag("returned", returned):
        raise refused("`np.average` is supported without `returned=`", "compute np.sum(weights) apart.")
    axes = axes_of("np.average", axis, a.ndim)
    if is_none(weights):
        return _returned(averaged("a", axes, a), axes, a.ndim, keepdims)
    if not is_array(weights):
        raise refused("the weights of `np.average` are no array", "give np.asarray(weights).")
    if weights.ndim == a.ndim:
        total = summed("weights", axes, a.ndim)
        value = f"{summed('a * weights', axes, a.ndim)} / {total}"
    elif weights.ndim == 1:
        axis = single_axis("np.average", axis, a.ndim)
        others = [each for each in range(a.ndim) if each != axis]
        weighted = f"a * {widened('weights', others, -1)}"
        value = f"{summed(weighted, axes, a.ndim)} / np.sum(weights)"
    else:
        raise refused(
            "the weights of `np.average` have neither one axis nor those of the array",
            "broadcast them first, as in np.broadcast_to(weights, a.shape).",
        )
    return _returned(value, axes, a.ndim, keepdims)


def averaged(text: str, axes: Sequence[int], a: Any) -> str:
    """The mean over axes, of numbers of the type of `a`."""
    if len(axes) == a.ndim:
        return f"np.mean({text})"
    return f"{summed(text, axes, a.ndim)} / {_count(counted('a', axes, a.ndim), a)}"


def _variance(axes: Sequence[int], a: Any, ddof: Any) -> tuple[str, str]:
    """A statement for the distances from the mean, and the variance in terms of them."""
    center = averaged("a", axes, a)
    distances = f"d = a - {center if len(axes) == a.ndim else widened(center, axes, a.ndim)}\n"
    count = counted("a", axes, a.ndim)
    freedom = count if is_left_out(ddof) else f"{count} - ddof"
    return distances, f"{summed(_square('d', a), axes, a.ndim)} / {_count(freedom, a)}"


def _count(count: str, a: Any) -> str:
    """A count to divide by, which leaves single precision as it is."""
    return f"np.float32({count})" if is_single(a) else count if " " not in count else f"({count})"


def _square(text: str, a: Any) -> str:
    """The squares of the magnitudes of numbers of the type of `a`."""
    if is_complex(a):
        return f"np.real({text}) * np.real({text}) + np.imag({text}) * np.imag({text})"
    return f"{text} * {text}"


def _root(text: str, axes: Sequence[int], a: Any) -> str:
    """The square root of a sum of squares; where all are zero, its derivative is zero."""
    if len(axes) == a.ndim:
        return f"{text} if {text} == 0.0 else np.sqrt({text})"
    one = "np.float32(1.0)" if is_single(a) else "1.0"
    return f"np.where({text} == 0.0, {text}, np.sqrt(np.where({text} == 0.0, {one}, {text})))"


def _returned(value: str, axes: Sequence[int], ndim: int, keepdims: Any) -> str:
    """The return of a reduced array, with axes of length 1 where the call asks for them."""
    return f"return {widened(value, axes, ndim) if flag('keepdims', keepdims) else value}"
