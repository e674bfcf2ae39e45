"""Go back over a recorded run: compute every adjoint, and the contribution of each use of a value to its adjoint.

Events are undone last to first. Undoing a store restores the overwritten entries, so that each rule sees the operands
that the function saw. Memory that is written has a shadow, as in the emitted reverse sweep: the shadow of a view is the
same view of the shadow, and undoing a store reads and clears its place in the shadow.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from backsweep.ad.custom import other_shape
from backsweep.ad.zeros.ranges import Ranges
from backsweep.ad.zeros.squares import Squares
from backsweep.analysis.activity import find_active
from backsweep.analysis.alias import find_aliases
from backsweep.analysis.structure import facts_of
from backsweep.diagnostics import UnsupportedError
from backsweep.inspect.recording.recorded import Entry, Event, Recorded, Term, differentiable, is_written
from backsweep.inspect.recording.run import SEEN, answer
from backsweep.ir.nodes import Apply, Callee, Custom, Function, Load, Store, Tap, Value
from backsweep.ir.types import is_float
from backsweep.ir.walk import walk
from backsweep.legalise.unsupported import refuse_unsupported
from backsweep.rules.declare import Constant, Rule, lookup
from backsweep.rules.matching import is_constant, lacks_rule, matched, no_rule, refused


def check(program: Function) -> frozenset[Value]:
    """The active values of the program; raises UnsupportedError for a program that cannot be recorded."""
    found: set[Value] = set()
    for function in _programs(program):
        floats = [value for value in function.body.parameters if is_float(value.type)]
        activity = find_active(function, floats, find_aliases(function), is_constant)
        refuse_unsupported(function, activity.varied)
        found |= activity.active
        for node in walk(function.body):
            if lacks_rule(node, activity.active) and lookup(node.function):
                raise UnsupportedError(no_rule(node))
    return frozenset(found)


def _programs(program: Function) -> list[Function]:
    """The program and the programs of recursive functions, which stay calls."""
    found = [program]
    for function in found:
        for node in walk(function.body):
            if isinstance(node, Apply) and isinstance(node.function, Callee):
                called = node.function.program
                if called is not None and called not in found:
                    found.append(called)
    return found


def go_back(
    recorded: Recorded, cotangent: Any, active: frozenset[Value], *, strong_zeros: bool = True
) -> None:
    """Set the adjoint of each entry, and in each event the terms that it contributes to the adjoints of its operands."""
    recorded.strong_zeros = strong_zeros
    roots = _norms(recorded.program) if strong_zeros else frozenset()
    sweep = _Backwards(active, strong_zeros=strong_zeros)
    with np.errstate(all="ignore"):
        for event in recorded.events:
            if isinstance(event.node, Apply) and event.node.result in roots:
                event.is_norm_of_zero = not np.all(event.result.value)
        recorded.seeds += sweep.seed(recorded.result, cotangent)
        for event in reversed(recorded.events):
            sweep.reverse(event)
        for entry in recorded.parameters.values():
            sweep.finish(entry)


def _norms(program: Function) -> frozenset[Value]:
    """The results of roots of sums of squares: the derivative of a norm at zero is zero."""
    found: set[Value] = set()
    for function in _programs(program):
        facts = facts_of(function)
        squares = Squares(facts, Ranges(facts))
        found |= {
            node.result for node in walk(function.body) if isinstance(node, Apply) and squares.has_root(node)
        }
    return frozenset(found)


def partials(event: Event) -> list[tuple[Entry, Any]] | None:
    """The partial derivatives of the number that an event computes, one for each operand that is a number.

    None if they are not known: the event is no function of numbers, or it reads memory that was written since.
    """
    node = event.node
    if isinstance(node, Store):
        buffer, value = event.operands
        return [(value, 1.0), (buffer, 1.0)] if node.accumulate else [(value, 1.0)]
    if isinstance(node, Load) or (isinstance(node, Apply) and isinstance(node.function, Tap)):
        return [(event.operands[0], 1.0)]
    rule = matched(node) if isinstance(node, Apply) else None
    if isinstance(rule, Constant):
        return []
    if (
        rule is None
        or event.result.items is not None
        or rule.refused
        or any(is_written(entry) for entry in event.operands)
    ):
        return None
    with np.errstate(all="ignore"):
        return by_rule(event, rule, [1.0])


def by_rule(event: Event, rule: Rule, bars: Sequence[Any]) -> list[tuple[Entry, Any]]:
    """The contribution to each operand, by the rule of the function, for these cotangents of its results."""
    node = event.node
    assert isinstance(node, Apply)
    places = rule.bind(len(node.operands), [key for key, _ in node.keywords])
    assert places is not None
    given = {rule.parameters[place]: entry for place, entry in zip(places, event.operands, strict=True)}
    returned = rule.function(**{name: entry.value for name, entry in given.items()})
    amounts = returned[1](*bars)
    if not isinstance(amounts, tuple):
        amounts = (amounts,)
    if event.is_norm_of_zero:
        amounts = tuple(
            amount if amount is None else np.where(event.result.value, amount, 0.0) for amount in amounts
        )
    pairs = zip(rule.differentiated, rule.adjoints, amounts, strict=True)
    return [
        (given[name], amount)
        for name, adjoint, amount in pairs
        if adjoint is not None and amount is not None and name in given and differentiable(given[name])
    ]


def by_program(event: Event, bars: Sequence[Any]) -> list[Any]:
    """The contribution to each operand, by the user's program of a hook or a pullback, for these cotangents."""
    node = event.node
    assert isinstance(node, Apply)
    assert isinstance(node.function, Custom)
    custom = node.function
    types = [value.type for value in custom.backward.body.parameters]
    given = [Entry(bar, type_) for bar, type_ in zip(bars, types, strict=False)]
    found = answer(custom.backward, [*given, *event.rest])
    _, arguments, _ = custom.split(node.operands)
    amounts = []
    for entry, argument, part in zip(event.operands, arguments, found, strict=True):
        if differentiable(entry) and np.shape(part.value) != np.shape(entry.value):
            raise ValueError(other_shape(custom, argument))
        amounts.append(np.copy(part.value)[()])  # a copy, because memory that it shares is restored later
    return amounts


class _Backwards:
    """Holds the adjoints while events are undone."""

    def __init__(self, active: frozenset[Value], *, strong_zeros: bool) -> None:
        self.active = active
        self.strong_zeros = strong_zeros

    def seed(self, entry: Entry, cotangent: Any) -> Iterator[Term]:
        """Begin with the cotangent of the result."""
        if entry.items is not None:
            for item, part in zip(entry.items, cotangent, strict=True):
                yield from self.seed(item, part)
        elif differentiable(entry):
            self.add(entry, cotangent)
            yield Term(entry, cotangent)

    def finish(self, entry: Entry) -> None:
        """The adjoint of an argument."""
        for item in entry.items or ():
            self.finish(item)
        entry.adjoint = self.now(entry)

    # Adjoints

    def shadow(self, entry: Entry) -> Any:
        """The memory of an array's adjoint."""
        if entry.base is not None:
            assert entry.view is not None
            return entry.view(self.shadow(entry.base))
        if entry.bar is None:
            entry.bar = np.zeros_like(entry.value)
        return entry.bar

    def now(self, entry: Entry) -> Any:
        """The current adjoint; None if it has no contribution yet."""
        if not isinstance(entry.value, np.ndarray) or entry.root.bar is None:
            return entry.bar
        if entry.base is None:
            return entry.bar
        shadow = self.shadow(entry)
        return shadow.copy() if shadow.size <= SEEN or isinstance(entry.seen, np.ndarray) else None

    def add(self, entry: Entry, amount: Any) -> None:
        """Add to an adjoint."""
        if isinstance(entry.value, np.ndarray):
            self.shadow(entry)[...] += amount
        else:
            entry.bar = amount if entry.bar is None else entry.bar + amount

    def contribute(self, event: Event, entry: Entry, amount: Any, *, summed: bool = False) -> None:
        """Add a contribution in its operand's shape, and note it; with `summed`, sum it over broadcast axes."""
        if not differentiable(entry):
            return
        if np.iscomplexobj(amount) and not np.iscomplexobj(entry.value):
            amount = np.real(amount)
        if isinstance(entry.value, np.ndarray):
            amount = _summed_to(np.asarray(amount), entry.value.shape) if summed else amount
        elif isinstance(amount, np.ndarray):
            amount = np.sum(amount)
        self.add(entry, amount)
        event.terms.append(Term(entry, amount))

    # Events

    def reverse(self, event: Event) -> None:
        """Undo one event."""
        node, result = event.node, event.result
        if isinstance(node, Store):
            self.store(event, node)
            return
        for item in result.items or ():
            item.adjoint = self.now(item)
        result.adjoint = self.now(result)
        if result.base is not None:
            if isinstance(node, Apply) and isinstance(node.function, Custom):
                self.hook(event, result)
            elif result.adjoint is not None:
                event.terms.append(Term(event.operands[0], result.adjoint))
            return  # the adjoint is there already
        if isinstance(node, Load):
            self.load(event, result)
        elif isinstance(node, Apply) and isinstance(node.function, Tap):
            if result.adjoint is not None:
                self.contribute(event, event.operands[0], result.adjoint)
        elif isinstance(node, Apply):
            self.apply(event, node, result)

    def hook(self, event: Event, result: Entry) -> None:
        """Undo a hook of memory that is written: its result replaces the adjoint in the shadow."""
        if result.root.bar is not None:
            shadow = self.shadow(result)
            (shadow[...],) = by_program(event, [shadow.copy()])
            event.terms.append(Term(event.operands[0], shadow.copy()))

    def load(self, event: Event, result: Entry) -> None:
        """Undo the load of an element."""
        (buffer,) = event.operands
        if result.adjoint is not None and differentiable(buffer):
            self.shadow(buffer)[event.index] += result.adjoint
            event.terms.append(Term(buffer, result.adjoint))

    def store(self, event: Event, node: Store) -> None:
        """Undo a store: read its place in the shadow, clear the place unless the store accumulates, and restore memory."""
        buffer, value = event.operands
        if buffer.root.bar is not None:
            shadow = self.shadow(buffer)
            bar = event.result.adjoint = np.copy(shadow[event.index])[()]
            if not node.accumulate:
                shadow[event.index] = 0.0
            self.contribute(event, value, bar, summed=True)
        buffer.value[event.index] = event.old

    def apply(self, event: Event, node: Apply, result: Entry) -> None:
        """Undo the application of a function, by its rule."""
        items = result.items
        bars = [result.adjoint] if items is None else [item.adjoint for item in items]
        if all(bar is None for bar in bars):
            return
        if node.function is operator.getitem:
            array, index = event.operands
            np.add.at(self.shadow(array), index.value, result.adjoint)
            event.terms.append(Term(array, result.adjoint))
            return
        if isinstance(node.function, Custom):
            for entry, amount in zip(event.operands, by_program(event, _all(bars, items)), strict=True):
                self.contribute(event, entry, amount)
            return
        rule = matched(node)
        if rule is None:
            if node.result in self.active:
                raise UnsupportedError(no_rule(node))
            for entry in event.operands:
                entry.known = False
        if not isinstance(rule, Rule):
            return
        unknown = refused(node, rule, self.active)
        if unknown is not None:
            raise UnsupportedError(unknown)
        bars = _all(bars, items)
        broadcasts = rule.elementwise and isinstance(result.value, np.ndarray)
        for entry, amount in by_rule(event, rule, bars):
            if self.strong_zeros and rule.elementwise and not np.all(np.isfinite(amount)):
                amount = np.where(bars[0], amount, 0.0)[()]
            self.contribute(event, entry, amount, summed=broadcasts)


def _all(bars: Sequence[Any], items: Sequence[Entry] | None) -> list[Any]:
    """The cotangents of a function's results; zero for items without a contribution."""
    if items is None:
        return list(bars)
    return [np.zeros_like(item.value) if bar is None else bar for item, bar in zip(items, bars, strict=True)]


def _summed_to(amount: Any, shape: tuple[int, ...]) -> Any:
    """A cotangent summed over the axes along which an array of this shape was broadcast."""
    if amount.shape == shape or amount.ndim < len(shape):
        return amount
    lead = amount.ndim - len(shape)
    axes = tuple(k for k in range(amount.ndim) if k < lead or (shape[k - lead] == 1 and amount.shape[k] != 1))
    return amount.sum(axis=axes).reshape(shape)
