"""What the remedies of refusals say, done: a program for each, which is differentiated. Files of `tests/errors` name them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tests.support.checking import is_active, leaves
from tests.zoo.case import Case

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Answer:
    """A call of the interface as a remedy has it, and the numbers that it must give."""

    refusal: str
    call: Callable[[], Any]
    wanted: Any


PROGRAMS: list[tuple[str, Case]] = []
"""The refusal and the mended program with its arguments."""
ANSWERS: list[Answer] = []


def mends(refusal: str, *args: Any) -> Callable[[F], F]:
    """The decorated program does what the remedy of this refusal says; it is compared with differences."""

    def register(function: F) -> F:
        active = tuple(k for k, arg in enumerate(args) if any(map(is_active, leaves(arg))))
        PROGRAMS.append((refusal, Case(function, args, active, f"{refusal}.{function.__name__}")))
        return function

    return register


def answers(refusal: str, wanted: Any) -> Callable[[F], F]:
    """The decorated function, called without arguments, asks as the remedy says and must get this."""

    def register(function: F) -> F:
        ANSWERS.append(Answer(refusal, function, wanted))
        return function

    return register
