"""The effects of a node or region: what it reads, writes, and may fail at.

Every pass that moves, merges or drops a node asks this module. Effects are given as values; whether two values may share
memory is up to the caller (`backsweep.analysis.alias`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from backsweep.ir.nodes import (
    Append,
    Apply,
    Comment,
    Const,
    For,
    Grow,
    If,
    Load,
    Node,
    Operand,
    Raise,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.operations import Kind, Need, Sharing, kind, operation
from backsweep.ir.types import Other, Scalar, Tuple
from backsweep.ir.walk import blocks, operands

MayAlias = Callable[[Value, Value], bool]


@dataclass(frozen=True, slots=True)
class Effect:
    """The effects of a node besides defining its results.

    `reads` and `writes` are the values whose entries it reads and changes; `holds` are the values that its result refers
    to, as a tuple refers to its items, so that they may be read through the result. `keeps_place` says that no access to
    memory may move past it: it prints, draws a random number, or has unknown effects; `stays`, that it must run even if
    nothing reads its results.
    """

    reads: tuple[Value, ...] = ()
    writes: tuple[Value, ...] = ()
    holds: tuple[Value, ...] = ()
    keeps_place: bool = False
    stays: bool = False

    @property
    def touched(self) -> tuple[Value, ...]:
        """The values whose entries the node reads, or makes readable through its result."""
        return (*self.reads, *self.holds)


NONE = Effect()


def effect(node: Node) -> Effect:
    """The effects of a node; for a branch or a loop, those of the nodes in it."""
    match node:
        case Apply():
            return _of_call(node)
        case Load():
            return Effect(reads=_memory([node.buffer]))
        case Store():
            return Effect(reads=_memory([node.value]), writes=(node.buffer,))
        case Append():
            return Effect(writes=(node.buffer,))
        case Grow():
            return Effect(reads=(node.buffer,), writes=(node.buffer,))
        case Raise():
            return Effect(reads=_memory(node.arguments), stays=True)
        case View() | Comment():
            return NONE
        case If() | For() | While():
            return joined([effect(inner) for block in blocks(node) for inner in block.nodes])


def joined(effects: Sequence[Effect]) -> Effect:
    """The combined effects of several nodes."""
    return Effect(
        tuple(read for each in effects for read in each.reads),
        tuple(written for each in effects for written in each.writes),
        tuple(held for each in effects for held in each.holds),
        any(each.keeps_place for each in effects),
        any(each.stays for each in effects),
    )


def has_effect(node: Node) -> bool:
    """Whether the node does more than define its results, so that it must run even if nothing reads them."""
    match node:
        case Store() | Append() | Grow() | Raise():
            return True
        case Apply():
            if operation(node.function).is_pure and not _has_out(node):
                return False
            done = _of_call(node)
            return done.stays or bool(done.writes)
        case _:
            return any(has_effect(inner) for block in blocks(node) for inner in block.nodes)


def must_run(node: Node) -> bool:
    """Whether the node must run even if nothing reads its results: it has an effect, or raises if operands do not fit."""
    if isinstance(node, Apply) and operation(node.function).checks:
        return True
    return has_effect(node) or any(must_run(inner) for block in blocks(node) for inner in block.nodes)


def writes_memory(node: Node) -> bool:
    """Whether the node changes entries that other nodes may read."""
    return bool(written_by(node))


def written_by(node: Node) -> tuple[Value, ...]:
    """The values whose entries the node changes; a function that only computes is not asked for more."""
    if isinstance(node, Apply) and operation(node.function).is_pure and not _has_out(node):
        return ()
    return effect(node).writes


def may_fail(node: Node) -> bool:
    """Whether the node may raise or read out of bounds, so that it must not run where the program does not run it."""
    match node:
        case Load():
            return True
        case Apply(function=function, operands=(_, divisor)) if kind(function) is Kind.INTEGER_DIVISION:
            return not (isinstance(divisor, Const) and bool(divisor.value))
        case Apply(function=operator.lshift | operator.rshift, operands=(_, by)):
            return not (isinstance(by, Const) and by.value >= 0)
        case Apply(function=operator.getitem, operands=(_, position)):
            return not isinstance(position, Const)
        case Apply(function=function, operands=(number,)) if function is int:
            return not _is_integer(number)
        case If() | For() | While():
            return any(may_fail(inner) for block in blocks(node) for inner in block.nodes)
        case _:
            return isinstance(node, Raise)


def may_raise(node: Node) -> bool:
    """Whether the node, which only computes, may raise because of what it is given: a subscript, a divisor, or shapes."""
    if isinstance(node, Apply):
        known = operation(node.function)
        inputs = getattr(node.function, "nin", 1)
        return known.kind in _RAISING or known.fits or (isinstance(inputs, int) and inputs > 1)
    return isinstance(node, Load | View)


_RAISING = frozenset(
    {
        Kind.ARITHMETIC,
        Kind.DIVISION,
        Kind.INTEGER_DIVISION,
        Kind.POWER,
        Kind.COMPARISON,
        Kind.CHOICE,
        Kind.PRODUCT,
        Kind.REARRANGEMENT,
        Kind.FACTORISATION,
    }
)
"""The families of functions that raise if operands do not fit, or if a divisor is zero."""


def looks_at_memory(node: Node) -> bool:
    """Whether the node reads or views memory, so that calls of unknown functions must not move past it."""
    done = effect(node)
    takes_part = isinstance(node, Apply) and operation(node.function).sharing is not Sharing.NEVER
    return isinstance(node, View) or takes_part or done.keeps_place or bool(done.reads or done.writes)


def always(_first: Value, _second: Value) -> bool:
    """The conservative alias predicate: any two values may share memory."""
    return True


def _of_call(node: Apply) -> Effect:
    """The effects of a call, by the record of its function."""
    known = operation(node.function)
    looked_at = [
        operand
        for position, operand in enumerate(operands(node))
        if position not in known.shape_only and not (position == 0 and known.sharing is Sharing.ALWAYS)
    ]
    if _makes_tuple(node) or (known.kind is Kind.ITEM and not _reads_at(node)):
        return Effect(holds=_memory(node.operands))
    reads = _memory(looked_at)
    if known.in_place:
        return Effect(reads, _memory(node.operands[:1]), stays=True)
    written = (len(node.operands) - 1,) if _has_out(node) else known.writes
    return Effect(
        reads,
        _memory([node.operands[k] for k in written]),
        keeps_place=known.need is not Need.NOTHING,
        stays=known.need is Need.ASKED,
    )


def _makes_tuple(node: Apply) -> bool:
    """Whether the node makes a namedtuple of its operands."""
    return isinstance(node.result.type, Tuple) and node.function is node.result.type.cls


def _reads_at(node: Apply) -> bool:
    """Whether the node reads an array at the positions in an index array or a mask."""
    first = node.operands[0] if node.operands else None
    is_tuple = isinstance(first, Value) and isinstance(first.type, Tuple)
    return node.function is operator.getitem and not is_tuple


def _has_out(node: Apply) -> bool:
    """Whether the node is a ufunc with an operand for `out`."""
    inputs = getattr(node.function, "nin", None)
    return isinstance(inputs, int) and len(node.operands) > inputs


def _is_integer(operand: Operand) -> bool:
    if isinstance(operand, Const):
        return isinstance(operand.value, int | np.integer)
    return isinstance(operand.type, Scalar) and operand.type.dtype.startswith(("int", "uint"))


def _memory(found: Iterable[Operand]) -> tuple[Value, ...]:
    """The operands that may be memory, or may refer to memory."""
    return tuple(
        operand
        for operand in found
        if isinstance(operand, Value) and not isinstance(operand.type, Scalar | Other)
    )
