"""Which array values may share memory, and which memory is written: values and buffers.

Array values that may be the same memory form a class. The classes come from union-find, without regard to
the order of statements; where sharing is unknown, classes are merged. A class that some `Store` writes is a
*buffer*: its adjoint is a shadow in memory, as is the adjoint of arrays that a list holds. All other arrays
are *values*: their adjoint is an expression.
"""

from __future__ import annotations

import dataclasses
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.ir.classes import Classes
from backsweep.ir.effects import written_by
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Dots,
    Function,
    Load,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
    fact,
)
from backsweep.ir.operations import Sharing, operation
from backsweep.ir.types import Array, List, Tuple, names_memory
from backsweep.ir.walk import merges, substitute, walk


def is_perhaps_view(node: Node | None) -> bool:
    """Whether only the run decides if the node's result is a view or a copy."""
    if not isinstance(node, Apply):
        return False
    sharing = operation(node.function).sharing
    if sharing is Sharing.PERHAPS:
        return True
    base = node.operands[0] if node.operands else None
    if not isinstance(base, Value) or not isinstance(base.type, Array):
        return False
    if sharing is Sharing.FORTRAN:
        return base.type.layout != ("C" if base.type.ndim == 1 else "F")
    return sharing is Sharing.CONTIGUOUS and base.type.layout != "C"


@dataclass(frozen=True, slots=True)
class Aliases:
    """The classes of arrays that may share memory."""

    leader: dict[Value, Value]
    written: frozenset[Value]
    merged: frozenset[Value]
    listed: frozenset[Value]
    whole: frozenset[Value]
    """Classes of arrays made here of which none is a view: two of these are the same array or share nothing."""
    bases: dict[Value, Value]
    """Each view's immediate base; a value that is not here owns its memory or merges several."""

    def of(self, value: Value) -> Value:
        """The representative of the value's class."""
        return self.leader.get(value, value)

    def is_buffer(self, value: Operand) -> bool:
        """Whether something writes memory that `value` may share."""
        return isinstance(value, Value) and self.of(value) in self.written

    def is_listed(self, value: Operand) -> bool:
        """Whether a list of arrays holds memory that `value` may share."""
        return isinstance(value, Value) and self.of(value) in self.listed

    def in_memory(self, value: Operand) -> bool:
        """Whether the adjoint of `value` is a shadow: its memory is written, or a list refers to it."""
        return self.is_buffer(value) or self.is_listed(value)

    def is_merged(self, value: Value) -> bool:
        """Whether `value`'s class holds a reference that a branch or a loop chooses."""
        return self.of(value) in self.merged

    def same(self, one: Value, other: Value) -> bool:
        """Whether the two may share memory."""
        return self.of(one) is self.of(other)

    def is_whole(self, value: Value) -> bool:
        """Whether all names of this array's memory are names of the whole array, entry by entry."""
        return self.of(value) in self.whole

    def root(self, value: Value) -> Value:
        """The value at the bottom of a chain of views."""
        while value in self.bases:
            value = self.bases[value]
        return value


@fact
def find_aliases(function: Function) -> Aliases:
    """The classes of array values that may share memory, and which of them are written or merged."""
    classes = Classes()
    bases: dict[Value, Value] = {}
    outside = list(function.body.parameters)
    merged: list[Value] = []
    written: list[Value] = []
    listed: list[Value] = []
    for positions in function.together:
        first, *others = (function.body.parameters[k] for k in positions)
        merged.append(first)
        for other in others:
            classes.join(other, first)
    for node in walk(function.body):
        base = _shared_base(node)
        if base is not None:
            result = node.result if isinstance(node, Apply | View) else None
            assert result is not None
            classes.join(result, base)
            bases[result] = base
            if not _is_all(node):
                outside.append(result)
        elif isinstance(node, Store | Apply) and (changed := written_by(node)):
            written += changed
        elif isinstance(node, Append) and isinstance(node.value, Value):
            classes.join(node.value, node.buffer)
            listed.append(node.buffer)
        elif isinstance(node, Load) and names_memory(node.result.type) and isinstance(node.buffer, Value):
            classes.join(node.result, node.buffer)
            listed.append(node.buffer)
        elif isinstance(node, Apply) and node.function is operator.getitem and _is_tuple(node.operands[0]):
            outside.append(node.result)
        for group in merges(node):
            arrays = [value for value in group if isinstance(value, Value) and _may_be_memory(value)]
            if not any(names_memory(value.type) for value in arrays):
                continue
            classes.join_all(arrays)
            merged += arrays[:1]
    for value in list(classes.parent):
        classes.find(value)
    leader = {value: classes.find(value) for value in classes.parent}
    parts = {leader[value] for value in outside if value in leader}
    return Aliases(
        leader,
        frozenset(leader.get(value, value) for value in written),
        frozenset(leader.get(value, value) for value in (*merged, *listed)),
        frozenset(leader.get(value, value) for value in listed),
        frozenset(leader.values()) - parts,
        bases,
    )


def _is_all(node: Node) -> bool:
    """Whether the node is a view of all of an array, entry by entry."""
    if not isinstance(node, View):
        return False
    return all(isinstance(item, Dots) or (isinstance(item, Slice) and item.is_whole) for item in node.index)


def _is_tuple(operand: Operand) -> bool:
    return isinstance(operand, Value) and isinstance(operand.type, Tuple)


@fact
def memory_of_arguments(function: Function) -> frozenset[Value]:
    """The classes of memory that may have names outside this function: arguments, and arrays that lists hold."""
    aliases = find_aliases(function)
    loaded = [node.result for node in walk(function.body) if isinstance(node, Load)]
    named = (*function.body.parameters, *(node.result for node in items_of_arguments(function)), *loaded)
    return frozenset(aliases.of(value) for value in named if isinstance(value.type, Array | List))


def _shared_base(node: Node) -> Value | None:
    """The array whose memory the node's result is a view of, if it is one."""
    if isinstance(node, View):
        return node.buffer
    if isinstance(node, Apply) and shares_memory(node.function) and _may_be_array(node.result):
        base = node.operands[0]
        if isinstance(base, Value) and _may_be_array(base):
            return base
    return None


def _may_be_memory(value: Value) -> bool:
    """Whether the value may be memory, judged by its type; a value of the new reverse sweep has no type yet."""
    return value.type is None or names_memory(value.type)


def _may_be_array(value: Value) -> bool:
    return value.type is None or isinstance(value.type, Array)


def shares_memory(function: Any) -> bool:
    """Whether a function may return memory of its first operand."""
    return operation(function).sharing is not Sharing.NEVER


def protect_arguments(function: Function) -> Function:
    """The function, which copies on entry each array argument that it writes or puts in a list: the caller's arrays stay as they are."""
    aliases = find_aliases(function)
    nodes: list[Node] = []
    replacement: dict[Value, Operand] = {}

    def protect(value: Value) -> None:
        if isinstance(value.type, Array) and aliases.in_memory(value):
            own = Value(value.name, Array(value.type.dtype, value.type.ndim), value.loc)
            nodes.append(Apply(own, np.copy, (value,), value.loc))
            replacement[value] = own

    for parameter in function.body.parameters:
        protect(parameter)
    heads = items_of_arguments(function)
    for node in heads:
        nodes.append(node)
        protect(node.result)
    if not replacement:
        return function
    rest = Block((), tuple(node for node in function.body.nodes if node not in heads), function.body.yields)
    body = substitute(rest, replacement)
    whole = Block(function.body.parameters, (*nodes, *body.nodes), body.yields)
    return dataclasses.replace(function, body=whole)


def items_of_arguments(function: Function) -> list[Apply]:
    """The reads of the items of tuples among the arguments, nested ones too."""
    tuples = {value for value in function.body.parameters if isinstance(value.type, Tuple)}
    found: list[Apply] = []
    for node in function.body.nodes:
        if isinstance(node, Apply) and node.function is operator.getitem and node.operands[0] in tuples:
            found.append(node)
            if isinstance(node.result.type, Tuple):
                tuples.add(node.result)
    return found
