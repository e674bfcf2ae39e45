"""Turn the program of a recursive function into a pure one, whose parameters and results are numbers and arrays; check its calls."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.diagnostics import Loc, Problem, Problems, UnsupportedError
from backsweep.ir.nodes import Apply, Block, Callee, Const, Function, Node, Operand, Raise, Value, is_none
from backsweep.ir.operations import is_random, is_shown
from backsweep.ir.typed import type_of
from backsweep.ir.types import NONE, Array, Scalar, Tuple, Type, contiguous
from backsweep.ir.walk import map_blocks, programs, rename_operands, rewrite, substitute, walk, with_body


@dataclass(frozen=True, slots=True)
class Pure:
    """A pure program, the positions of the arguments that it returns changed, and which results share memory with arguments."""

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
    """The type of a result with these parts: None for no part, that of a single part, else a tuple."""
    if not parts:
        return NONE
    return parts[0] if len(parts) == 1 else Tuple(tuple(parts))


def pure(function: Function, changed: Sequence[int] = ()) -> Pure:
    """The typed program with its arguments and results in pieces, writing to nothing but copies of its arguments.

    The arrays at the positions in `changed`, and all that it writes, are returned after its own results.
    """
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


def refuse_random(function: Function) -> None:
    """Raise UnsupportedError for random draws in a recursive function: its adjoint, which runs it again, would draw others."""
    for node in _draws(function):
        message = (
            f"`{function.name}` calls itself and draws random numbers, and its adjoint would draw others"
        )
        remedy = "draw them before the call, and pass them as an argument."
        raise UnsupportedError(Problem("BS116", message, node.loc, remedy))


def draws(function: Function) -> bool:
    """Whether the program draws other random numbers each time: where it runs once more, it computes something else."""
    return any(True for program in programs(function) for _ in _draws(program))


def _draws(function: Function) -> Iterator[Apply]:
    """The calls that draw, but from a generator which the program makes with a seed."""
    called = [node for node in walk(function.body) if isinstance(node, Apply) and is_random(node.function)]
    seeded = {
        node.result for node in called if node.function is np.random.default_rng and _is_given(node.operands)
    }
    yield from (node for node in called if node.result not in seeded and seeded.isdisjoint(node.operands[:1]))


def _is_given(operands: Sequence[Operand]) -> bool:
    return bool(operands) and not is_none(operands[0])


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
    if not isinstance(operand, Value) or operand in aliases.bases or operand.type != contiguous(operand.type):
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
        name, contiguous(type_of(operand)), operand.loc if isinstance(operand, Value) else nodes[-1].loc
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


def refuse_shared_results(function: Function) -> None:
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
            code = "BS146" if node.function.is_checkpointed else "BS116"
            problems.add(UnsupportedError, Problem(code, message, node.loc, remedy))
    problems.report()


def function_text(name: str) -> str:
    """A function that stays a call, for a message: by its name, or as the loop that it is made of."""
    for ending in ("_steps", "_loop"):
        if name.endswith(ending):
            return f"a loop of `{name.removesuffix(ending)}`"
    return f"`{name}`"


def _why(callee: Callee) -> str:
    """Why a function stays a call, for a message."""
    return "is checkpointed" if callee.is_checkpointed else "calls itself"


def _overlap(node: Apply, aliases: Aliases) -> tuple[str, str] | None:
    """The message and the remedy if a call changes an array that may be another argument, too; else None."""
    for k in node.function.changed:
        for number, other in enumerate(node.operands):
            array = node.operands[k]
            if number == k or not isinstance(array, Value) or not isinstance(other, Value):
                continue
            if isinstance(other.type, Array) and aliases.same(array, other):
                message = f"{function_text(node.function.name)} {_why(node.function)} and writes into one of two arguments that may share memory"
                return message, "pass the whole array once, and the ranges as numbers."
    return None


def _shared(
    node: Apply, parts: dict[tuple[Operand, object], Value], aliases: Aliases
) -> tuple[str, str] | None:
    """The message and the remedy if the result of a call may be memory of an argument and either is written; else None."""
    for number, k in node.function.shares:
        several = isinstance(node.function.result, Tuple)
        result = parts.get((node.result, number)) if several else node.result
        if result is not None and (aliases.is_buffer(result) or aliases.is_buffer(node.operands[k])):
            message = f"{function_text(node.function.name)} {_why(node.function)} and returns an argument, and one of the two is written"
            return message, "return a copy, as in `return x.copy()`."
    return None


def raises(program: Function) -> bool:
    """Whether the program, or a function that it calls, may end with an error that it raises itself."""
    return any(
        isinstance(node, Raise)
        or (isinstance(node, Apply) and isinstance(node.function, Callee) and node.function.checks)
        for node in walk(program.body)
    )


def without_prints(function: Function) -> Function:
    """The program without its prints and warnings, for a sweep that runs it once more."""
    return rewrite(
        function, lambda node: [] if isinstance(node, Apply) and is_shown(node.function) else [node]
    )


def own_results(callee: Callee) -> tuple[Type, ...]:
    """The types of the numbers and arrays that a callee returns, the new contents of its arguments left out."""
    parts = tuple(parts_of(callee.result))
    return parts[: len(parts) - len(callee.changed)]
