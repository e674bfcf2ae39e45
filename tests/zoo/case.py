"""How a function joins the zoo: `@case(arguments...)` above it, once for each set of arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tests.support.checking import clone, is_active, leaves

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Case:
    """A function, arguments for it, and the arguments that it is differentiated with respect to."""

    function: Callable[..., Any]
    stored: tuple[Any, ...]
    argnums: tuple[int, ...]
    name: str

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments, copied with their strides: a function that writes them spoils no other test."""
        copied: tuple[Any, ...] = clone(self.stored)
        return copied


REGISTRY: list[Case] = []
"""All cases of the modules imported so far."""


def case(*args: Any, wrt: int | tuple[int, ...] | None = None) -> Callable[[F], F]:
    """Register the decorated function with these arguments; by default every float argument is active."""

    def register(function: F) -> F:
        active = tuple(i for i, arg in enumerate(args) if any(is_active(leaf) for leaf in leaves(arg)))
        argnums = active if wrt is None else (wrt,) if isinstance(wrt, int) else wrt
        called = getattr(function, "py_func", function)
        base = f"{called.__module__.rpartition('.')[2]}.{called.__name__}"
        taken = sum(other.function is function for other in REGISTRY)
        REGISTRY.append(Case(function, args, argnums, f"{base}-{taken}" if taken else base))
        return function

    return register


def vector(size: int, seed: int = 0) -> np.ndarray:
    """Contiguous, entries in [0.2, 1.2)."""
    return np.random.default_rng(seed).uniform(0.2, 1.2, size)


def matrix(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    """In C order, entries in [0.2, 1.2)."""
    return np.random.default_rng(seed).uniform(0.2, 1.2, (rows, columns))


def strided(size: int, step: int = 2, seed: int = 0) -> np.ndarray:
    """Every `step`-th entry of a longer vector; a negative step runs backwards."""
    return vector(size * abs(step), seed)[::step]


def transposed(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    """In Fortran order."""
    return matrix(columns, rows, seed).T


def window(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    """The inner part of a larger matrix with every other column: contiguous in no order."""
    return matrix(rows + 2, 2 * columns, seed)[1:-1, ::2]


def positive_definite(size: int, seed: int = 0) -> np.ndarray:
    """Symmetric, well conditioned."""
    g = matrix(size, size, seed)
    result: np.ndarray = g @ g.T + size * np.eye(size)
    return result
