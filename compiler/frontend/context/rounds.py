"""The findings that one round of lowering passes to the next.

The code of a transformed or recursive function depends on types, which are known only after lowering. Therefore a call
of it is first lowered as a node that Numba can type. Then the pipeline makes the code for these types, and the next
round lowers the call with that code.
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
"""The identity of a call: its place in the source, callers included, and the number of earlier calls at that place."""


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """A call whose code is not known yet; `fixed` are the arguments that are compile-time objects.

    `given` are the operands of the call's node when it was lowered.
    """

    place: Place
    function: Any
    operands: Mapping[str, Operand | tuple[Operand, ...]]
    given: tuple[Operand, ...]
    fixed: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Recursion:
    """The calling convention of a recursive function: `callee` takes and returns flat parts, without tuples.

    `types` are the types of the arguments and `result` is the type of the result, before flattening.
    """

    callee: Callee
    types: Mapping[str, Type]
    result: Type


@dataclass(slots=True, eq=False)
class Expansions:
    """The findings of the rounds so far.

    `known` holds the code of calls by their place, `waiting` the calls without code yet by their result. `items` maps an
    item that is read of the result of a waiting call to that result. `recursive` holds the recursive functions,
    `typing_stubs` the functions made for Numba's type inference, `changing` the places of lists that change. `checked`
    says that a callee asks Numba to check its subscripts. `seen` counts the calls at each place of the source.
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
        """Clear the state of the last round: waiting calls, items and counts."""
        self.waiting.clear()
        self.items.clear()
        self.seen.clear()

    def place(self, loc: Loc) -> Place:
        """The identity of the next call at `loc`."""
        number = self.seen[loc]
        self.seen[loc] += 1
        return loc, number


class FoundChangeError(Signal):
    """Signal that a list made at `made` changes although its items were taken as known: lowering must start again."""

    def __init__(self, made: Loc) -> None:
        super().__init__(made)
        self.made = made


class FoundRecursionError(Signal):
    """Signal that a function that is being inlined calls itself: lowering must start again."""

    def __init__(self, function: object) -> None:
        super().__init__(function)
        self.function = function
