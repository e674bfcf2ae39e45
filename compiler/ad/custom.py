"""Reverse hooks, and functions with a pullback of the user's: the user's program runs on the adjoint."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from backsweep.ad.adjoints import Adjoints, bar_name, fit_dtype, real_part
from backsweep.ad.checkpoint.storage import Storage
from backsweep.analysis.alias import shares_memory
from backsweep.analysis.integers.extents import shapes_of
from backsweep.ir.nodes import Apply, Block, Const, Custom, Dots, If, Node, Operand, Raise, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, Array, Tuple, contiguous
from backsweep.ir.walk import substitute


def reverse_custom(node: Apply, custom: Custom, adjoints: Adjoints, storage: Storage) -> bool:
    """Write the user's program with the adjoints of the results as its arguments; returns False if no result has an adjoint."""
    results, arguments, rest = custom.split(node.operands)
    shared = custom.passes and adjoints.is_view(node.result)
    bars = [_shared(node, adjoints)] if shared else _taken(node, results, adjoints, storage)
    if all(bar is None for bar in bars):
        return False
    builder = adjoints.builder
    named = [
        bar if bar is not None else adjoints.zero_of(_value(item))
        for bar, item in zip(bars, results, strict=True)
    ]
    passed = [_contiguous(bar, adjoints) for bar in named]
    passed += [storage.contents(operand, node) for operand in rest]
    program = custom.backward.body
    *nodes, last = program.nodes
    assert isinstance(last, Apply)
    body = substitute(
        Block((), tuple(nodes), last.operands), dict(zip(program.parameters, passed, strict=True))
    )
    builder.add(*body.nodes)
    alike = _alike(custom, node, storage)
    # Memory that the program made, and that it returns once: anything else may be an operand's, or another adjoint's
    made = {
        each.result
        for each in body.nodes
        if isinstance(each, Apply)
        and not shares_memory(each.function)
        and body.yields.count(each.result) == 1
    }
    for argument, bar, (part, known) in zip(arguments, body.yields, alike, strict=True):
        if not isinstance(argument, Value) or (argument not in adjoints.active and not shared):
            continue
        if isinstance(argument.type, Array) and not known:
            _check_shape(argument, bar, custom, adjoints, storage)
        if shared:
            builder.store(adjoints.shadow(node.result), (Dots(),), bar)
            continue
        bar = real_part(builder, argument, type_of(part), bar)
        bar, converted = fit_dtype(builder, argument, type_of(part), bar)
        if bar not in made and isinstance(argument.type, Array) and not converted:
            bar = builder.apply(np.copy, bar, name=bar_name(argument), type=contiguous(argument.type))
        adjoints.add(argument, bar, owned=True)
    return True


def _value(operand: Operand) -> Value:
    assert isinstance(operand, Value)
    return operand


def _shared(node: Apply, adjoints: Adjoints) -> Operand | None:
    """The memory of the adjoint of a hooked array, if anything has been added to it."""
    return adjoints.shadow(node.result) if adjoints.has_shadow(node.result) else None


def _taken(
    node: Apply, results: Sequence[Operand], adjoints: Adjoints, storage: Storage
) -> list[Operand | None]:
    """The adjoints of the node's result: one, or those of the items if it is a tuple."""
    if isinstance(node.result.type, Tuple):
        items = storage.facts.parts.get(node.result, {})
        return [adjoints.take_part(items[k]) if k in items else None for k in range(len(results))]
    return [adjoints.duals.get(node.result) or adjoints.take(node.result)]


def _contiguous(bar: Operand, adjoints: Adjoints) -> Operand:
    """The adjoint as a contiguous array: the user's program was typed for that layout."""
    type_ = type_of(bar)
    if not isinstance(type_, Array) or type_ == contiguous(type_):
        return bar
    return adjoints.builder.apply(np.copy, bar, name=bar.name, type=contiguous(type_))


def _alike(custom: Custom, node: Apply, storage: Storage) -> list[tuple[Operand, bool]]:
    """Each adjoint that the program returns, and whether it certainly has the shape of its argument."""
    program = custom.backward
    results, arguments, rest = custom.split(node.operands)
    shapes, facts = shapes_of(program), storage.facts
    *_, last = program.body.nodes
    assert isinstance(last, Apply)

    def known(argument: Operand, part: Operand) -> bool:
        if not isinstance(argument, Value) or not isinstance(part, Value) or not isinstance(part.type, Array):
            return False
        return any(
            isinstance(operand, Value)
            and isinstance(operand.type, Array)
            and facts.shapes.same(operand, argument)
            and shapes.same(part, parameter)
            for parameter, operand in zip(program.body.parameters, (*results, *rest), strict=True)
        )

    return [(part, known(argument, part)) for argument, part in zip(arguments, last.operands, strict=True)]


def _check_shape(argument: Value, bar: Operand, custom: Custom, adjoints: Adjoints, storage: Storage) -> None:
    """Raise, when it runs, for an adjoint of another shape than the argument."""
    builder = adjoints.builder
    wanted = builder.apply(np.shape, storage.shapes.of_operand(argument))
    differs = builder.apply(operator.ne, builder.apply(np.shape, bar), wanted, type=BOOL)
    wrong: Node = Raise(Const(ValueError), (Const(other_shape(custom, argument)),), builder.loc)
    builder.add(If(differs, Block((), (wrong,), ()), Block((), (), ()), (), builder.loc))


def other_shape(custom: Custom, argument: Operand) -> str:
    """The message for an adjoint of another shape than the argument."""
    what = "a hook" if custom.passes else f"the backward function of {custom.name}"
    return f"{what} returns an adjoint of another shape than {argument.name or 'its argument'}"
