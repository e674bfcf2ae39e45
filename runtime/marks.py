"""Functions that mean something to the compiler and nothing to the values that pass through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import types
from numba.extending import overload

from backsweep.runtime.compiled import declared, kernel

Anything = TypeVar("Anything")


@declared(shaped_like="x", sharing="always")
@kernel
def stop_gradient(x: Any) -> Any:
    """`x` itself; no derivative flows through."""
    return x


def hook(x: Anything, fn: Callable[[Any], Any]) -> Anything:  # noqa: ARG001  the compiler reads it
    """`x` itself; in a differentiated function, `fn` sees its adjoint during the reverse sweep.

    Arguments:
        x: a number or an array of floats.
        fn: a function of the adjoint, of `x`'s shape. What it returns replaces the adjoint; None leaves it as it is.
            It is compiled into the reverse sweep, and may read variables of the function around it. In a loop it is
            called for each iteration, in reverse order.

    Returns:
        `x`, with the same memory.

    Raises:
        UnsupportedError, in what is differentiated: `fn` returns a tuple or another shape, or does what cannot be
        compiled. ArgumentError: it is in the way of tangents that make up a Jacobian (`jacfwd`, `sparsity`, a sparse
        `jacobian`).

    Forward mode has no adjoints: `jvp` passes hooks by, and `jacobian` takes reverse mode where there is one.

    >>> import backsweep as bs
    >>> def cost(x):
    ...     return bs.hook(x * x, lambda adjoint: 2.0 * adjoint) * 5.0
    >>> bs.grad(cost)(3.0)
    60.0
    """
    return x


@overload(hook)
def _hook(x: Any, fn: Any) -> Callable[..., Any]:  # noqa: ARG001
    def implementation(x: Any, fn: Any) -> Any:  # noqa: ARG001
        return x

    return implementation


@kernel
def first_not_finite(x: Any) -> int:
    """The place of the first entry of an array or number that is nan or infinite, row by row; -1 if there is none."""
    for place, item in enumerate(np.asarray(x).flat):
        if not np.isfinite(item):
            return place
    return -1


@kernel
def entry(x: Any, place: int) -> Any:
    """The entry at a place that `first_not_finite` gave; nan for an array of another size, which broadcasting made fit."""
    found = np.asarray(x).ravel()
    return found[place] if place < found.size else np.nan * found.sum()


def length(items: Any) -> int:
    """`len` of a list that may grow: unlike an extent, it is not the same wherever it is asked for."""
    return len(items)


def changed_to(old: Any, new: Any) -> Any:  # noqa: ARG001  the compiler reads it
    """What `old op= more` makes of `old` where it is without derivative: `new`, an array in place."""
    return new


@overload(changed_to)
def _changed_to(old: Any, new: Any) -> Callable[..., Any]:  # noqa: ARG001
    def in_place(old: Any, new: Any) -> Any:  # noqa: ARG001
        return old

    def rebound(old: Any, new: Any) -> Any:  # noqa: ARG001
        return new

    return in_place if isinstance(old, types.Array) else rebound


changed_to.in_place = True  # type: ignore[attr-defined]  # what the compiler asks, which may not see this module


def taken_away(amount: Any) -> Any:
    """The negative of what `x[i] -= amount` takes away, which is added: by the types, of the amount or of the amount as an item of `x`."""
    return 0 - amount


@overload(taken_away)
def _taken_away(amount: Any) -> Callable[..., Any]:  # noqa: ARG001
    def implementation(amount: Any) -> Any:
        return amount

    return implementation


class no_grad:  # noqa: N801  used as a statement, and PyTorch's name for it
    """`with no_grad():` what is computed inside has no derivative.

    A variable that is assigned inside, and what is stored into an array, is a constant to the gradient. An augmented
    assignment (`w -= rate * step`, `w *= 0.5`) changes its target by a constant. In a function that is called as it is, it does
    nothing.

    >>> import backsweep as bs
    >>> def cost(x):
    ...     with bs.no_grad():
    ...         scale = x * x
    ...     return scale * x
    >>> bs.grad(cost)(3.0)
    9.0
    """

    def __enter__(self) -> None:
        """Nothing happens."""

    def __exit__(self, *_: object) -> None:
        """Nothing happens."""
