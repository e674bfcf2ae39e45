"""Functions that tell the compiler something and return their argument unchanged: hooks, `stop_gradient`, `no_grad`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from backsweep.runtime.support.compiled import declared, kernel

Anything = TypeVar("Anything")


@declared(shaped_like="x", sharing="always")
@register_jitable  # called from Python it takes any object
def stop_gradient(x: Any) -> Any:
    """Return `x`, and treat it as a constant when the function is differentiated.

    >>> import backsweep as bs
    >>> def cost(x):
    ...     return x * bs.stop_gradient(x)
    >>> bs.grad(cost)(3.0)
    3.0
    """
    return x


@declared(checks=True)
@register_jitable
def type_asked(value: Any) -> Any:
    """Stand for the question of the type of a value, in a round of lowering that does not know it."""
    return value


@declared(shaped_like="copied", sharing="always")
@register_jitable
def seen_as_view(copied: Any, base: Any) -> Any:  # noqa: ARG001  the compiler reads it
    """Return `copied`, where NumPy has a view of `base` that is read only: the compiler refuses writes in between."""
    return copied


def hook(x: Anything, fn: Callable[[Any], Any]) -> Anything:  # noqa: ARG001  the compiler reads it
    """Return `x`, and let `fn` see and replace its adjoint in the reverse sweep.

    Arguments:
        x: a number or an array of floats.
        fn: a function of the adjoint, which has the shape of `x`. Its result replaces the adjoint; if it returns None,
            the adjoint stays. It is compiled into the reverse sweep and may read variables of the function
            around it. In a loop it runs once per iteration, the last iteration first.

    Returns:
        `x` itself, not a copy.

    Raises:
        When the function is differentiated: UnsupportedError if `fn` returns a tuple or another shape, or cannot
        be compiled; ArgumentError for Jacobians by forward mode (`jacfwd`, `sparsity`, `jacobian(sparse=True)`).

    Forward mode has no adjoints: `jvp` ignores hooks, and `jacobian` of a function with hooks uses reverse mode.

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


def checkpointed(
    steps: Anything,
    slots: int | None = None,  # noqa: ARG001  the compiler reads these
    memory: int | str | None = None,  # noqa: ARG001
    block: int | None = None,  # noqa: ARG001
) -> Anything:
    """Return `steps`, and have the gradient of the loop over them keep snapshots instead of a record of every step.

    Arguments:
        steps: what a `for` loop runs over, or the condition of a `while` loop.
        slots: the number of snapshots of what the loop carries from step to step and writes.
        memory: the bytes that snapshots and records may take, instead of `slots`: a number, or text such as "1 GiB".
        block: how many steps are recorded at a time. By default one; in a loop of more than 10,000 steps, as many as
            there are slots.

    Returns:
        `steps` themselves. Where nothing is differentiated, the loop runs as if `checkpointed` were not there.

    The reverse sweep computes the steps again, from the newest snapshot before them. With s slots, n steps are computed
    again r n - C(s + r, s + 1) times in all, with r minimal such that C(s + r, s) >= n. No schedule needs fewer
    (Griewank and Walther, "Algorithm 799: revolve", 2000). Where the number of steps is not known beforehand, in a
    `while` loop or a loop with `break`, snapshots are taken at equal distances that double (Stumm and Walther, "New
    algorithms for optimal online checkpointing", 2010).

    >>> import numpy as np
    >>> import backsweep as bs
    >>> def last(x):
    ...     for t in bs.checkpointed(range(1000), slots=10):
    ...         x = x + 0.001 * np.sin(x)
    ...     return x
    >>> round(float(bs.grad(last)(1.0)), 6)
    1.101705
    """
    return steps


@overload(checkpointed)
def _checkpointed(
    steps: Any,  # noqa: ARG001
    slots: Any = None,  # noqa: ARG001
    memory: Any = None,  # noqa: ARG001
    block: Any = None,  # noqa: ARG001
) -> Callable[..., Any]:
    def implementation(steps: Any, slots: Any = None, memory: Any = None, block: Any = None) -> Any:  # noqa: ARG001
        return steps

    return implementation


@kernel
def first_not_finite(x: Any) -> int:
    """The index of the first entry that is nan or infinite, in C order; -1 if there is none."""
    for place, item in enumerate(np.asarray(x).flat):
        if not np.isfinite(item):
            return place
    return -1


@kernel
def entry(x: Any, place: int) -> Any:
    """The entry at an index from `first_not_finite`; nan if the array is smaller than that, before it is broadcast."""
    found = np.asarray(x).ravel()
    return found[place] if place < found.size else np.nan * found.sum()


def length(items: Any) -> int:
    """`len` of a list that may grow: unlike an extent, it can change between two places of a program."""
    return len(items)


@declared(checks=True)
@register_jitable
def expect_length(items: Any, count: int) -> int:
    """Raise ValueError if `items`, which are unpacked to `count` variables, are more or fewer.

    Legalising replaces the call by a check, before the loops around it if it can.
    """
    if len(items) != count:
        raise ValueError("unpacked to another number of variables")
    return count


def changed_to(old: Any, new: Any) -> Any:  # noqa: ARG001  the compiler reads it
    """The result of `old op= more` without a derivative: `new`, written into `old` if that is an array."""
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
    """The value that is added for `x[i] -= amount`. Normalising replaces it by the negative of `amount`, once the types are known."""
    return 0 - amount


@overload(taken_away)
def _taken_away(amount: Any) -> Callable[..., Any]:  # noqa: ARG001
    def implementation(amount: Any) -> Any:
        return amount

    return implementation


def kept_in(old: Any, new: Any, symbol: str) -> Any:  # noqa: ARG001  the compiler reads it
    """The value that is stored for `x[i] op= more`: `new`. Typing refuses it where `old` is an array that cannot hold it."""
    return new


@overload(kept_in)
def _kept_in(old: Any, new: Any, symbol: Any) -> Callable[..., Any]:  # noqa: ARG001
    def implementation(old: Any, new: Any, symbol: Any) -> Any:  # noqa: ARG001
        return new

    return implementation


def divides_by_zero(dividend: Any, divisor: Any) -> bool:
    """Whether a division raises: of numbers, by zero. Normalising replaces it by a comparison, once the types are known."""
    return np.ndim(dividend) == 0 and np.ndim(divisor) == 0 and bool(divisor == 0)


@overload(divides_by_zero)
def _divides_by_zero(dividend: Any, divisor: Any) -> Callable[..., Any]:
    are_numbers = all(isinstance(each, types.Number | types.Boolean) for each in (dividend, divisor))

    def implementation(dividend: Any, divisor: Any) -> Any:  # noqa: ARG001
        return divisor == 0 if are_numbers else False

    return implementation


class no_grad:  # noqa: N801  used as a statement, and PyTorch's name for it
    """`with bs.no_grad():` gives values that are computed inside no derivative.

    A variable that is assigned inside is a constant to the gradient, and so is a value that is stored into an array. An
    augmented assignment (`w -= rate * step`, `w *= 0.5`) changes its target by a constant. When the function is called
    without being differentiated, the statement does nothing.

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
