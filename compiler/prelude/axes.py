"""Functions that call a function for each line of an array, for one axis after the other, or where a condition holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.prelude.declare import has_known_items, means, of_kind, of_one_kind, refuse


@means(np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """The function is called for each line of the array."""
    if not isinstance(arr, np.ndarray) or not isinstance(axis, int) or not -arr.ndim <= axis < arr.ndim:
        refuse(
            "`np.apply_along_axis` takes a function, the number of an axis, and an array that has it",
            "write np.apply_along_axis(f, 0, x)",
        )
    if arr.ndim == 1:
        return of_one_kind(func1d(arr, *args, **kwargs))
    last = np.moveaxis(arr, axis, -1)
    if 0 in last.shape[:-1]:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    lines = np.reshape(last, (-1, last.shape[-1]))
    found = np.array([of_one_kind(func1d(of_kind(arr.dtype, line), *args, **kwargs)) for line in lines])
    if found.ndim > 2:
        refuse(
            "the function of `np.apply_along_axis` gives neither a number nor a vector",
            "write the loop over the lines out",
        )
    if found.ndim == 1:
        return np.reshape(found, last.shape[:-1])
    return np.moveaxis(np.reshape(found, (*last.shape[:-1], found.shape[1])), -1, axis)


@means(np.apply_over_axes)
def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """The function is called for one axis after the other, and the axes stay."""
    if isinstance(axes, int):
        axes = (axes,)
    if not isinstance(a, np.ndarray) or not isinstance(axes, (tuple, list)):
        refuse(
            "`np.apply_over_axes` takes a function, an array, and the numbers of axes",
            "write np.apply_over_axes(np.sum, x, (0, 2))",
        )
    for axis in axes:
        at = axis + a.ndim if axis < 0 else axis
        found = func(a, at)
        if np.ndim(found) == a.ndim:
            a = found
        elif np.ndim(found) == a.ndim - 1:
            a = np.expand_dims(found, at) if isinstance(found, np.ndarray) else np.array([found])
        else:
            refuse(
                "function is not returning an array of the correct shape",
                "let it reduce one axis, or keep all",
            )
    return a


@means(np.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Each piece is computed where its condition holds; the last one wins."""
    if (
        not has_known_items(condlist)
        or not has_known_items(funclist)
        or not isinstance(x, (np.ndarray, float, np.floating))
    ):
        refuse(
            "`np.piecewise` takes an array, and lists of conditions and of functions that are written out here",
            "write np.piecewise(x, [x < 0.0, x >= 0.0], [f, g]), or np.where",
        )
    if len(funclist) not in (len(condlist), len(condlist) + 1):
        refuse(
            f"`np.piecewise` has {len(condlist)} conditions and {len(funclist)} functions",
            "give it a function for each condition, and perhaps one for the rest",
        )
    if not isinstance(x, np.ndarray):
        y: Any = x * 0
        for k, function in enumerate(funclist):
            if condlist[k] if k < len(condlist) else not any(condlist):
                y = function(x, *args, **kw) if callable(function) else function
        return y
    y = np.zeros_like(x)
    for k, function in enumerate(funclist):
        where = condlist[k] if k < len(condlist) else ~_either(*condlist)
        y[where] = function(x[where], *args, **kw) if callable(function) else function
    return y


def _either(first: Any, *others: Any) -> Any:
    """Where one of the conditions holds."""
    for other in others:
        first = first | other
    return first
