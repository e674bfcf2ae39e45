"""Recognise composites: functions that a program spells with other functions, and that have a rule of their own.

`1.0 / (1.0 + np.exp(-x))` is 0.0 where the exponential overflows. Part by part its derivative would be zero times
infinity there; the rule of the whole reads only the result, which is at hand or recorded, and gives zero.
"""

from __future__ import annotations

import operator

import numpy as np

from backsweep.analysis.structure import ActiveFacts
from backsweep.ir.nodes import Apply, Const, Operand, Value
from backsweep.ir.operations import Kind, canonical, kind
from backsweep.rules.matching import is_complex
from backsweep.runtime.special import falling_logistic


def as_composite(node: Apply, facts: ActiveFacts) -> Apply:
    """The node as a call of the composite that it completes, if nothing writes to the parts; else the node itself."""
    match node:
        case Apply(function=function, operands=(one, Value() as below), keywords=()) if (
            kind(function) is Kind.DIVISION
        ):
            parts = _one_plus_exp(below, facts) if _is_one(one) else None
        case _:
            parts = None
    if parts is None:
        return node
    x, *inner = parts
    for value in (*inner, node.result):
        if value not in facts.active or facts.where[value] is not facts.where[node.result]:
            return node
    if is_complex(x) or any(facts.aliases.in_memory(value) for value in parts):
        return node
    return Apply(node.result, falling_logistic, (x,), node.loc)


def _one_plus_exp(value: Value, facts: ActiveFacts) -> tuple[Value, Value, Value] | None:
    """For `1 + exp(x)`: x, the exponential and the sum."""
    match facts.definitions.get(value):
        case Apply(function=function, operands=(left, right), keywords=()) if (
            canonical(function) is operator.add
        ):
            power = right if _is_one(left) else left if _is_one(right) else None
        case _:
            power = None
    match facts.definitions.get(power) if isinstance(power, Value) else None:
        case Apply(result=result, function=function, operands=(Value() as x,), keywords=()) if (
            canonical(function) is np.exp
        ):
            return x, result, value
        case _:
            return None


def _is_one(operand: Operand) -> bool:
    """Whether the operand is a literal 1 or 1.0."""
    return isinstance(operand, Const) and type(operand.value) in (int, float) and operand.value == 1
