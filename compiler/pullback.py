"""What `vjp` hands back: the saved part of the forward sweep, and the reverse sweep over it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from backsweep.arguments import restorer
from backsweep.build import compiled
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.transformed import Transformed


@dataclass(frozen=True)
class _TupleForm:
    """What a cotangent of a tuple must have; it is given to the pullback as a tuple of the class `cls`."""

    cls: type
    parts: tuple[Any, ...]


class _ArrayForm(NamedTuple):
    """What a cotangent of an array must have."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class Pullback:
    """Maps a cotangent of the result to cotangents of the arguments; may be called any number of times."""

    def __init__(
        self,
        run: Callable[..., Any],
        saved: tuple[Any, ...],
        result: Any,
        restore: Callable[[Any], Any] | None,
    ) -> None:
        self._run = run
        self._restore = restore
        self._saved = saved
        self._like = _form(result)

    def __call__(self, y_bar: Any) -> Any:
        """The cotangents of the arguments for the cotangent `y_bar` of the result."""
        gradient = self._run(*self._saved, _fitted(y_bar, self._like, "y_bar"))
        return gradient if self._restore is None else self._restore(gradient)


def forward_and_pullback(transformed: Transformed, args: tuple[Any, ...]) -> tuple[Any, Pullback]:
    """Run the forward sweep; the result and the pullback over what was saved."""
    special, given = transformed.special(*args)
    restore = restorer(special.build.forms, special.build.wrt, single=special.build.single)
    result, saved, pull = _forward(special, given)
    return result, Pullback(pull, saved, result, restore)


def saved_for(
    transformed: Transformed, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Any, tuple[Any, ...], Callable[..., Any], Mapping[str, Any]]:
    """What the forward sweep returns and saves for a call, the emitted pullback, and the arguments by name."""
    special, given = transformed.special(*args, **kwargs)
    return (*_forward(special, given), given.arguments)


def _forward(
    special: Transformed, given: inspect.BoundArguments
) -> tuple[Any, tuple[Any, ...], Callable[..., Any]]:
    """Run the forward sweep: the result, what was saved, and the emitted pullback."""
    emitted, options = special.emitted_for(given.args, given.kwargs), special.build.options
    if options.jit:
        result, saved = special(*given.args, **given.kwargs)
        return result, saved, compiled(emitted, 1, options)
    forward, pull = (emitted.functions[name] for name in emitted.names)
    result, saved = forward(*special.with_defaults(*given.args, **given.kwargs))
    return result, saved, pull


def _form(result: Any) -> Any:
    """The structure of a result: tuples, shapes and dtypes."""
    if isinstance(result, tuple):
        return _TupleForm(type(result), tuple(_form(item) for item in result))
    if isinstance(result, np.ndarray):
        return _ArrayForm(result.shape, result.dtype)
    return None


def _fitted(y_bar: Any, like: Any, name: str) -> Any:
    """The cotangent with the dtype and layout that the pullback was compiled for; raises where it does not fit."""
    if like is None:
        if np.ndim(y_bar) or isinstance(y_bar, tuple):
            raise _misfit(name, "a number", y_bar)
        return float(y_bar) if not isinstance(y_bar, complex) else y_bar
    if not isinstance(like, _ArrayForm):
        if not isinstance(y_bar, tuple | list) or len(y_bar) != len(like.parts):
            raise _misfit(name, f"a tuple of {len(like.parts)}", y_bar)
        items = [
            _fitted(item, part, f"{name}[{k}]")
            for k, (item, part) in enumerate(zip(y_bar, like.parts, strict=True))
        ]
        return like.cls(*items) if hasattr(like.cls, "_fields") else tuple(items)
    dtype = like.dtype
    array = np.ascontiguousarray(y_bar, dtype=dtype) if np.ndim(y_bar) else np.asarray(y_bar, dtype=dtype)
    if array.shape != like.shape:
        raise _misfit(name, f"an array of shape {like.shape}", y_bar)
    return array


def _misfit(name: str, wanted: str, given: Any) -> ArgumentError:
    told = f"an array of shape {np.shape(given)}" if np.ndim(given) else "a number"
    told = f"a tuple of {len(given)}" if isinstance(given, tuple) else told
    return ArgumentError(
        Problem(
            "BS407",
            f"the cotangent {name} must have the structure of the result: {wanted}, not {told}",
            remedy="pass a cotangent with the structure and shape of what the function returned.",
        )
    )
