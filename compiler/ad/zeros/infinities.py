"""Find the values that may be infinite although the result is not: only these meet adjoints that are exactly zero.

A value has a *pole* if it may be infinite for finite arguments, as a quotient or a logarithm may, or if it is computed
from such a value. It *shows* if the result is infinite or nan wherever it is, so that no finite derivative exists there: a
sum shows its terms. It may be *masked* if something may hide it: a choice, a branch, a store over it, a slice, a function
that is finite for infinite operands.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from backsweep.ad.zeros.ranges import Ranges
from backsweep.analysis.structure import Facts
from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
    Dots,
    For,
    If,
    Index,
    Load,
    NewAxis,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.operations import Kind, kind, operation
from backsweep.ir.types import Array, Tuple, is_float
from backsweep.ir.walk import carried_parameters, operands, walk
from backsweep.rules.limits import leaves_domain, may_overflow, shown_by


class Infinities:
    """Which values of a typed program may be infinite where their adjoint is zero.

    `wanted` is the result if its cotangent is known not to be zero, else None.
    """

    def __init__(self, facts: Facts, ranges: Ranges, wanted: Operand | None) -> None:
        self.facts = facts
        self.ranges = ranges
        self.wanted = wanted
        self._open: list[Value] = []
        """The results of loops that are looked at."""

    def shows(self, value: Value) -> bool:
        """Whether the result is infinite or nan wherever the value is, and its cotangent is not zero."""
        return self._key(value) in self._finite_in_wanted

    def shows_in_result(self, value: Value) -> bool:
        """Whether the result is infinite or nan wherever the value is."""
        return self._key(value) in self._finite_in_result

    def reached_from(self, begun: Iterable[Value]) -> frozenset[Value]:
        """The values that are computed from some, and those themselves."""
        return _closure(map(self._key, begun), lambda value: self._users.get(value, ()))

    def is_in(self, operand: Operand, values: frozenset[Value]) -> bool:
        """Whether an operand is one of the values that `reached_from` found."""
        return isinstance(operand, Value) and self._key(operand) in values

    def is_hidden(self, operand: Operand) -> bool:
        """Whether the operand may be infinite where the adjoint, or the tangent, that it is multiplied with is zero."""
        if not isinstance(operand, Value):
            return False
        key = self._key(operand)
        if key not in self._masked:
            return False
        return (key in self._with_poles and key not in self._finite_in_wanted) or (
            key in self._large and key not in self._finite_in_result
        )

    # From values to those that are computed from them

    def _key(self, value: Value) -> Value:
        """The value itself; of an array that is written, one for all that share its memory."""
        return self.facts.aliases.of(value) if self.facts.aliases.is_buffer(value) else value

    @cached_property
    def _sources(self) -> dict[Value, list[Value]]:
        """What each value is computed from, where an infinite source may make it infinite."""
        found: dict[Value, list[Value]] = {}

        def put(result: Value, sources: Iterable[Operand]) -> None:
            if is_float(result.type):
                known = found.setdefault(self._key(result), [])
                known += (
                    self._key(each) for each in sources if isinstance(each, Value) and is_float(each.type)
                )

        for node in walk(self.facts.function.body):
            match node:
                case Apply():
                    unread = operation(node.function).shape_only
                    put(node.result, (each for k, each in enumerate(operands(node)) if k not in unread))
                case Load(buffer=Value() as buffer) | View(buffer=buffer):
                    put(node.result, (buffer,))
                case Store():
                    put(node.buffer, (node.value,))
                case If():
                    for result, *yields in zip(
                        node.results, node.then.yields, node.orelse.yields, strict=True
                    ):
                        put(result, yields)
                case For() | While():
                    parts = zip(
                        carried_parameters(node), node.results, node.inits, node.body.yields, strict=True
                    )
                    for parameter, result, *sources in parts:
                        put(parameter, sources)
                        put(result, sources)
                case _:
                    pass
        return found

    @cached_property
    def _users(self) -> dict[Value, list[Value]]:
        """What is computed from each value."""
        found: dict[Value, list[Value]] = {}
        for result, sources in self._sources.items():
            for source in sources:
                found.setdefault(source, []).append(result)
        return found

    def _begun(self, test: Callable[..., bool]) -> list[Value]:
        """The results of the calls whose function passes the test."""
        begun = []
        for node in walk(self.facts.function.body):
            if isinstance(node, Apply) and is_float(node.result.type):
                block = self.facts.holder[node]
                ranges = [self.ranges.at(operand, block) for operand in node.operands]
                if test(node.function, ranges):
                    begun.append(self._key(node.result))
        return begun

    @cached_property
    def _with_poles(self) -> frozenset[Value]:
        begun = self._begun(leaves_domain)
        for node in walk(self.facts.function.body):
            if (
                isinstance(node, Apply)
                and is_float(node.result.type)
                and any(map(_is_infinite, operands(node)))
            ):
                begun.append(self._key(node.result))
        return _closure(begun, lambda value: self._users.get(value, ()))

    @cached_property
    def _large(self) -> frozenset[Value]:
        return frozenset(self._begun(may_overflow))

    # What hides them

    @cached_property
    def _masked(self) -> frozenset[Value]:
        """The values that something may hide on some way to the result."""
        begun = [
            self._key(value) for node in walk(self.facts.function.body) for value in self._hidden_by(node)
        ]
        if self.wanted is None:
            begun += map(self._key, self._returned())
        return _closure(begun, lambda value: self._sources.get(value, ()))

    def _returned(self) -> list[Value]:
        """The parts of the result that may have a cotangent of zero beside others: arrays, and numbers of several."""
        found, waiting = [], [*self.facts.function.body.yields]
        while waiting:
            operand = waiting.pop()
            node = self.facts.definitions.get(operand) if isinstance(operand, Value) else None
            if isinstance(node, Apply) and isinstance(node.result.type, Tuple):
                waiting += node.operands
            elif isinstance(operand, Value) and is_float(operand.type):
                found.append(operand)
        return found if len(found) > 1 else [each for each in found if isinstance(each.type, Array)]

    def _hidden_by(self, node: Node) -> Iterator[Value]:
        """The operands of the node that may be infinite although its result is finite."""
        read: list[Operand] = []
        match node:
            case Apply() if node.function is operator.getitem or isinstance(node.result.type, Tuple):
                pass
            case Apply() if is_float(node.result.type):
                read = [*operands(node)]
                shown = shown_by(node.function, [self.ranges.of(each) for each in node.operands])
                read = [
                    each for k, each in enumerate(read) if k not in shown or self._is_conditional(each, node)
                ]
            case View(buffer=buffer, index=index):
                read = [] if _takes_all(index) else [buffer]
            case Load(buffer=buffer, index=index):
                read = [] if all(map(self._runs_through, index)) else [buffer]
            case Store():
                read = [node.value] if self._is_conditional(node.value, node) else []
                if self._overwrites(node):
                    read.append(node.buffer)
            case If():
                for block in (node.then, node.orelse):
                    read += (each for each in block.yields if not self._is_made_in(each, block))
            case For() | While():
                used = self._read_somewhere
                pairs = zip(carried_parameters(node), node.body.yields, strict=True)
                read = [each for parameter, each in pairs if parameter not in used]
            case _:
                pass
        yield from (each for each in read if isinstance(each, Value) and is_float(each.type))

    @cached_property
    def _read_somewhere(self) -> frozenset[Operand]:
        """The values that a node reads."""
        return frozenset(each for node in walk(self.facts.function.body) for each in operands(node))

    def _is_made_in(self, operand: Operand, block: Block) -> bool:
        return isinstance(operand, Value) and self.facts.where.get(operand) is block

    def _is_conditional(self, operand: Operand, node: Node) -> bool:
        """Whether the operand may be computed where the node does not run. Loops are taken to run."""
        if not isinstance(operand, Value):
            return False
        made, block = self.facts.where.get(operand), self.facts.holder[node]
        while block is not made and block in self.facts.parents:
            region, block = self.facts.parents[block]
            if not isinstance(region, For):
                return True
        return False

    def _overwrites(self, store: Store) -> bool:
        """Whether a store may hide entries: a constant, one under a condition, one after others."""
        if store.accumulate:
            return False
        root = self.facts.aliases.root(store.buffer)
        made = self.facts.definitions.get(root)
        is_empty = isinstance(made, Apply) and kind(made.function) in (Kind.NEW, Kind.ALIKE)
        others = [each for each in self.facts.stores_to(root) if not each.accumulate]
        return (
            isinstance(store.value, Const)
            or self._is_conditional(root, store)
            or len(others) > 1
            or not is_empty
        )

    # What shows them

    @cached_property
    def _finite_in_wanted(self) -> frozenset[Value]:
        return self._showing(self.wanted)

    @cached_property
    def _finite_in_result(self) -> frozenset[Value]:
        return self._showing(self.facts.function.body.yields[0])

    def _showing(self, result: Operand | None) -> frozenset[Value]:
        """The values that are not infinite where the result is finite."""
        if not isinstance(result, Value):
            return frozenset()
        return _closure(self._kept([result]), lambda value: self._kept(self._shown_through(value)))

    def _kept(self, operands: Iterable[Operand]) -> Iterator[Value]:
        """The values among some operands; arrays that something is stored over are left out."""
        for operand in operands:
            if isinstance(operand, Value):
                key = self._key(operand)
                if not (self.facts.aliases.is_buffer(key) and self._overwritten(key)):
                    yield key

    def _shown_through(self, value: Value) -> Iterator[Operand]:
        """The operands that are not infinite if this value is not."""
        if self.facts.aliases.is_buffer(value):
            for store in self.facts.stores_to(value):
                if not self._is_conditional(store.value, store):
                    yield store.value
        node = self.facts.definitions.get(value)
        match node:
            case Apply():
                ranges = [self.ranges.of(each) for each in node.operands]
                shown = [node.operands[k] for k in shown_by(node.function, ranges)]
                yield from (each for each in shown if not self._is_conditional(each, node))
            case View(buffer=buffer) if _takes_all(node.index):
                yield buffer
            case Load(buffer=buffer) if all(map(self._runs_through, node.index)):
                yield buffer
            case If():
                place = node.results.index(value)
                sides = ((side.yields[place], side) for side in (node.then, node.orelse))
                yield from (ended for ended, side in sides if self._is_made_in(ended, side))
            case For() | While():
                place = node.results.index(value)
                parameter, ended = carried_parameters(node)[place], node.body.yields[place]
                if self._is_made_in(ended, node.body) and value not in self._open:
                    # What an earlier iteration yields shows if the next one shows what it gets
                    self._open.append(value)
                    before = self._showing(ended)
                    self._open.pop()
                    if parameter in before:
                        yield from (*before, node.inits[place])
            case _:
                pass

    def _overwritten(self, buffer: Value) -> bool:
        """Whether something may have been stored in an array that is not there in the end."""
        return any(map(self._overwrites, self.facts.stores_to(buffer)))

    def _runs_through(self, item: object) -> bool:
        """Whether an index takes every place from the first on."""
        if not isinstance(item, Value):
            return False
        region, _ = self.facts.parents.get(self.facts.where[item], (None, None))
        if not isinstance(region, For) or item is not region.body.parameters[0]:
            return False
        return all(
            isinstance(each, Const) and each.value == wanted
            for each, wanted in ((region.start, 0), (region.step, 1))
        )


def _is_infinite(operand: Operand) -> bool:
    """Whether the operand is a literal that is infinite or nan."""
    value = operand.value if isinstance(operand, Const) else None
    return isinstance(value, float) and not math.isfinite(value)


def _takes_all(index: Index) -> bool:
    """Whether an index takes every entry of an array."""
    return all(
        isinstance(item, NewAxis | Dots) or (isinstance(item, Slice) and item.is_whole) for item in index
    )


def _closure(begun: Iterable[Value], following: Callable[[Value], Iterable[Value]]) -> frozenset[Value]:
    """The values that follow from some, and those themselves."""
    found: dict[Value, None] = dict.fromkeys(begun)
    waiting = list(found)
    while waiting:
        for value in following(waiting.pop()):
            if value not in found:
                found[value] = None
                waiting.append(value)
    return frozenset(found)
