"""Split the iteration of a loop over `prange` into what it computes by itself and what it hands to the loop.

An iteration that fills an array of its own would record that array for the reverse sweep, in a list that iterations which run
side by side cannot share. What it computes becomes a call, which the reverse sweep makes again.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass

from backsweep.analysis.alias import Aliases
from backsweep.ir.effects import effect, has_effect, written_by
from backsweep.ir.nodes import Apply, Block, Comment, For, Node, Operand, Store, Value
from backsweep.ir.types import Array
from backsweep.ir.walk import free_values, operands, results, walk


@dataclass(frozen=True, slots=True)
class Iteration:
    """The nodes of an iteration that are its `own`, the values of these that the rest reads, and the `rest`: sums and stores."""

    own: tuple[Node, ...]
    handed: tuple[Value, ...]
    rest: tuple[Node, ...]


def iteration_of(loop: For, aliases: Aliases) -> Iteration | None:
    """The iteration in two parts; None if it fills no array of its own, or if its parts take turns."""
    body = loop.body
    if loop.exit is not None or not _fills_own_array(body, aliases):
        return None
    carried = set(body.parameters[1:])
    made = {each for node in walk(body) for each in results(node)}
    own: list[Node] = []
    rest: list[Node] = []
    summed: set[Operand] = {*carried}
    for node in body.nodes:
        if _is_sum(node, summed):
            assert isinstance(node, Apply)
            summed.add(node.result)
            rest.append(node)
        elif isinstance(node, Store) and aliases.root(node.buffer) not in made:
            rest.append(node)
        elif not isinstance(node, Comment):
            own.append(node)
    whole = Block((), tuple(own), ())
    if not summed.isdisjoint(free_values(whole)) or _touches(own, rest, made, aliases):
        return None
    defined = {each for node in own for each in results(node)}
    read = [each for node in rest for each in operands(node)]
    handed = dict.fromkeys(each for each in (*read, *body.yields) if each in defined)
    return Iteration(tuple(own), tuple(each for each in handed if isinstance(each, Value)), tuple(rest))


def _fills_own_array(body: Block, aliases: Aliases) -> bool:
    """Whether the iteration makes an array and writes to it."""
    return any(
        isinstance(node, Apply)
        and isinstance(node.result.type, Array)
        and node.result not in aliases.bases
        and aliases.is_buffer(node.result)
        for node in walk(body)
    )


def _is_sum(node: Node, summed: set[Operand]) -> bool:
    """Whether the node adds to what the loop carries."""
    return (
        isinstance(node, Apply)
        and node.function in (operator.add, operator.sub)
        and node.operands[0] in summed
        and node.operands[1] not in summed
    )


def _touches(own: list[Node], rest: list[Node], made: set[Value], aliases: Aliases) -> bool:
    """Whether the iteration's own nodes write memory from outside, or read what the rest writes."""
    later = {aliases.of(array) for node in rest for array in written_by(node)}
    for node in walk(Block((), tuple(own), ())):
        if any(aliases.root(array) not in made for array in written_by(node)):
            return True
        if any(aliases.of(array) in later for array in effect(node).touched):
            return True
    return any(has_effect(node) and not isinstance(node, Store) for node in rest)
