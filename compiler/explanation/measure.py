"""Measure what the reverse sweep needs: as expressions of the user's values, and with programs that count bytes."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from backsweep.ad.derivation import Derivation
from backsweep.analysis.alias import find_aliases
from backsweep.emit.module import emit_module
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, For, Function, Load, Node, Operand, Value
from backsweep.ir.sweeps import start_of_reverse_sweep
from backsweep.ir.types import INT, Array, List, Scalar, Tuple, Type
from backsweep.ir.walk import free_values, operands, results, walk
from backsweep.legalise.paths.definite_assignment import defined
from backsweep.optimise.simplify import simplify
from backsweep.runtime.tape import computed_again


def itemsize(type_: Type | None) -> int:
    """Bytes of a number of the type, or of an entry of an array of the type."""
    assert isinstance(type_, Scalar | Array)
    return int(np.dtype(type_.dtype).itemsize)


def origin(value: Value, derivation: Derivation) -> Value:
    """The value of the primal that a value of the forward sweep holds or copies."""
    while value in derivation.sweeps.origin:
        value = derivation.sweeps.origin[value]
    return value


REFERENCE = 8
"""Bytes counted for a reference to memory that exists without the record."""


def records(derivation: Derivation) -> dict[Value, int]:
    """The memory that holds each record at the end of the forward sweep, with the bytes of one entry or reference in it.

    A record that is itself recorded (a copy on a tape, a tape that a branch yields) is held by the outer record.
    """
    held = [choice for choice in derivation.sweeps.choices if choice.memory is not None]
    again = {choice.value for choice in held if choice.value is not choice.memory}
    found: dict[Value, int] = {}
    for choice in held:
        if choice.memory is not None and choice.memory not in again:
            shared = is_reference(choice.memory, derivation)
            found[choice.memory] = REFERENCE if shared else itemsize(origin(choice.value, derivation).type)
    return found


def is_reference(memory: Value, derivation: Derivation) -> bool:
    """Whether a record holds references to existing arrays, from which loops and branches choose, instead of numbers."""
    value, aliases = origin(memory, derivation), derivation.facts.aliases
    on_tape = isinstance(memory.type, Array) and memory.type != value.type
    return not on_tape and aliases.in_memory(value) and aliases.is_merged(value)


def restarts(derivation: Derivation) -> list[For]:
    """The checkpointed loops of known length."""
    nodes = derivation.primal.body.nodes
    return [
        node for node in nodes if isinstance(node, For) and node.checkpoint is not None and node.exit is None
    ]


def _steps_again(loop: For, builder: Builder) -> Value:
    """How many steps of a checkpointed loop are computed again; its last block is no part of the loop."""
    mark = loop.checkpoint
    assert mark is not None
    blocks = builder.apply(operator.add, loop.stop, Const(1), type=INT)
    again = builder.apply(computed_again, blocks, mark.slots, type=INT)
    return builder.apply(operator.mul, again, mark.block, type=INT)


def byte_counter(derivation: Derivation, memories: Mapping[Value, int]) -> Function:
    """A program that runs the forward sweep and returns the bytes that each record holds at its end.

    Then it returns how many steps of each loop in `restarts` are computed again.
    `memories` maps the records to the bytes of an entry, as `records` returns them.
    """
    primal = derivation.primal
    builder = Builder(loc=primal.loc)
    builder.add(*defined(Block((), derivation.sweeps.forward, ())).nodes)
    counts = tuple(
        builder.apply(operator.mul, Const(size), _entries(memory, derivation, builder), type=INT)
        for memory, size in memories.items()
    )
    counts += tuple(_steps_again(loop, builder) for loop in restarts(derivation))
    result = builder.apply(tuple, *counts, type=Tuple((INT,) * len(counts)))
    body = Block(primal.body.parameters, tuple(builder.current.nodes), (result,))
    return Function(f"{primal.name.replace('<lambda>', 'function')}_bytes", body, primal.loc)


def kept_counter(function: Function) -> Function:
    """A program that runs what a gradient computes before its reverse sweep and returns the bytes that stay for that sweep.

    These are all arrays that the program made and still reads: records, and arrays of the function itself, which nobody
    would need any more. Arguments and results do not count, nor do single numbers.
    """
    nodes, loc = function.body.nodes, function.loc
    start = start_of_reverse_sweep(nodes)
    aliases = find_aliases(function)
    handed_on = set(_parts(function.body.yields, {value: node for node in nodes for value in results(node)}))
    outside = {*function.body.parameters, *map(aliases.root, handed_on)}
    read = dict.fromkeys(map(aliases.root, free_values(Block((), nodes[start:], ()))))
    held = [value for value in read if isinstance(value.type, Array | List) and value not in outside]
    arrays = [value for value in held if isinstance(value.type, Array)]
    builder = Builder(loc=loc)
    builder.add(*defined(Block((), nodes[:start], ())).nodes)
    total: Operand = Const(0)
    for value in held:
        size: Operand
        if isinstance(value.type, List):
            listed = value.type.item
            shared = not isinstance(listed, Array) or any(aliases.same(value, array) for array in arrays)
            entry = REFERENCE if shared else itemsize(listed)
            size = builder.apply(len, value, type=INT) if shared else _sizes(value, builder)
        else:
            entry, size = itemsize(value.type), builder.apply(np.size, value, type=INT)
        size = builder.apply(operator.mul, Const(entry), size, type=INT)
        total = builder.apply(operator.add, total, size, type=INT)
    body = Block(function.body.parameters, tuple(builder.current.nodes), (total,))
    return Function(f"{function.name.replace('<lambda>', 'function')}_kept", body, loc)


def _parts(found: Iterable[Operand], definitions: Mapping[Value, Node]) -> Iterator[Value]:
    """The values that tuples are made of, and tuples of these."""
    for value in found:
        if isinstance(value, Value):
            yield value
            node = definitions.get(value)
            if isinstance(value.type, Tuple) and isinstance(node, Apply):
                yield from _parts(node.operands, definitions)


def _entries(memory: Value, derivation: Derivation, builder: Builder) -> Operand:
    """The number of entries of a record, or of its references to existing arrays."""
    shared = is_reference(memory, derivation)
    match memory.type:
        case Scalar():
            return Const(1)
        case Array():
            return Const(1) if shared else builder.apply(np.size, memory, type=INT)
        case _:
            return builder.apply(len, memory, type=INT) if shared else _sizes(memory, builder)


def _sizes(memory: Value, builder: Builder) -> Value:
    """The sum of the sizes of all arrays in a list."""
    count = builder.apply(len, memory, type=INT)
    index, before, total = builder.value("k", INT), builder.value("held", INT), builder.value("held", INT)
    with builder.block(index, before) as body:
        size = builder.apply(np.size, builder.load(memory, (index,)), type=INT)
        body.yields = (builder.apply(operator.add, before, size, type=INT),)
    builder.add(For(Const(0), count, Const(1), (Const(0),), body.finish(), (total,), builder.loc))
    return total


def expression(length: Operand, derivation: Derivation) -> str:
    """An extent as an expression of the user's names in the forward sweep; "" if no expression is enough."""
    forward = Block((), derivation.sweeps.forward, ())
    definitions = {value: node for node in walk(forward) for value in results(node)}
    nodes = tuple(_unnamed(length, definitions))
    free = tuple(free_values(Block((), nodes, (length,))))
    function = Function("extent", Block(free, nodes, (length,)), derivation.primal.loc)
    written = ast.parse(emit_module([simplify(function)], "").text).body[-1]
    assert isinstance(written, ast.FunctionDef)
    statement = written.body[0]
    return ast.unparse(statement.value) if isinstance(statement, ast.Return) and statement.value else ""


def _unnamed(operand: Operand, definitions: Mapping[Value, Node]) -> dict[Node, None]:
    """The nodes that compute an operand by unnamed integer arithmetic, in program order."""
    found: dict[Node, None] = {}
    node = definitions.get(operand) if isinstance(operand, Value) and not operand.name else None
    if isinstance(node, Apply | Load):
        for part in operands(node):
            found |= _unnamed(part, definitions)
        found[node] = None
    return found
