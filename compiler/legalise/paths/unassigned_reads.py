"""Raise where a variable is read that no path to that place has assigned, as Python does: behind a loop that did not run, say.

Where branches and loops prove that the variable is there, nothing is written. Else a flag says so. Behind a loop whose
every round assigns the variable, that is whether its range has a number; any other flag goes with the variable.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from backsweep.analysis.assigned import perhaps_unassigned
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Const,
    For,
    Function,
    If,
    Node,
    Operand,
    Raise,
    Value,
    While,
)
from backsweep.ir.walk import carried_parameters, map_blocks, operands, with_body, with_nodes
from backsweep.legalise.paths.proved_assigned import Proofs, Truths, number_of, raises


def check_unassigned_reads(function: Function) -> Function:
    """The program, which raises UnboundLocalError before it reads a variable that is unassigned on the path that ran."""
    gaps = perhaps_unassigned(function.body)
    if not gaps:
        return function
    proofs = Proofs(function, gaps)
    reads = _Reads(proofs)
    reads.block(function.body, {}, frozenset(), is_whole=True)
    if not reads.wanted:
        return function
    return with_body(function, _Flags(proofs, reads.wanted).block(function.body))


class _Reads:
    """The reads that nothing proves: before which nodes, of which values; None stands for the end of the program."""

    def __init__(self, proofs: Proofs) -> None:
        self.proofs = proofs
        self.wanted: dict[Node | None, list[Value]] = {}

    def block(
        self, block: Block, known: Truths, seen: AbstractSet[Operand], *, is_whole: bool = False
    ) -> None:
        """Look through a block; `seen` are the values of which a read before this place is one already."""
        proofs = self.proofs
        for node in block.nodes:
            read = operands(node)
            if isinstance(node, For | While):
                read = read[3 if isinstance(node, For) else 0 :][len(node.inits) :]
                read += (node.start, node.stop, node.step) if isinstance(node, For) else ()
            seen = self._read(node, read, known, seen)
            match node:
                case If():
                    self.block(node.then, proofs.also(known, node.condition, holds=True), seen)
                    self.block(node.orelse, proofs.also(known, node.condition, holds=False), seen)
                    for side, holds in ((node.then, False), (node.orelse, True)):
                        if raises(side):
                            known = proofs.also(known, node.condition, holds=holds)
                case For():
                    self.block(node.body, known, seen)
                case While():
                    self.block(node.condition, known, seen)
                    begun = proofs.also({}, node.condition.yields[0], holds=True)
                    pairs = zip(node.condition.parameters, node.body.parameters, strict=True)
                    names: dict[Operand, Operand] = {**dict(pairs)}
                    begun = {names.get(each, each): holds for each, holds in begun.items()}
                    self.block(node.body, {**known, **begun}, seen)
                case _:
                    pass
        if is_whole:
            self._read(None, block.yields, known, seen)

    def _read(
        self, node: Node | None, read: tuple[Operand, ...], known: Truths, seen: AbstractSet[Operand]
    ) -> AbstractSet[Operand]:
        """Note what a node reads and nothing proves; what is seen behind it."""
        found = [
            each
            for each in dict.fromkeys(read)
            if isinstance(each, Value)
            and each in self.proofs.gaps
            and each not in seen
            and not self.proofs.is_there(each, known)
        ]
        if not found:
            return seen
        self.wanted[node] = found
        return seen | {*found}


class _Flags:
    """Writes flags, and checks of them: each is true where its variable is missing."""

    def __init__(self, proofs: Proofs, wanted: Mapping[Node | None, list[Value]]) -> None:
        self.proofs = proofs
        self.wanted = wanted
        self.flags: dict[Value, Value] = {}
        self.by_range: set[Value] = set()
        waiting = [each for found in wanted.values() for each in found]
        while waiting:
            value = waiting.pop()
            if value not in self.flags and value not in self.by_range:
                waiting += self._needed(value)

    def _needed(self, value: Value) -> list[Value]:
        """Give the value a flag; the values whose flags that reads."""
        proofs = self.proofs
        match proofs.made.get(value):
            case If() as node:
                place = node.results.index(value)
                ends: tuple[Operand, ...] = (node.then.yields[place], node.orelse.yields[place])
                merged: tuple[Value, ...] = (value,)
            case For() | While() as loop:
                merged, ends = _merged(loop, loop.results.index(value))
                if (
                    isinstance(loop, For)
                    and ends[0] is UNDEFINED
                    and number_of(loop.step)
                    and proofs.is_there(ends[1], {})
                ):
                    self.by_range.add(value)
                    self.flags[value] = _flag(value)
                    return []
            case _:
                loop, parameters = proofs.loops[value]
                merged, ends = _merged(loop, parameters.index(value))
        self.flags.update((each, _flag(each)) for each in merged if each not in self.flags)
        return [each for each in ends if isinstance(each, Value) and self._is_gap(each)]

    def _is_gap(self, operand: Operand) -> bool:
        return not self.proofs.is_there(operand, {})

    def missing(self, operand: Operand) -> Operand:
        """Whether the operand is missing."""
        if operand is UNDEFINED:
            return Const(True)
        return self.flags.get(operand, Const(False)) if isinstance(operand, Value) else Const(False)

    def block(self, block: Block, *, is_whole: bool = True) -> Block:
        """The block with flags beside what it merges, and with checks."""
        builder = Builder()
        for node in block.nodes:
            builder.loc = node.loc
            self._check(builder, node)
            builder.add(self._written(node))
            if isinstance(node, For):
                ends = (node.stop, node.start)
                if (number_of(node.step) or 0) < 0:
                    ends = (node.start, node.stop)
                for value in (each for each in node.results if each in self.by_range):
                    builder.add(Apply(self.flags[value], operator.le, ends, node.loc))
        if is_whole:
            self._check(builder, None)
        return with_nodes(block, builder.current.nodes)

    def _check(self, builder: Builder, node: Node | None) -> None:
        """Add `if v_missing: raise UnboundLocalError(...)` for what the node reads."""
        for value in self.wanted.get(node, ()):
            name = self._name(value)
            name = f"`{name}`" if name else "a value"
            text = f"{name} is read before it is assigned"
            stopping = Raise(Const(UnboundLocalError), (Const(text),), builder.loc, local=True)
            builder.add(If(self.flags[value], Block((), (stopping,), ()), Block((), (), ()), (), builder.loc))

    def _name(self, value: Value) -> str:
        """The variable that is missing: of a branch that chooses between others, that which may be."""
        node = self.proofs.made.get(value)
        if isinstance(node, If):
            place = node.results.index(value)
            ends = [side.yields[place] for side in (node.then, node.orelse)]
            gaps = [each for each in ends if isinstance(each, Value) and self._is_gap(each)]
            if len(gaps) == 1 and UNDEFINED not in ends:
                return self._name(gaps[0])
        return value.name

    def _written(self, node: Node) -> Node:
        """The node, with flags beside what it merges."""
        inner = map_blocks(node, lambda block: self.block(block, is_whole=False))
        if isinstance(inner, For | While):
            return self._loop(inner)
        places = (
            [k for k, each in enumerate(inner.results) if each in self.flags] if isinstance(inner, If) else []
        )
        if not isinstance(inner, If) or not places:
            return inner
        flags = (self.flags[inner.results[place]] for place in places)
        then, orelse = (self._side(side, places) for side in (inner.then, inner.orelse))
        return replace(inner, then=then, orelse=orelse, results=(*inner.results, *flags))

    def _side(self, side: Block, places: Sequence[int]) -> Block:
        """One side of a branch, which yields flags as well."""
        flags = (Const(False) if raises(side) else self.missing(side.yields[place]) for place in places)
        return replace(side, yields=(*side.yields, *flags))

    def _loop(self, loop: For | While) -> For | While:
        """The loop, which carries flags."""
        places = [
            number
            for number, each in enumerate(carried_parameters(loop))
            if each in self.flags and loop.results[number] not in self.by_range
        ]
        if not places:
            return loop
        body = self._carrying(loop.body, carried_parameters(loop), places)
        body = replace(body, yields=(*body.yields, *(self.missing(body.yields[place]) for place in places)))
        inits = (*loop.inits, *(self.missing(loop.inits[place]) for place in places))
        results = (*loop.results, *(self.flags[loop.results[place]] for place in places))
        if isinstance(loop, For):
            return replace(loop, inits=inits, body=body, results=results)
        condition = self._carrying(loop.condition, loop.condition.parameters, places)
        return replace(loop, inits=inits, condition=condition, body=body, results=results)

    def _carrying(self, block: Block, carried: Sequence[Value], places: Sequence[int]) -> Block:
        """A block of a loop, with parameters for the flags of what is carried at some places."""
        flags = (self.flags[carried[place]] for place in places)
        return replace(block, parameters=(*block.parameters, *flags))


def _flag(value: Value) -> Value:
    return Value(f"{value.name}_missing" if value.name else "missing", None, value.loc)


def _merged(loop: For | While, place: int) -> tuple[tuple[Value, ...], tuple[Operand, ...]]:
    """The values that stand for one variable of a loop, and what it is before and after a round."""
    merged = [loop.results[place], carried_parameters(loop)[place]]
    merged += [loop.condition.parameters[place]] if isinstance(loop, While) else []
    return tuple(merged), (loop.inits[place], loop.body.yields[place])
