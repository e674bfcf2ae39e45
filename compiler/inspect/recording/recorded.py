"""The record of a run: its events, the values that they computed, and the adjoints of these values.

The objects refer to each other, so that no `repr` follows the references.
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
    """One execution of a loop or of a recursive function, inside the iteration `outer` of another."""

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

    `seen` is the value at its creation, `adjoint` the adjoint when the reverse sweep reaches that moment (None if it has
    no contribution). Contributions are added to `bar`: a number, or the array that `backwards` keeps. An array that
    shares memory with an older array has it as its `base`, and `view` takes the same part of another array.
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
    """Whether the adjoint is complete; it is not if a function without a rule uses the value."""

    @property
    def root(self) -> Entry:
        """The array that owns the memory."""
        entry = self
        while entry.base is not None:
            entry = entry.base
        return entry


@dataclass(slots=True, eq=False)
class Term:
    """The contribution of one use of a value to its adjoint."""

    source: Entry
    amount: Any


@dataclass(slots=True, eq=False)
class Event:
    """One execution of a node: `operands` in the node's order, `result` its value.

    `sources` are, for each operand, the events that it comes from: one event, or all events that wrote a part of the
    memory that was read. A store has an `index` and the `old` entries there; its result is the new entries. `rest` are
    the values that the user's program of a hook or a pullback reads besides adjoints.
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
    is_norm_of_zero: bool = False
    """Whether it takes the root of a sum of squares that is zero here, where the derivative is zero."""
    terms: list[Term] = field(default_factory=list, repr=False)

    @property
    def loc(self) -> Loc:
        """The place in the user's code."""
        return self.node.loc


@dataclass(slots=True, eq=False)
class Recorded:
    """A run: its events in order, the entries of the parameters, and the entry of the result."""

    program: Function
    events: list[Event]
    parameters: dict[str, Entry]
    result: Entry
    seeds: list[Term] = field(default_factory=list)
    """The cotangents of the result, or of its items."""
    strong_zeros: bool = True
    """Whether an adjoint that is zero contributes zero through a partial derivative that is infinite."""


def differentiable(entry: Entry) -> bool:
    """Whether an entry can have an adjoint: it is a float, a complex number or an array of these, and not a constant."""
    return is_float(entry.type) and entry.items is None and not isinstance(entry.value, Undefined)


def adjoint_of(entry: Entry) -> Any:
    """The adjoint of an entry, zero if it has no contribution; None if it has no adjoint or the adjoint is not known."""
    if entry.adjoint is None and differentiable(entry) and entry.known:
        return np.zeros_like(entry.value)[()]
    return entry.adjoint


def is_custom(event: Event) -> bool:
    """Whether an event is a hook or a call of a `custom_vjp`."""
    return isinstance(event.node, Apply) and isinstance(event.node.function, Custom)


def is_hook(event: Event) -> bool:
    """Whether an event is a hook."""
    return is_custom(event) and event.node.function.passes  # type: ignore[union-attr]


def is_written(entry: Entry) -> bool:
    """Whether something writes to the array, so that its uses see different contents."""
    return entry.root.writers is not None


def is_number(entry: Entry) -> bool:
    """Whether an entry is a single number; an array without axes is none, because names share its memory."""
    return entry.items is None and np.ndim(entry.value) == 0 and not isinstance(entry.value, np.ndarray)
