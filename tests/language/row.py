"""One row of the language's table: a construct, an example of it, and what is to happen to the example.

`@runs("construct", arguments...)` above an example says that it is differentiated, `@refused("construct", "BS101",
arguments...)` that it is refused with this code. The row and its test come from this one declaration. The example's
docstring, if it has one, is the note in the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tests.support.checking import is_active, leaves

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Row:
    """A construct and its example; `code` is that of the refusal, None where the example is differentiated."""

    construct: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    code: str | None = None

    @property
    def name(self) -> str:
        """The example's name, for the tests."""
        function = getattr(self.function, "py_func", self.function)
        return f"{function.__module__.rpartition('.')[2]}.{function.__name__}"

    @property
    def argnums(self) -> tuple[int, ...]:
        """The positions of the arguments that hold floats."""
        return tuple(k for k, arg in enumerate(self.args) if any(map(is_active, leaves(arg))))

    @property
    def note(self) -> str:
        """What the example's docstring says, on one line."""
        function = getattr(self.function, "py_func", self.function)
        return " ".join((function.__doc__ or "").split())


REGISTRY: list[Row] = []
"""All rows of the modules imported so far."""


def runs(construct: str, *args: Any) -> Callable[[F], F]:
    """The decorated example is differentiated with respect to all its float arguments."""
    return _row(construct, args, None)


def refused(construct: str, code: str, *args: Any) -> Callable[[F], F]:
    """The decorated example is refused with this code."""
    return _row(construct, args, code)


def _row(construct: str, args: tuple[Any, ...], code: str | None) -> Callable[[F], F]:
    def register(function: F) -> F:
        REGISTRY.append(Row(construct, function, args, code))
        return function

    return register
