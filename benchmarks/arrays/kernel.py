"""What a kernel of this suite is: one function in several forms, with inputs by size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

SIZES = ("tiny", "small", "medium")
FORMS = ("arrays", "scratch", "scalars")
"""Array statements; loops with scratch arrays; loops with scalars and helpers."""


@dataclass(frozen=True)
class Kernel:
    """A scalar function of arrays.

    Every form takes the arguments that `instance(*sizes[size])` makes, writes into none of them, and returns the same
    value up to rounding. The gradient is with respect to `argnums`.
    """

    name: str
    forms: Mapping[str, Callable[..., Any]]
    instance: Callable[..., tuple[Any, ...]]
    sizes: Mapping[str, tuple[int, ...]]
    argnums: tuple[int, ...]

    def arguments(self, size: str) -> tuple[Any, ...]:
        """The arguments of the forms at this size."""
        return self.instance(*self.sizes[size])


def by_size(
    tiny: tuple[int, ...], small: tuple[int, ...], medium: tuple[int, ...]
) -> dict[str, tuple[int, ...]]:
    """The sizes by their names."""
    return dict(zip(SIZES, (tiny, small, medium), strict=True))
