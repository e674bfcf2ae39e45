"""Records that live for an iteration only: of a loop of the forward sweep, read by the loop that reverses it and by nothing else.

If the two loops become one, such a record needs no axis for the loop: what an iteration records is still in the cache when
the same iteration is reversed. (L. Hascoet, S. Fidanova, C. Held, "Adjoining independent computations", 2001.)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

import numpy as np

from backsweep.analysis.alias import Aliases
from backsweep.ir.nodes import Apply, Block, For, Function, Load, Node, Operand, Slice, Store, Value, View
from backsweep.ir.types import Array, Tuple
from backsweep.ir.walk import operands, returned, rewrite, substitute, walk, with_body


def iteration_records(function: Function, aliases: Aliases, first: For, last: For) -> set[Value]:
    """The arrays of several axes that both loops access only at their own index along the first, and nothing else uses."""
    kept = returned(function.body)
    tuples = {
        node.result for node in function.body.nodes if isinstance(node, Apply) and node.function is tuple
    }
    users: dict[Value, set[For]] = {
        node.result: set()
        for node in function.body.nodes
        if isinstance(node, Apply)
        and node.function is np.empty
        and isinstance(node.result.type, Array)
        and node.result.type.ndim > 1
        and node.operands[0] in tuples
        and node.result not in kept
        and not aliases.is_merged(node.result)
    }
    for outer in function.body.nodes:
        for node in walk(Block((), (outer,), ())):
            for each in operands(node):
                if not isinstance(each, Value) or each not in users or _is_size(node):
                    continue
                if isinstance(outer, For) and outer in (first, last) and _is_own(node, each, outer):
                    users[each].add(outer)
                else:
                    del users[each]
    return {array for array, loops in users.items() if loops == {first, last}}


def _is_size(node: Node) -> bool:
    """Whether the node asks for the number of entries, as the check of the memory does."""
    return isinstance(node, Apply) and node.function is np.size


def _is_own(node: Node, array: Value, loop: For) -> bool:
    """Whether the node accesses the array at the index of the loop."""
    if not isinstance(node, Load | Store | View) or node.buffer is not array:
        return False
    return node.index[0] is loop.body.parameters[0] and not (isinstance(node, Store) and node.value is array)


def without_first_axis(function: Function, arrays: Collection[Value]) -> Function:
    """The program, in which these arrays have no first axis."""
    shorter: dict[Value, Operand] = {}
    lengths: dict[Operand, tuple[Operand, ...]] = {
        node.result: node.operands
        for node in function.body.nodes
        if isinstance(node, Apply) and node.function is tuple
    }

    def change(node: Node) -> list[Node]:
        if isinstance(node, Apply) and node.result in arrays:
            type_ = node.result.type
            assert isinstance(type_, Array)
            own = lengths[node.operands[0]][1:]
            assert isinstance(node.operands[0], Value)
            assert isinstance(node.operands[0].type, Tuple)
            shape: Operand = own[0]
            made = dataclasses.replace(node.result, type=dataclasses.replace(type_, ndim=type_.ndim - 1))
            shorter[node.result] = made
            nodes: list[Node] = []
            if len(own) > 1:
                shape = Value("", Tuple(node.operands[0].type.items[1:]), node.loc)
                nodes.append(Apply(shape, tuple, own, node.loc))
            return [*nodes, dataclasses.replace(node, result=made, operands=(shape, *node.operands[1:]))]
        if isinstance(node, Load | Store | View) and node.buffer in arrays:
            return [dataclasses.replace(node, index=node.index[1:] or (Slice(),))]
        return [node]

    changed = rewrite(function, change)
    return with_body(changed, substitute(changed.body, shorter))
