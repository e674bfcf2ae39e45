"""Find what moves an operand although its tangent is zero: `x` moves `x ** 3` at 0, where the cube is flat.

The infinite slope of a root times such a tangent is not known: `np.cbrt(x ** 3)` has the slope 1. One that is zero because nothing moves
contributes nothing.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

import numpy as np

from backsweep.ad.zeros.guards import StrongZeros
from backsweep.ir.nodes import Apply, Callee, Custom, Operand, Tap, Value
from backsweep.ir.operations import canonical
from backsweep.ir.types import Array
from backsweep.rules.declare import Rule
from backsweep.rules.matching import matched

DEEP = 8
"""How many functions are looked through."""


def movers(operand: Operand, varying: Container[Operand], zeros: StrongZeros) -> list[tuple[Value, bool]]:
    """The values that functions read on the way to an operand that may be flat there; of each, whether all of its entries count."""
    return [*dict.fromkeys(_movers(operand, varying, zeros, whole=False, deep=DEEP))]


def _movers(
    operand: Operand, varying: Container[Operand], zeros: StrongZeros, *, whole: bool, deep: int
) -> Iterator[tuple[Value, bool]]:
    node = zeros.facts.definitions.get(operand) if isinstance(operand, Value) else None
    if not isinstance(node, Apply) or isinstance(node.function, Callee | Custom | Tap) or node.keywords:
        return
    rule = matched(node)
    if not isinstance(rule, Rule) or deep == 0 or zeros.facts.aliases.is_buffer(node.result):
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
            yield each, whole
        yield from _movers(each, varying, zeros, whole=whole, deep=deep - 1)
