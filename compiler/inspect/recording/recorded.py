"""What is recorded of a run: its events, the values that they made, and what came back to these.

All of it hangs together, so that no `repr` follows the links from one record to others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backsweep.diagnostics import Loc
from backsweep.ir.nodes import Apply, Custom, For, Function, Node, Undefined, While
from backsweep.ir.types import Type, is_float


@dataclass(slots=True, eq=False)
class Loop:
    """One execution of a loop, or of a function that calls itself, within the iteration `outer` of another."""

    node: For | While | Apply = field(repr=False)
    outer: Round | None = field(repr=False)
    times: int = 0


@dataclass(slots=True, eq=False)
class Round:
    """An iteration of a loop."""

    loop: Loop
    trip: int


@dataclass(slots=True, eq=False)
class Entry:
    """One value of the run and its adjoint.

    `seen` is the value as it was when it was made, `adjoint` what had arrived there when the reverse sweep came back to
    that moment (None: nothing). `bar` is where contributions are added: a number, or the array that `backwards` keeps.
    An array that shares memory with an older one has that as its `base`, and `view` takes the same part of another array.
    """

    value: Any
    type: Type | None
    event: Event | None = field(default=None, repr=False)
    base: Entry | None = field(default=None, repr=False)
    view: Callable[[Any], Any] | None = field(default=None, repr=False)
    items: Sequence[Entry] | None = field(default=None, repr=False)
    seen: Any = None
    bar: Any = None
    adjoint: Any = None
    writers: Any = None
    known: bool = True
    """Whether the adjoint is complete; not so where the value goes into a function that has no rule."""

    @property
    def root(self) -> Entry:
        """The array that owns the memory."""
        entry = self
        while entry.base is not None:
            entry = entry.base
        return entry


@dataclass(slots=True, eq=False)
class Term:
    """What one use of a value contributes to its adjoint."""

    source: Entry
    amount: Any


@dataclass(slots=True, eq=False)
class Event:
    """One node that was run: `operands` as they come in the node (without constants), `result` what it made.

    `sources` are, for each operand, the events that it comes from: one, or for memory that is written, all that
    wrote a part of what was read. `index` and `old` are those of a store: where, and what was there; its result is what
    is there then. `rest` is what the program of a hook, or of a pullback of the user's own, reads beside adjoints.
    """

    number: int
    node: Node = field(repr=False)
    result: Entry
    operands: tuple[Entry, ...] = field(repr=False)
    round: Round | None
    sources: tuple[tuple[int, ...], ...] = ()
    index: Any = None
    old: Any = None
    rest: tuple[Entry, ...] = field(default=(), repr=False)
    terms: list[Term] = field(default_factory=list, repr=False)

    @property
    def loc(self) -> Loc:
        """The user's place."""
        return self.node.loc


@dataclass(slots=True, eq=False)
class Recorded:
    """A run: its events in order, the entries of the parameters, and that of the result."""

    program: Function
    events: list[Event]
    parameters: dict[str, Entry]
    result: Entry
    seeds: list[Term] = field(default_factory=list)
    """The cotangents of the result, or of its items."""


def differentiable(entry: Entry) -> bool:
    """Whether an entry has an adjoint: a float or complex number or array that is no constant."""
    return is_float(entry.type) and entry.items is None and not isinstance(entry.value, Undefined)


def adjoint_of(entry: Entry) -> Any:
    """The adjoint: zero where nothing has arrived; None for what has none, or where it is not known."""
    if entry.adjoint is None and differentiable(entry) and entry.known:
        return np.zeros_like(entry.value)[()]
    return entry.adjoint


def is_custom(event: Event) -> bool:
    """Whether an event is a hook, or a call that has a pullback of the user's own."""
    return isinstance(event.node, Apply) and isinstance(event.node.function, Custom)


def is_hook(event: Event) -> bool:
    """Whether an event is a hook."""
    return is_custom(event) and event.node.function.passes  # type: ignore[union-attr]


def is_written(entry: Entry) -> bool:
    """Whether something writes to the array, so that its uses see different contents."""
    return entry.root.writers is not None


def is_number(entry: Entry) -> bool:
    """Whether an entry is a single number."""
    return entry.items is None and np.ndim(entry.value) == 0
