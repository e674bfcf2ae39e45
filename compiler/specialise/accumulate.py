"""Implement `gradient(..., out=buffers)`: add a gradient to the caller's arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from backsweep.diagnostics import ArgumentError, Problem
from backsweep.frontend.context.taps import field_of
from backsweep.specialise.build import Build


def with_gradient(build: Build, result: Any, change: Callable[[Any], Any]) -> Any:
    """The result of a call, with its gradient replaced by `change(gradient)`."""
    if build.mode == "value_and_grad":
        return (result[0], change(result[1]), *result[2:])
    return (change(result[0]), result[1]) if build.has_aux else change(result)


def accumulated(build: Build, result: Any, out: Any) -> Any:
    """Add the gradient to the arrays in `out`. Returns the result of the call, with `out` in place of the gradient.

    Raises:
        ArgumentError: `out` has another structure, shape or dtype than the gradient. Nothing is changed then.
    """

    def add(gradient: Any) -> Any:
        pairs = list(_pairs(gradient, out, "out"))  # check all pairs before the first array changes
        for buffer, part in pairs:
            buffer += part
        return out

    return with_gradient(build, result, add)


def _pairs(gradient: Any, out: Any, name: str) -> Sequence[tuple[Any, Any]]:
    """The arrays in `out`, each with the gradient that is added to it."""
    if isinstance(gradient, tuple):
        if isinstance(out, Mapping):
            fields: Sequence[Any] = getattr(gradient, "_fields", ())
            by_field = {field_of(str(key)): (item, f"{name}[{key!r}]") for key, item in out.items()}
            if set(by_field) != set(fields) or len(out) != len(fields) or not fields:
                raise _misfit(name, f"a gradient with the fields {', '.join(fields) or 'none'}", out)
            parts = [by_field[field] for field in fields]
        elif isinstance(out, tuple | list) and len(out) == len(gradient):
            parts = [(item, f"{name}[{k}]") for k, item in enumerate(out)]
        else:
            raise _misfit(name, f"a tuple of {len(gradient)} gradients", out)
        return [
            pair
            for item, (buffer, called) in zip(gradient, parts, strict=True)
            for pair in _pairs(item, buffer, called)
        ]
    if dataclasses.is_dataclass(gradient) and type(out) is type(gradient):
        names = [field.name for field in dataclasses.fields(gradient)]
        return [
            pair
            for field in names
            for pair in _pairs(getattr(gradient, field), getattr(out, field), f"{name}.{field}")
        ]
    array = np.asarray(gradient)
    if not isinstance(out, np.ndarray) or out.shape != array.shape:
        kind = f"an array of shape {array.shape}" if array.ndim else "a number"
        raise _misfit(name, f"a gradient that is {kind}", out)
    if not np.can_cast(array.dtype, out.dtype, "same_kind") or not out.flags.writeable:
        raise _misfit(name, f"a gradient of {array.dtype}", out)
    return [(out, array)]


def _misfit(name: str, wanted: str, given: Any) -> ArgumentError:
    what = type(given).__name__
    if isinstance(given, np.ndarray):
        what = (
            f"an array of {given.dtype}, shape {given.shape}{'' if given.flags.writeable else ', read-only'}"
        )
    message = f"`{name}` is {what}, and {wanted} cannot be added to it"
    remedy = "give arrays in the structure of the gradient; for a number, an array without dimensions: np.zeros(())."
    return ArgumentError(Problem("BS414", message, remedy=remedy))
