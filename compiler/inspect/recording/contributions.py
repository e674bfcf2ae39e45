"""`contributions`: the terms that add up to the adjoint of a variable."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.diagnostics import ArgumentError, Problem
from backsweep.inspect.recording.figures import full, short
from backsweep.inspect.recording.recorded import (
    Entry,
    Event,
    Term,
    adjoint_of,
    is_hook,
    is_number,
    is_written,
)
from backsweep.inspect.recording.variables import Traced, Variable
from backsweep.ir.nodes import Apply, Load, Store, Tap

MOST_PATHS = 32
"""The largest number of paths for which there is a term per path; otherwise there is a term per use of the variable."""


@dataclass(frozen=True, slots=True, eq=False)
class Contribution:
    """One term of an adjoint: the steps from the variable to the result, or to a use, and the amount that they contribute."""

    steps: tuple[str, ...]
    factors: tuple[Any, ...]
    """The partial derivative of each step; empty if the term is that of a use."""
    amount: Any


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """The terms whose sum is the adjoint of a variable. `print` shows them."""

    name: str
    value: Any
    terms: tuple[Contribution, ...]
    by_path: bool
    """Whether there is a term for each path to the result; else one for each use."""
    total: Any
    """The sum of the terms."""
    adjoint: Any

    def __str__(self) -> str:
        count, what = len(self.terms), "path" if self.by_path else "use"
        head = f"{self.name} = {_on_a_line(self.value)} has the adjoint {_on_a_line(self.adjoint)}"
        if not count:
            return f"{head}: the result does not depend on it"
        lines = [f"{head}, the sum over {count} {what}{'s' if count != 1 else ''}:"]
        amounts = [_on_a_line(term.amount) for term in self.terms]
        width = max(map(len, amounts))
        for amount, term in zip(amounts, self.terms, strict=True):
            factors = " * ".join(short(factor, 6) for factor in term.factors)
            product = f"   {factors}" if factors else ""
            lines.append(f"  {amount:>{width}}  {' -> '.join(term.steps)}{product}")
        return "\n".join(lines)


def _on_a_line(value: Any) -> str:
    """A number with all its digits, an array in short."""
    return full(value) if np.ndim(value) == 0 else short(value)


def contributions(trace: Traced, variable: Variable) -> Contributions:
    """The terms of a variable's adjoint."""
    if is_written(variable.entry):
        message = f"`{variable.name}` is written in place, so its adjoint is not a sum over its uses"
        remedy = "ask for a variable that is stored in it, or look at the table."
        raise ArgumentError(Problem("BS528", message, variable.loc, remedy))
    return terms_of(trace, variable.entry, variable.name)


def terms_of(trace: Traced, entry: Entry, name: str) -> Contributions:
    """The terms of the adjoint of a value; `name` is the value's name in their text."""
    found = _by_path(trace, entry, name) if is_number(entry) else None
    by_path = found is not None
    if found is None:
        found = [Contribution((name, use), (), amount) for use, amount in uses(entry, trace)]
    total: Any = 0.0
    for term in found:
        total = total + term.amount
    return Contributions(name, entry.seen, tuple(found), by_path, total, adjoint_of(entry))


def uses(entry: Entry, trace: Traced) -> Iterator[tuple[str, Any]]:
    """The uses of a value or of a view of it, each with its contribution to the adjoint."""
    hooks: list[Event] = []  # the hooks of the value's memory so far
    for event in trace.recorded.events:
        if event.result.base is None or is_hook(event):
            for term in event.terms:
                placed = _placed(term, entry, event, hooks)
                if placed is not None:
                    yield label(event), placed
        if event.result.root is entry.root and is_hook(event) and _is_later(event, entry):
            hooks.append(event)
    for term in trace.recorded.seeds:
        placed = _placed(term, entry, None, hooks)
        if placed is not None:
            yield "result", placed


def _is_later(event: Event, entry: Entry) -> bool:
    """Whether an event comes after the value was made."""
    return entry.event is None or event.number > entry.event.number


def _placed(term: Term, entry: Entry, event: Event | None, hooks: Sequence[Event]) -> Any:
    """The contribution of a use to a value, placed in the shape of the value; None if it is no use of the value.

    Names of the same memory share one adjoint, so that later uses of any of them count. A use after one of the `hooks`
    contributes through that hook instead.
    """
    if not isinstance(entry.value, np.ndarray):
        return term.amount if term.source is entry else None
    if term.source.root is not entry.root or (
        event is not None and entry.event is not None and event.number < entry.event.number
    ):
        return None
    whole = np.zeros_like(entry.root.value)
    part = _part_of(term.source, whole)
    if event is not None and isinstance(event.node, Load):
        part[event.index] += term.amount
    elif event is not None and isinstance(event.node, Apply) and event.node.function is operator.getitem:
        np.add.at(part, event.operands[1].value, term.amount)
    else:
        part[...] += term.amount
    for hook in hooks:
        _part_of(hook.result, whole)[...] = 0.0
    own = _part_of(entry, whole)
    return own.copy() if own.any() or (term.source is entry and not hooks) else None


def _part_of(entry: Entry, whole: Any) -> Any:
    """The part of `whole`, an array in the shape of the entry's root, at which the entry is."""
    if entry.base is None:
        return whole
    assert entry.view is not None
    return entry.view(_part_of(entry.base, whole))


def _by_path(trace: Traced, entry: Entry, name: str) -> list[Contribution] | None:
    """A term for each path to the result; None if there are too many, or arrays on them."""
    recorded, followers = trace.recorded, trace.followers
    seed = recorded.result.adjoint if recorded.result.items is None else None
    if seed is None or not is_number(recorded.result):
        return None
    found: list[Contribution] = []
    waiting: list[tuple[Entry, tuple[str, ...], tuple[Any, ...]]] = [(entry, (name,), ())]
    while waiting:
        last, steps, factors = waiting.pop()
        if last is recorded.result:
            product = _product(seed, factors, strong_zeros=recorded.strong_zeros)
            found.append(Contribution((*steps, "result"), factors, product))
            continue
        further = followers.of(last)
        if further is None or len(found) + len(waiting) + len(further) > MOST_PATHS:
            return None
        for event, partial in reversed(further):
            # a step that only names a number, or stores it in an array, is no factor
            if is_plain(event):
                own = (label(event),) if isinstance(event.node, Apply) else ()
                kept = steps if own and len(steps) == 1 and steps == own else (*steps[:-1], steps[-1])
                waiting.append((event.result, _renamed(kept, own), factors))
            else:
                waiting.append((event.result, (*steps, label(event)), (*factors, partial)))
    return found


def _product(seed: Any, factors: Sequence[Any], *, strong_zeros: bool) -> Any:
    """The product of the partial derivatives; as in the reverse sweep, what is zero stays zero, whatever comes before it."""
    if not strong_zeros or 0.0 not in factors:
        return functools.reduce(operator.mul, factors, seed)
    product = seed
    for factor in reversed(factors):
        product = product * factor if product else product
    return product


def _renamed(steps: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
    """The steps, the last of which takes the name of the variable that its value is assigned to."""
    if not own or steps[-1] == own[0]:
        return steps
    return (*steps[:-1], f"{own[0]} = {steps[-1]}") if len(steps) > 1 else (*steps, *own)


def is_plain(event: Event) -> bool:
    """Whether an event passes a number on unchanged."""
    node = event.node
    return isinstance(node, Store | Load) or (isinstance(node, Apply) and isinstance(node.function, Tap))


def label(event: Event) -> str:
    """The text of a step: the name of a variable, or the piece of the user's line that computes the value."""
    node, loc = event.node, event.loc
    if isinstance(node, Apply) and isinstance(node.function, Tap):
        return node.function.label
    text = loc.text[loc.column : loc.end_column].strip()
    if is_hook(event):
        return "hook"
    if not text or len(text) > LONGEST:
        name = str(getattr(getattr(node, "function", None), "__name__", "part"))
        return SIGNS.get(name, name)
    return text


LONGEST = 20
"""The longest piece of a line that is shown; for a longer piece, only its function is shown."""
SIGNS = {
    "add": "+", "sub": "−", "mul": "×", "truediv": "/", "pow": "**", "neg": "−", "matmul": "@", "mod": "%",
}  # fmt: skip
