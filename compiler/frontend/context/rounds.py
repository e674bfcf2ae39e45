"""What lowering a program in rounds has found out: code that depends on types, which are known only after lowering.

A call of a transformed function, or of a function that calls itself, is first lowered as a node that Numba can type.
Then the pipeline finds the code for these types, and the next round lowers the call with that code at hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from backsweep.boundary import Signal
from backsweep.diagnostics import Loc
from backsweep.ir.nodes import Callee, Operand, Value
from backsweep.ir.types import Type
from backsweep.typing.stubs import Made

Place = tuple[Loc, int]
"""A call of the program: where it is written, callers included, and how many calls written there came before it."""


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """A call whose code is not known yet; `fixed` are arguments that are objects and no values.

    `given` are the operands of its node as they were when it was lowered.
    """

    place: Place
    function: Any
    operands: Mapping[str, Operand | tuple[Operand, ...]]
    given: tuple[Operand, ...]
    fixed: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Recursion:
    """How a function that calls itself is called: with the parts of its arguments, for the parts of its result.

    `types` are those of its arguments and `result` that of its result, before they are taken to pieces.
    """

    callee: Callee
    types: Mapping[str, Type]
    result: Type


@dataclass(slots=True, eq=False)
class Expansions:
    """The code that is known, by the place of the call; the calls still waiting for theirs, by their results.

    `items` are what is read of the tuples that such calls return.

    `recursive` holds the functions that were found to call themselves, `typing_stubs` those made for Numba, `changing` the
    places of the lists that were found to change; `checked` says that a callee asks Numba to check its subscripts.
    """

    typing_stubs: Made = field(default_factory=dict)
    known: dict[Place, Callable[..., Any] | Recursion] = field(default_factory=dict)
    waiting: dict[Value, Waiting] = field(default_factory=dict)
    items: dict[Value, Value] = field(default_factory=dict)
    recursive: set[object] = field(default_factory=set)
    changing: set[Loc] = field(default_factory=set)
    checked: bool = False
    seen: Counter[Loc] = field(default_factory=Counter)

    def begin(self) -> None:
        """Forget what the last round has counted."""
        self.waiting.clear()
        self.items.clear()
        self.seen.clear()

    def place(self, loc: Loc) -> Place:
        """The next call written at `loc`."""
        number = self.seen[loc]
        self.seen[loc] += 1
        return loc, number


class FoundChangeError(Signal):
    """A list changes whose items were taken as known since it was made there: lowering must begin anew."""

    def __init__(self, made: Loc) -> None:
        super().__init__(made)
        self.made = made


class FoundRecursionError(Signal):
    """A function calls itself, which is found when it is already being lowered: lowering must begin anew."""

    def __init__(self, function: object) -> None:
        super().__init__(function)
        self.function = function
