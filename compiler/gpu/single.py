"""Keep kernels of functions in single precision there: what differentiation multiplies by is a number of single precision, too.

Numba makes a double of a single number times 2.0, and adjoints are in double precision on the CPU, where that costs little. A GPU has
from a half to a sixty-fourth of the speed for doubles. What threads add up is added up in double precision nevertheless.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, Function, Node, Operand, Value, equals
from backsweep.ir.operations import Kind, operation
from backsweep.ir.types import Array, List, Scalar, Tuple, Type
from backsweep.ir.walk import (
    blocks,
    itself,
    map_blocks,
    programs,
    rename_operands,
    renewed,
    results,
    substitute,
    walk,
    with_body,
    with_nodes,
)
from backsweep.runtime.gpu import numbers

_IN_ANY_PRECISION = (numbers.exp, numbers.expm1, numbers.log1p, numbers.sqrt, numbers.square, numbers.fmod)
SINGLE, DOUBLE = Scalar("float32"), Scalar("float64")


def is_single(primal: Function) -> bool:
    """Whether the user's function computes in single precision, and never in double."""
    found = {
        dtype
        for function in programs(primal)
        for value in _values(function.body)
        for dtype in _dtypes(value.type)
    }
    return "float32" in found and found.isdisjoint({"float64", "complex64", "complex128"})


def in_single(kernel: Function) -> Function:
    """The kernel with its numbers in single precision; arrays keep their dtypes."""
    body = renewed(kernel.body)
    given = [value for value in body.parameters if value.type == DOUBLE]
    builder = Builder(loc=kernel.loc)
    own: dict[Value, Operand] = {
        value: builder.apply(np.float32, value, name=value.name, type=SINGLE) for value in given
    }
    inside = substitute(Block((), body.nodes, body.yields), own)
    for value in _values(inside):
        if value.type == DOUBLE:  # the values are this copy's own
            object.__setattr__(value, "type", SINGLE)
    inside = _with_single_constants(inside)
    return with_body(kernel, Block(body.parameters, (*builder.current.nodes, *inside.nodes), inside.yields))


def _with_single_constants(block: Block) -> Block:
    """The block in which numbers that are written out are in single precision where they meet others, or are yielded."""
    nodes: list[Node] = []
    for node in block.nodes:
        if isinstance(node, Apply) and node.result.type == SINGLE and _is_of_runtime(node):
            wide = dataclasses.replace(node.result, name="", type=DOUBLE)
            nodes.append(dataclasses.replace(node, result=wide))
            nodes.append(Apply(node.result, np.float32, (wide,), node.loc))
        elif isinstance(node, Apply):
            nodes.append(rename_operands(node, _renaming(node)))
        elif blocks(node):
            nodes.append(map_blocks(rename_operands(node, _single), _with_single_constants))
        else:
            nodes.append(node)
    return with_nodes(block, nodes, tuple(map(_single, block.yields)))


def _is_of_runtime(node: Apply) -> bool:
    """Whether the call is of a function of ours that may have numbers of double precision in it."""
    if node.function in _IN_ANY_PRECISION:
        return False
    return (getattr(node.function, "__module__", None) or "").startswith("backsweep.runtime")


def _renaming(node: Apply) -> Callable[[Operand], Operand]:
    """What becomes of the numbers in a call: what is compared stays exact."""
    if node.result.type == SINGLE and node.function is not np.float32:
        return _single
    compares = any(isinstance(each, Value) and each.type == SINGLE for each in node.operands)
    return _single_if_exact if compares and operation(node.function).kind is Kind.COMPARISON else itself


def _single(operand: Operand) -> Operand:
    """A number that is written out, in single precision; any other operand as it is."""
    if isinstance(operand, Const) and type(operand.value) in (float, np.float64):
        return Const(np.float32(operand.value))
    return operand


def _single_if_exact(operand: Operand) -> Operand:
    found = _single(operand)
    return found if isinstance(found, Const) and equals(operand, float(found.value)) else operand


def _values(block: Block) -> Iterator[Value]:
    yield from block.parameters
    for node in walk(block):
        yield from results(node)
        for inner in blocks(node):
            yield from inner.parameters


def _dtypes(type_: Type | None) -> Iterator[str]:
    """The dtypes of the numbers and arrays that values of the type hold."""
    if isinstance(type_, Tuple):
        for item in type_.items:
            yield from _dtypes(item)
    elif isinstance(type_, List):
        yield from _dtypes(type_.item)
    elif isinstance(type_, Scalar | Array):
        yield type_.dtype
