"""What `jvp` runs: the emitted tangent, with tangents that fit the arguments."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.arguments import taken_apart
from backsweep.build import compiled
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.transformed import Transformed


def check_tuples(primals: object, tangents: object) -> None:
    """Raise ArgumentError unless arguments and tangents come as tuples."""
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            message = f"`{name}` must be a tuple, not {_told(given)}"
            raise ArgumentError(Problem("BS410", message, remedy=f"write ({name[:-1]},) for a single one."))


def pushed_forward(
    transformed: Transformed, primals: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, Any]:
    """The result for the arguments and its tangent for theirs."""
    wrt = transformed.build.wrt
    if len(tangents) != len(wrt):
        message = f"there are {len(tangents)} tangents for {len(wrt)} arguments: {', '.join(wrt)}"
        remedy = "give a tangent for each argument that moves, or name these with wrt."
        raise ArgumentError(Problem("BS410", message, remedy=remedy))
    run, values, given = ready(transformed, primals, {})
    dots = [fitted(dot, given[name], f"of `{name}`") for name, dot in zip(wrt, tangents, strict=True)]
    value, value_dot = run(*values, *dots)
    return value, value_dot


def ready(
    transformed: Transformed, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...], Mapping[str, Any]]:
    """The emitted function for a call, the values that it takes before the tangents, and the arguments by name."""
    special, given = transformed.special(*args, **kwargs)
    emitted = special.emitted_for(given.args, given.kwargs)
    values = tuple(taken_apart("", value)[1] for value in special.with_defaults(*given.args, **given.kwargs))
    options = special.build.options
    run = compiled(emitted, 0, options) if options.jit else emitted.functions[emitted.names[0]]
    return run, values, given.arguments


def fitted(dot: Any, value: Any, name: str) -> Any:
    """The tangent with the structure, dtypes and layout of the argument; raises ArgumentError where it does not fit."""
    if isinstance(value, tuple):
        if dataclasses.is_dataclass(dot) and not isinstance(dot, type):
            dot = tuple(getattr(dot, field.name) for field in dataclasses.fields(dot))
        if not isinstance(dot, tuple | list) or len(dot) != len(value):
            raise _misfit(name, f"a tuple of {len(value)}", dot)
        items = [
            fitted(item, part, f"{name}[{k}]") for k, (item, part) in enumerate(zip(dot, value, strict=True))
        ]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, np.ndarray):
        return _fitted_array(dot, value, name)
    if not isinstance(value, float | complex | np.floating | np.complexfloating):
        return value  # it has no tangent
    is_complex = isinstance(value, complex | np.complexfloating)
    if (
        np.ndim(dot)
        or not isinstance(np.asarray(dot)[()], np.number | bool)
        or (_is_complex(dot) and not is_complex)
    ):
        raise _misfit(name, "a complex number" if is_complex else "a number", dot)
    return type(value)(dot)


def _fitted_array(dot: Any, value: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    if value.dtype.kind not in "fc":
        return np.ascontiguousarray(value)  # it has no tangent
    wanted = f"an array of shape {value.shape}"
    if _is_complex(dot) and value.dtype.kind == "f":
        raise _misfit(name, f"real, {wanted}", dot)
    if isinstance(dot, tuple) or np.shape(dot) != value.shape:
        raise _misfit(name, wanted, dot)
    return np.asarray(dot, dtype=value.dtype, order="C")


def _is_complex(dot: Any) -> bool:
    return bool(np.iscomplexobj(dot))


def _told(given: Any) -> str:
    """What was given, in a message."""
    if isinstance(given, tuple):
        return f"a tuple of {len(given)}"
    if np.ndim(given):
        return f"{'a complex' if np.iscomplexobj(given) else 'an'} array of shape {np.shape(given)}"
    if isinstance(given, int | float | np.number):
        return "a number"
    return (
        "a complex number"
        if isinstance(given, complex)
        else f"an object of the class `{type(given).__name__}`"
    )


def _misfit(name: str, wanted: str, given: Any) -> ArgumentError:
    message = f"the tangent {name} must have the structure of the argument: {wanted}, not {_told(given)}"
    remedy = "pass a tangent with the structure and shape of the argument."
    return ArgumentError(Problem("BS410", message, remedy=remedy))
