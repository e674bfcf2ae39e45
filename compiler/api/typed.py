"""What editors and type checkers are told: a derivative has the signature of its function, and options have names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, ParamSpec, Protocol, TypedDict, TypeVar

from backsweep.display.blocks import Shown
from backsweep.explanation.explanation import Explanation
from backsweep.requests import Options
from backsweep.specialise.asked import HookHandle

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
F = TypeVar("F", bound=Callable[..., Any])

Positions = int | Sequence[int] | None


class CompileOptions(TypedDict, total=False):
    """How the emitted code is compiled: options of every transformation (see `grad`)."""

    jit: bool
    fastmath: bool | set[str]
    parallel: bool | dict[str, bool] | None
    cache: bool
    error_model: str
    boundscheck: bool | None
    debug_nan: bool
    strong_zeros: bool
    progress: bool
    vector_math: bool


class Derivative(Protocol[P, R_co]):
    """What a transformation returns: a function with the same arguments, and what shows its code."""

    @property
    def __name__(self) -> str:
        """The name of the function."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Run the emitted code."""

    def show(self, *args: P.args, **kwargs: P.kwargs) -> Shown:
        """Call it, and show what it returns as tables and pictures."""

    def source(self, *args_or_types: Any, optimize: str = "loops") -> str:
        """The emitted Python code."""

    def stages(self, *args_or_types: Any) -> str:
        """The program after each pass."""

    def explain(self, *args_or_types: Any) -> Explanation:
        """How the reverse sweep gets each value that it reads."""

    def save(self, path: str, *args_or_types: Any) -> None:
        """Write the emitted code to a module that needs only NumPy and Numba."""

    def add_hook(self, name: str, fn: Callable[..., Any]) -> HookHandle:
        """Have a function see the adjoint of a variable, from the next call on."""


class Decorator(Protocol[R_co]):
    """A transformation that waits for its function."""

    def __call__(self, f: Callable[P, Any], /) -> Derivative[P, R_co]:
        """Transform the function."""


def options_shown(transformation: F) -> F:
    """Have `help`, and what asks for signatures, show the options with their defaults instead of `**options`."""
    signature = inspect.signature(transformation)
    kept = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    named = [
        inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type
        )
        for each in fields(Options)
    ]
    transformation.__signature__ = signature.replace(parameters=[*kept, *named])  # type: ignore[attr-defined]
    return transformation
