"""Reverse calls of functions that stay calls, and find the function that computes the adjoint or the tangent of one."""

from __future__ import annotations

import operator
from collections.abc import Mapping

from backsweep.ad.adjoints import Adjoints
from backsweep.analysis.activity import find_active
from backsweep.analysis.alias import find_aliases
from backsweep.interprocedural.summaries import bundle, own_results, parts_of
from backsweep.ir.nodes import Apply, Callee, Const, Node, Operand, Value
from backsweep.ir.types import Array, Tuple, is_float, with_layout
from backsweep.ir.walk import walk
from backsweep.rules.matching import is_constant


def adjoint_of(callee: Callee, positions: tuple[int, ...]) -> Callee:
    """The callee's adjoint for the arguments at these positions; its program is yet to be written.

    It takes the callee's own arguments, the shadows of those arrays, and the cotangents of the results that are floats
    (those of new contents are in the shadows); it adds to the shadows, and returns the adjoints of the numbers.
    """
    if positions not in callee.adjoints:
        types = [callee.parameters[k] for k in positions]
        cotangents = [type_ for type_ in own_results(callee) if is_float(type_)]
        shadows = [type_ for type_ in types if isinstance(type_, Array)]
        numbers = [type_ for type_ in types if not isinstance(type_, Array)]
        count = len(callee.parameters)
        number = f"_{len(callee.adjoints)}" if callee.adjoints else ""
        callee.adjoints[positions] = Callee(
            f"{callee.name}_adjoint{number}",
            (*callee.parameters, *(with_layout(type_, "A") for type_ in (*shadows, *cotangents))),
            bundle(numbers),
            writes=(*(callee.changed if callee.is_block else ()), *range(count, count + len(shadows))),
            origin=(callee, positions),
        )
    return callee.adjoints[positions]


def tangent_of(callee: Callee, positions: tuple[int, ...]) -> Callee:
    """The callee's tangent for the arguments at these positions; its program is yet to be written.

    It takes the callee's own arguments and the tangents of those, and returns the callee's own results and then the
    tangents of those that are floats.
    """
    if positions not in callee.tangents:
        results = list(parts_of(callee.result))
        number = f"_{len(callee.tangents)}" if callee.tangents else ""
        callee.tangents[positions] = Callee(
            f"{callee.name}_tangent{number}",
            (*callee.parameters, *(with_layout(callee.parameters[k], "A") for k in positions)),
            bundle([*results, *(with_layout(type_, "C") for type_ in results if is_float(type_))]),
            origin=(callee, positions),
        )
    return callee.tangents[positions]


def closed(callee: Callee, positions: tuple[int, ...]) -> tuple[int, ...]:
    """Add to the positions of varying arguments those that vary in recursive calls: one adjoint then serves all calls."""
    assert callee.program is not None
    program, found = callee.program, positions
    calls = [node for node in walk(program.body) if isinstance(node, Apply) and node.function is callee]
    while True:
        wrt = [program.body.parameters[k] for k in found]
        varied = find_active(program, wrt, find_aliases(program), is_constant).varied
        more = {
            k
            for node in calls
            for k, operand in enumerate(node.operands)
            if operand in varied and not isinstance(callee.parameters[k], Array)
        }
        if more <= set(found):
            return found
        found = tuple(sorted({*found, *more}))


def is_new_contents(operand: Operand, definitions: Mapping[Value, Node]) -> bool:
    """Whether the operand is the new contents that a callee computed for one of its arguments."""
    node, number = definitions.get(operand) if isinstance(operand, Value) else None, 0
    if isinstance(node, Apply) and node.function is operator.getitem and isinstance(node.operands[1], Const):
        number = node.operands[1].value
        source = node.operands[0]
        node = definitions.get(source) if isinstance(source, Value) else None
    if not isinstance(node, Apply) or not isinstance(node.function, Callee):
        return False
    return number >= len(own_results(node.function))


def reverse_call(
    node: Apply, callee: Callee, adjoints: Adjoints, parts: Mapping[Value, Mapping[int, Value]]
) -> None:
    """The reversal of a call: the adjoint is called, which adds to the shadows of the arrays.

    The shadow of an array that the callee changed holds the cotangent of its new contents when the adjoint is called,
    and that of its old contents afterwards: storing the new contents was no statement of the user's.
    """
    items = parts.get(node.result, {}) if isinstance(callee.result, Tuple) else {0: node.result}
    own = len(own_results(callee))
    floats = [part for position, part in sorted(items.items()) if is_float(part.type) and position < own]
    bars = [adjoints.take_part(part) for part in floats]
    positions = tuple(k for k, operand in enumerate(node.operands) if operand in adjoints.active)
    changed = [node.operands[k] for k in callee.changed if k in positions]
    touched = [value for value in changed if isinstance(value, Value) and adjoints.has_shadow(value)]
    if not positions or (not touched and all(bar is None for bar in bars)):
        return
    seen = [adjoints.storage.contents(operand, node) for operand in node.operands]
    cotangents = [
        adjoints.zero_of(part) if bar is None else bar for part, bar in zip(floats, bars, strict=True)
    ]
    wanted = [
        operand for operand in node.operands if isinstance(operand, Value) and operand in adjoints.active
    ]
    shadows = [adjoints.shadow(value) for value in wanted if isinstance(value.type, Array)]
    served = closed(callee, positions)
    derived = adjoint_of(callee, served)
    found = adjoints.builder.apply(derived, *seen, *shadows, *cotangents, type=derived.result)
    numbers = [k for k in served if not isinstance(callee.parameters[k], Array)]
    for place, k in enumerate(numbers):
        value, share = node.operands[k], found
        if value in adjoints.active:
            if len(numbers) > 1:
                share = adjoints.builder.apply(
                    operator.getitem, found, Const(place), type=callee.parameters[k]
                )
            adjoints.add(value, share, owned=True)
