"""Read an element of a copy, which no store has reached yet, from the original array: then it need not be recorded."""

from __future__ import annotations

import dataclasses
from typing import TypeGuard

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.order.last_writers import last_writers_of
from backsweep.analysis.structure import facts_of
from backsweep.ir.nodes import Apply, For, Function, If, Load, Node, Operand, Store, Value, View
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import BOOL, Array
from backsweep.ir.walk import index_operands, operands, returned, rewrite, walk
from backsweep.rules.matching import read_by_adjoint


def read_copied_elements(function: Function) -> Function:
    """The program, in which a load from a copy that is sure to find what was copied reads the original.

    `B[i, j] += A[k, i] * B[k, j]` for `k > i` reads elements of `B` before they are written. This is the question which
    write a read sees (Feautrier, "Dataflow analysis of array and scalar references", 1991), answered where it is none.
    """
    aliases = find_aliases(function)
    # a call may have the copied array hold what a copy returns
    handed_out = {aliases.of(each) for each in returned(function.body) if isinstance(each, Value)}
    originals = {
        node.result: node.operands[0]
        for node in function.body.nodes
        if _is_copy(node, aliases) and aliases.of(node.result) not in handed_out
    }
    if not originals:
        return function
    needed, facts, writers = _read_backwards(function), facts_of(function), last_writers_of(function)
    found: dict[Node, Load] = {}
    for node in walk(function.body):
        if not isinstance(node, Load) or node.buffer not in originals or not isinstance(node.buffer, Value):
            continue
        recorded = node.result in needed and not facts.is_stable(node)
        if recorded and writers.finds_what_it_was_made_of(node):
            found[node] = dataclasses.replace(node, buffer=originals[node.buffer])
    return rewrite(function, lambda node: [found.get(node, node)]) if found else function


def _read_backwards(function: Function) -> set[Operand]:
    """The values that the reverse sweep may read: those that adjoints read, bounds of loops, subscripts, and what conditions compare."""
    nodes = list(walk(function.body))
    compared: dict[Operand, Apply] = {
        node.result: node for node in nodes if isinstance(node, Apply) and node.result.type == BOOL
    }
    todo: list[Operand] = []
    for node in nodes:
        match node:
            case Apply():
                todo += read_by_adjoint(node)
            case If(condition=condition):
                todo.append(condition)
            case For():
                todo += (node.start, node.stop, node.step)
            case Load(index=index) | View(index=index) | Store(index=index):
                todo += index_operands(index)
            case _:
                pass
    found: set[Operand] = set()
    while todo:
        each = todo.pop()
        if each not in found:
            found.add(each)
            todo += operands(compared[each]) if each in compared else ()
    return found


def _is_copy(node: Node, aliases: Aliases) -> TypeGuard[Apply]:
    """Whether the node copies an array that nothing writes into one that has no other name."""
    if not isinstance(node, Apply) or kind(node.function) is not Kind.COPY or node.keywords:
        return False
    original, result = node.operands[0], node.result
    if not isinstance(original, Value) or not isinstance(original.type, Array) or len(node.operands) > 1:
        return False
    same = isinstance(result.type, Array) and original.type.dtype == result.type.dtype
    return (
        same
        and aliases.is_buffer(result)
        and not aliases.is_buffer(original)
        and not aliases.is_merged(result)
    )
