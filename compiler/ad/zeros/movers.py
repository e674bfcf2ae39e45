"""Find what moves an operand although its tangent is zero: `x` moves `x ** 3` at 0, where the cube is flat.

The infinite slope of a root times such a tangent is not known: `np.cbrt(x ** 3)` has the slope 1. One that is zero because nothing moves
contributes nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from dataclasses import dataclass

import numpy as np

from backsweep.ad.zeros.guards import StrongZeros
from backsweep.ir.nodes import (
    Apply,
    Block,
    Callee,
    Custom,
    For,
    If,
    Load,
    Node,
    Operand,
    Tap,
    Value,
    View,
    While,
)
from backsweep.ir.operations import Kind, canonical, kind
from backsweep.ir.types import Array
from backsweep.ir.walk import walk
from backsweep.rules.declare import Rule
from backsweep.rules.matching import matched

DEEP = 8
"""How many functions are looked through."""


@dataclass(frozen=True, slots=True)
class Mover:
    """A value that a function reads which may be flat there: by its rule, whose names stand for `names`, `adjoint` is that of the value."""

    value: Value
    whole: bool
    """Whether any entry of the value may count for any of the operand's."""
    node: Apply
    rule: Rule
    adjoint: ast.expr
    names: dict[str, Operand]

    @property
    def key(self) -> tuple[Value, Apply, bool]:
        """What tells movers apart: a function that reads a value twice is flat for both or for none."""
        return self.value, self.node, self.whole


def movers(
    operand: Operand, varying: Container[Operand], zeros: StrongZeros, block: Block
) -> list[tuple[Value, bool]]:
    """The values that functions read on the way to an operand that may be flat there, as far as a block sees them; of each, whether all of its entries count."""
    around, facts = [block], zeros.facts
    while around[-1] in facts.parents:
        around.append(facts.parents[around[-1]][1])
    found = (
        each
        for each in find_movers(operand, varying, zeros)
        if any(facts.holder[each.node] is one for one in around)
    )
    return [*dict.fromkeys((each.value, each.whole) for each in found)]


def find_movers(operand: Operand, varying: Container[Operand], zeros: StrongZeros) -> Iterator[Mover]:
    """The same, each with the function that reads it."""
    yield from _movers(operand, varying, zeros, whole=False, deep=DEEP)


def is_moved_within(
    operand: Operand, varying: Container[Operand], zeros: StrongZeros, deep: int = DEEP
) -> bool:
    """Whether a loop or a branch computes what the operand is made of, with functions that may be flat: what moves is not at hand behind it."""
    facts = zeros.facts
    if not isinstance(operand, Value) or operand not in varying or deep == 0:
        return False
    node = facts.definitions.get(operand)
    if node is None and facts.where[operand] in facts.parents:
        node = facts.parents[facts.where[operand]][0]
    if isinstance(node, If | For | While):
        return any(_is_flat(each, varying, zeros) for each in walk(Block((), (node,), ())))
    read = [*_stored(operand, node, zeros)]
    if isinstance(node, Apply) and not isinstance(node.function, Callee | Custom | Tap):
        read += node.operands
    return any(is_moved_within(each, varying, zeros, deep - 1) for each in read)


def _is_flat(node: Node, varying: Container[Operand], zeros: StrongZeros) -> bool:
    """Whether a node calls a function that may be flat in an operand that varies."""
    if not isinstance(node, Apply) or isinstance(node.function, Callee | Custom | Tap) or node.keywords:
        return False
    rule = matched(node)
    return (
        isinstance(rule, Rule)
        and rule.elementwise
        and any(each.node is node for each in _movers(node.result, varying, zeros, whole=False, deep=1))
    )


def _stored(value: Value, node: Node | None, zeros: StrongZeros) -> Iterator[Operand]:
    """What an entry that is read from memory may have been: all that was stored there."""
    facts = zeros.facts
    source = node.buffer if isinstance(node, Load | View) else value
    if not isinstance(source, Value):
        return
    if facts.aliases.is_buffer(source):
        yield from (each.value for each in facts.stores_to(source))
    elif source is not value:
        yield source


def _movers(
    operand: Operand, varying: Container[Operand], zeros: StrongZeros, *, whole: bool, deep: int
) -> Iterator[Mover]:
    node = zeros.facts.definitions.get(operand) if isinstance(operand, Value) else None
    if isinstance(operand, Value) and operand in varying and deep > 0:
        for stored in _stored(operand, node, zeros):
            yield from _movers(stored, varying, zeros, whole=True, deep=deep - 1)
    if not isinstance(node, Apply) or isinstance(node.function, Callee | Custom | Tap) or node.keywords:
        return
    if node.function is complex or kind(node.function) in (Kind.VIEW, Kind.COPY, Kind.REARRANGEMENT):
        for passed in node.operands:
            if deep > 0 and passed in varying:
                yield from _movers(passed, varying, zeros, whole=True, deep=deep - 1)
        return
    rule = matched(node)
    if not isinstance(rule, Rule) or deep == 0:
        return
    is_sum = canonical(node.function) in (np.sum, np.mean) and len(node.operands) == 1
    if not rule.elementwise and not is_sum:
        return
    whole = whole or (is_sum and isinstance(getattr(node.operands[0], "type", None), Array))
    places = rule.bind(len(node.operands), [])
    assert places is not None
    names = {rule.parameters[place]: each for place, each in zip(places, node.operands, strict=True)}
    names[rule.results[0]] = node.result
    linear = {each for group in rule.linear for each in group}
    for parameter, adjoint in zip(rule.differentiated, rule.adjoints, strict=True):
        each = names.get(parameter)
        if not isinstance(each, Value) or each not in varying or adjoint is None:
            continue
        if parameter not in linear and zeros.may_be_flat(
            adjoint, node, rule, names, rule.cotangents, varying
        ):
            yield Mover(each, whole, node, rule, adjoint, names)
        yield from _movers(each, varying, zeros, whole=whole, deep=deep - 1)
