"""What `vjp` hands back: the saved part of the forward sweep, and the reverse sweep over it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from backsweep.diagnostics import ArgumentError, Problem
from backsweep.transformed import Transformed, compiled


class _ArrayForm(NamedTuple):
    """What a cotangent of an array must have."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class Pullback:
    """Maps a cotangent of the result to cotangents of the arguments; may be called any number of times."""

    def __init__(self, run: Callable[..., Any], saved: tuple[Any, ...], result: Any) -> None:
        self._run = run
        self._saved = saved
        self._like = _form(result)

    def __call__(self, y_bar: Any) -> Any:
        """The cotangents of the arguments for the cotangent `y_bar` of the result."""
        return self._run(*self._saved, _fitted(y_bar, self._like, "y_bar"))


def forward_and_pullback(transformed: Transformed, args: tuple[Any, ...]) -> tuple[Any, Pullback]:
    """Run the forward sweep; the result and the pullback over what was saved."""
    if not transformed.build.options.jit:
        emitted = transformed.emitted_for(args)
        forward, run = (emitted.functions[name] for name in emitted.names)
        result, saved = forward(*transformed.with_defaults(*args))
        return result, Pullback(run, saved, result)
    result, saved = transformed(*args)
    emitted = transformed.emitted_for(args)
    return result, Pullback(compiled(emitted, 1, transformed.build.options), saved, result)


def _form(result: Any) -> Any:
    """The structure of a result: tuples, shapes and dtypes."""
    if isinstance(result, tuple):
        return tuple(_form(item) for item in result)
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
        if not isinstance(y_bar, tuple | list) or len(y_bar) != len(like):
            raise _misfit(name, f"a tuple of {len(like)}", y_bar)
        return tuple(
            _fitted(item, part, f"{name}[{k}]")
            for k, (item, part) in enumerate(zip(y_bar, like, strict=True))
        )
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
