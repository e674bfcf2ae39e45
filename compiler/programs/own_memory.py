"""Copy arrays so that no write of the caller changes an answer, and the caller never gets one array twice.

The caller holds the arguments and the results, and may write to them between the two sweeps. An array that is saved for the
pullback and may share memory with one of these is copied. A list of references cannot be copied so: there the caller
gets copies of the results, and the sweep works on copies of the arguments.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases, items_of_arguments
from backsweep.ir.nodes import Apply, Block, Function, Node, Operand, Value
from backsweep.ir.types import Array, List, Tuple, names_memory
from backsweep.ir.walk import substitute, walk


@dataclass(frozen=True, slots=True)
class Separated:
    """The nodes of a forward sweep, what it saves and what it returns. Saved arrays share no memory with arguments and results."""

    nodes: tuple[Node, ...]
    saved: tuple[Operand, ...]
    handed: tuple[Operand, ...]


def kept_from_caller(
    forward: Function, saved: Sequence[Value], handed: Sequence[Operand], shadows: Collection[Value]
) -> Separated:
    """Write the forward sweep with the copies that keep saved arrays apart from the arguments and the results."""
    sweep = _Sweep(forward, find_aliases(forward))
    lists = {sweep.aliases.of(each) for each in saved if isinstance(each.type, List)}
    to_copy = [each for each in sweep.arrays_of_arguments() if sweep.aliases.of(each) in lists]
    if to_copy:
        return kept_from_caller(*_on_copies(forward, to_copy, saved, handed), shadows)
    outside = {sweep.aliases.of(each) for each in (*sweep.arrays_of_arguments(), *sweep.arrays_in(handed))}
    outside |= sweep.diagonals_of(outside)
    nodes = list(forward.body.nodes)
    results = tuple(sweep.without(each, lists, nodes) for each in handed)
    own = [
        copy_of(each, nodes) if each not in shadows and sweep.aliases.of(each) in outside else each
        for each in saved
    ]
    return Separated(tuple(nodes), tuple(own), results)


def own_tangent(program: Function, result: Operand, dot: Operand, nodes: list[Node]) -> Operand:
    """The tangent of a result; an array in it that may share memory with another array of the caller's is copied."""
    sweep = _Sweep(program, find_aliases(program))
    taken = {sweep.aliases.of(each) for each in (*sweep.arrays_of_arguments(), *sweep.arrays_in([result]))}
    return sweep.owned(dot, result, taken, nodes)


@dataclass(frozen=True, slots=True)
class _Sweep:
    """A forward sweep, and which of its arrays may share memory."""

    function: Function
    aliases: Aliases

    def arrays_of_arguments(self) -> list[Value]:
        """The arrays among the arguments, those in tuples included."""
        reads = (node.result for node in items_of_arguments(self.function))
        return [each for each in (*self.function.body.parameters, *reads) if names_memory(each.type)]

    def arrays_in(self, operands: Sequence[Operand]) -> Iterator[Value]:
        """The arrays among these, those in tuples included."""
        made = self.tuples()
        for operand in operands:
            if operand in made:
                yield from self.arrays_in(made[operand].operands)
            elif isinstance(operand, Value) and names_memory(operand.type):
                yield operand

    def diagonals_of(self, memory: Collection[Value]) -> set[Value]:
        """The diagonals of matrices in this memory: copies where Numba compiles the program, views where Python runs it."""
        return {
            self.aliases.of(node.result)
            for node in walk(self.function.body)
            if isinstance(node, Apply)
            and node.function is np.diag
            and isinstance(node.operands[0], Value)
            and self.aliases.of(node.operands[0]) in memory
        }

    def tuples(self) -> Mapping[Operand, Apply]:
        """The nodes that make the tuples of the sweep, by the tuples."""
        nodes = self.function.body.nodes
        return {
            node.result: node
            for node in nodes
            if isinstance(node, Apply)
            and isinstance(node.result.type, Tuple)
            and node.function in (tuple, node.result.type.cls)
        }

    def without(self, operand: Operand, memory: Collection[Value], nodes: list[Node]) -> Operand:
        """The operand for a result, in which arrays that may lie in this memory are copied."""
        if not isinstance(operand, Value) or all(
            self.aliases.of(each) not in memory for each in self.arrays_in([operand])
        ):
            return operand
        node = self.tuples().get(operand)
        if node is None:
            return copy_of(operand, nodes)
        items = tuple(self.without(each, memory, nodes) for each in node.operands)
        whole = dataclasses.replace(operand)
        nodes.append(dataclasses.replace(node, result=whole, operands=items))
        return whole

    def owned(self, dot: Operand, like: Operand, taken: set[Value], nodes: list[Node]) -> Operand:
        """The tangent of the result `like`: its arrays in memory that is taken are copied, and the memory of the others is taken now."""
        made = self.tuples()
        if like in made and dot in made:
            node = made[dot]
            parts = zip(node.operands, made[like].operands, strict=True)
            items = tuple(self.owned(part, each, taken, nodes) for part, each in parts)
            whole = Value("", node.result.type, node.loc)
            nodes.append(dataclasses.replace(node, result=whole, operands=items))
            return whole
        if not isinstance(dot, Value) or not isinstance(like, Value) or not isinstance(like.type, Array):
            return dot
        memory = self.aliases.of(dot)
        if memory in taken:
            return _copy(dot, like.type, nodes)
        taken.add(memory)
        return dot


def _on_copies(
    forward: Function, to_copy: Sequence[Value], saved: Sequence[Value], handed: Sequence[Operand]
) -> tuple[Function, list[Value], list[Operand]]:
    """Rewrite the sweep, what it saves and what it returns, to work on copies of these arrays, which it makes at its start."""
    copies: list[Node] = []
    own: dict[Value, Operand] = {each: copy_of(each, copies) for each in to_copy}
    reads = [node for node in items_of_arguments(forward) if node.result in own]
    rest = Block((), tuple(node for node in forward.body.nodes if node not in reads), ())
    nodes = (*reads, *copies, *substitute(rest, own).nodes)
    body = dataclasses.replace(forward.body, nodes=nodes)
    kept = [own.get(each, each) for each in saved]
    results = [own.get(each, each) if isinstance(each, Value) else each for each in handed]
    return (
        dataclasses.replace(forward, body=body),
        [each for each in kept if isinstance(each, Value)],
        results,
    )


def copy_of(value: Value, nodes: list[Node]) -> Value:
    """A copy of an array; any other operand itself."""
    return _copy(value, value.type, nodes) if isinstance(value.type, Array) else value


def _copy(value: Value, type_: Array, nodes: list[Node]) -> Value:
    copy = Value(value.name, Array(type_.dtype, type_.ndim), value.loc)
    nodes.append(Apply(copy, np.copy, (value,), value.loc))
    return copy
