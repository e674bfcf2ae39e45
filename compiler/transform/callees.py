"""Functions that call themselves, as pure programs of numbers and arrays, and what a call of one may not do."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from backsweep.analysis.activity import find_active
from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.diagnostics import Loc, Problem, Problems, UnsupportedError
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import Apply, Block, Callee, Const, Function, Node, Operand, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import NONE, Array, Scalar, Tuple, Type, is_float, with_layout
from backsweep.ir.walk import map_blocks, rename_operands, substitute, walk, with_body
from backsweep.transform.adjoints import Adjoints, bar_type
from backsweep.transform.matching import is_constant


@dataclass(frozen=True, slots=True)
class Pure:
    """A program as `Callee` has it, with the arguments that it changes and what its results share with them."""

    program: Function
    changed: tuple[int, ...]
    shares: tuple[tuple[int, int], ...]


def parts_of(type_: Type) -> Iterator[Type]:
    """The types of the numbers and arrays that a value of the type holds, tuples taken to pieces."""
    if isinstance(type_, Tuple):
        for item in type_.items:
            yield from parts_of(item)
    elif type_ != NONE:
        yield type_


def bundle(parts: Sequence[Type]) -> Type:
    """The type of a result with these parts: none, the one, or a tuple of them."""
    if not parts:
        return NONE
    return parts[0] if len(parts) == 1 else Tuple(tuple(parts))


def pure(function: Function, changed: Sequence[int] = ()) -> Pure:
    """The typed program with its arguments and results in pieces, writing to nothing but copies of its arguments.

    The arrays at the positions in `changed`, and all that it writes, are returned after its own results.
    Raises UnsupportedError if it draws random numbers, which its adjoint, that runs it again, would draw anew.
    """
    _refuse_random(function)
    flat = _flat(function)
    aliases = find_aliases(flat)
    parameters = flat.body.parameters
    written = {
        k for k, value in enumerate(parameters) if isinstance(value.type, Array) and aliases.is_buffer(value)
    }
    positions = tuple(sorted(written.union(changed)))
    results = list(_results(flat))
    shares = tuple(
        (number, k)
        for number, operand in enumerate(results)
        for k, value in enumerate(parameters)
        if isinstance(operand, Value) and isinstance(operand.type, Array) and aliases.same(operand, value)
    )
    nodes: list[Node] = []
    own: dict[Value, Operand] = {parameters[k]: _copied(parameters[k], nodes) for k in positions}
    nodes += flat.body.nodes
    yields = [
        operand if _is_fresh(operand, results, parameters, aliases) else _copied(operand, nodes)
        for operand in results
    ]
    yields += [own[parameters[k]] for k in positions]
    body = substitute(Block((), tuple(nodes[len(own) :]), tuple(yields)), own)
    nodes[len(own) :] = body.nodes
    result = bundled(body.yields, nodes, flat.loc)
    return Pure(Function(flat.name, Block(parameters, tuple(nodes), (result,)), flat.loc), positions, shares)


def _refuse_random(function: Function) -> None:
    for node in walk(function.body):
        if isinstance(node, Apply) and node.function is not print and not isinstance(node.function, Callee):
            module = getattr(node.function, "__module__", None) or ""
            if has_effect(node) and "random" in module:
                message = f"`{function.name}` calls itself and draws random numbers, and its adjoint would draw others"
                remedy = "draw them before the call, and pass them as an argument."
                raise UnsupportedError(Problem("BS116", message, node.loc, remedy))


def _flat(function: Function) -> Function:
    """The program with a parameter for each part of a tuple."""
    parameters: list[Value] = []
    nodes: list[Node] = []
    known: dict[Value, tuple[Operand, ...]] = {}

    def taken(name: str, type_: Type, loc: Loc) -> Operand:
        if not isinstance(type_, Tuple):
            parameters.append(Value(name, type_, loc))
            return parameters[-1]
        names = type_.names or tuple(map(str, range(len(type_.items))))
        items = tuple(
            taken(f"{name}_{part}", item, loc) for part, item in zip(names, type_.items, strict=True)
        )
        whole = Value(name, type_, loc)
        nodes.append(Apply(whole, type_.cls or tuple, items, loc))
        known[whole] = items
        return whole

    replaced: dict[Value, Operand] = {}
    for parameter in function.body.parameters:
        if isinstance(parameter.type, Tuple):
            replaced[parameter] = taken(parameter.name, parameter.type, parameter.loc)
        else:
            parameters.append(parameter)
    if not replaced:
        return function

    def rename(operand: Operand) -> Operand:
        while isinstance(operand, Value) and operand in replaced:
            operand = replaced[operand]
        return operand

    def change(block: Block) -> Block:
        kept: list[Node] = []
        for old in block.nodes:
            node = rename_operands(old, rename)
            if isinstance(node, Apply) and node.function is operator.getitem:
                source, position = node.operands
                if source in known and isinstance(position, Const):
                    assert isinstance(source, Value)
                    replaced[node.result] = known[source][position.value]
                    continue
            kept.append(map_blocks(node, change, rename))
        return Block(block.parameters, tuple(kept), tuple(map(rename, block.yields)))

    body = change(function.body)
    return with_body(function, Block(tuple(parameters), (*nodes, *body.nodes), body.yields))


def _results(function: Function) -> Iterator[Operand]:
    """The numbers and arrays that the function returns, in the order of `parts_of`."""
    made = {node.result: node for node in walk(function.body) if isinstance(node, Apply)}

    def parts(operand: Operand) -> Iterator[Operand]:
        if isinstance(operand, Value) and isinstance(operand.type, Tuple):
            for item in made[operand].operands:
                yield from parts(item)
        elif isinstance(operand, Value) or operand.value is not None:
            yield operand

    yield from parts(function.body.yields[0])


def _is_fresh(
    operand: Operand, results: Sequence[Operand], parameters: Sequence[Value], aliases: Aliases
) -> bool:
    """Whether a result is a number, or a contiguous array that nothing else refers to."""
    if not isinstance(type_of(operand), Array):
        return True
    if not isinstance(operand, Value) or operand in aliases.bases or operand.type != bar_type(operand.type):
        return False
    others = [value for value in (*results, *parameters) if isinstance(value, Value) and value is not operand]
    return (
        operand not in parameters
        and not any(aliases.same(operand, value) for value in others)
        and sum(value is operand for value in results) == 1
    )


def _copied(operand: Operand, nodes: list[Node]) -> Value:
    name = operand.name
    copy = Value(
        name, bar_type(type_of(operand)), operand.loc if isinstance(operand, Value) else nodes[-1].loc
    )
    nodes.append(Apply(copy, np.copy, (operand,), copy.loc))
    return copy


def bundled(operands: Sequence[Operand], nodes: list[Node], loc: Loc) -> Operand:
    """The one result, or a tuple of them; None where there is none."""
    if len(operands) < 2:
        return operands[0] if operands else Const(None)
    types = tuple(type_of(operand) or Scalar("float64") for operand in operands)
    result = Value("", Tuple(types), loc)
    nodes.append(Apply(result, tuple, tuple(operands), loc))
    return result


def returned_parts(program: Function) -> Sequence[Operand]:
    """What a pure program returns: the items of its result where that is a tuple, else the result."""
    (whole,) = program.body.yields
    if not isinstance(type_of(whole), Tuple):
        return [whole]
    return next(
        node.operands for node in program.body.nodes if isinstance(node, Apply) and node.result is whole
    )


def refuse_shared(function: Function) -> None:
    """Raise UnsupportedError for calls of callees whose arguments or results share memory that is written."""
    calls = [
        node for node in walk(function.body) if isinstance(node, Apply) and isinstance(node.function, Callee)
    ]
    if not calls:
        return
    aliases = find_aliases(function)
    parts: dict[tuple[Operand, object], Value] = {}
    for node in walk(function.body):
        if (
            isinstance(node, Apply)
            and node.function is operator.getitem
            and isinstance(node.operands[1], Const)
        ):
            parts[node.operands[0], node.operands[1].value] = node.result
    problems = Problems()
    for node in calls:
        message, remedy = _overlap(node, aliases) or _shared(node, parts, aliases) or ("", "")
        if message:
            problems.add(UnsupportedError, Problem("BS116", message, node.loc, remedy))
    problems.report()


def _overlap(node: Apply, aliases: Aliases) -> tuple[str, str] | None:
    """What to tell of a call that changes an array which is, perhaps, another argument's memory too."""
    for k in node.function.changed:
        for number, other in enumerate(node.operands):
            array = node.operands[k]
            if number == k or not isinstance(array, Value) or not isinstance(other, Value):
                continue
            if isinstance(other.type, Array) and aliases.same(array, other):
                message = f"`{node.function.name}` calls itself and writes into one of two arguments that may share memory"
                return message, "pass the whole array once, and the ranges as numbers."
    return None


def _shared(
    node: Apply, parts: dict[tuple[Operand, object], Value], aliases: Aliases
) -> tuple[str, str] | None:
    """What to tell of a result that is, perhaps, an argument's memory, where either is written."""
    for number, k in node.function.shares:
        several = isinstance(node.function.result, Tuple)
        result = parts.get((node.result, number)) if several else node.result
        if result is not None and (aliases.is_buffer(result) or aliases.is_buffer(node.operands[k])):
            message = (
                f"`{node.function.name}` calls itself and returns an argument, and one of the two is written"
            )
            return message, "return a copy, as in `return x.copy()`."
    return None


def without_prints(function: Function) -> Function:
    """The program without its prints, for a sweep that runs it once more."""

    def change(block: Block) -> Block:
        nodes = [node for node in block.nodes if not (isinstance(node, Apply) and node.function is print)]
        return dataclasses.replace(
            block, nodes=tuple(map_blocks(node, change, lambda operand: operand) for node in nodes)
        )

    return with_body(function, change(function.body))


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
            writes=tuple(range(count, count + len(shadows))),
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
    """The positions, and those of the numbers that vary with them where the callee calls itself: one adjoint will do."""
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


def own_results(callee: Callee) -> tuple[Type, ...]:
    """The types of the numbers and arrays that a callee returns, the new contents of its arguments left out."""
    parts = tuple(parts_of(callee.result))
    return parts[: len(parts) - len(callee.changed)]


def is_new_contents(operand: Operand, definitions: Mapping[Value, Node]) -> bool:
    """Whether the operand is what a callee made of one of its arguments."""
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
