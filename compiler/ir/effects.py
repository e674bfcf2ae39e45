"""What a node, or the region that it holds, reads, writes, and may fail at: the one answer for every pass.

A pass that moves, merges or drops a node asks here. Names say whose memory is meant: two values may be one memory
(`backsweep.analysis.alias`), which the caller knows.
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
    """What a node does besides defining its results.

    `reads` and `writes` are the values whose entries it looks at and changes; `holds` are those that its result refers
    to, as a tuple does to its items, so that they may be read through that. `keeps_place` says that nothing that
    looks at memory may pass it: it prints, draws a random number, or does what is not known; `stays`, that it must run
    even if nobody reads its results.
    """

    reads: tuple[Value, ...] = ()
    writes: tuple[Value, ...] = ()
    holds: tuple[Value, ...] = ()
    keeps_place: bool = False
    stays: bool = False

    @property
    def touched(self) -> tuple[Value, ...]:
        """The values whose entries it reads, or makes readable under another name."""
        return (*self.reads, *self.holds)


NONE = Effect()


def effect(node: Node) -> Effect:
    """What the node does; of a branch or a loop, what the nodes in it do."""
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
    """What several nodes do together."""
    return Effect(
        tuple(read for each in effects for read in each.reads),
        tuple(written for each in effects for written in each.writes),
        tuple(held for each in effects for held in each.holds),
        any(each.keeps_place for each in effects),
        any(each.stays for each in effects),
    )


def has_effect(node: Node) -> bool:
    """Whether the node does more than define its results: then it has to run even if nobody reads them."""
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
    """Whether the node has to run even if nobody reads its results: it has an effect, or raises where operands do not fit."""
    if isinstance(node, Apply) and operation(node.function).checks:
        return True
    return has_effect(node) or any(must_run(inner) for block in blocks(node) for inner in block.nodes)


def writes_memory(node: Node) -> bool:
    """Whether the node changes entries that something else may look at."""
    return bool(written_by(node))


def written_by(node: Node) -> tuple[Value, ...]:
    """The values whose entries the node changes; a function that only computes is not asked for more."""
    if isinstance(node, Apply) and operation(node.function).is_pure and not _has_out(node):
        return ()
    return effect(node).writes


def may_fail(node: Node) -> bool:
    """Whether the node raises, or reads out of bounds, for some operands: then it must not run where the program does not run it."""
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


def looks_at_memory(node: Node) -> bool:
    """Whether the node reads or takes part of memory, so that calls of unknown functions must not pass it."""
    done = effect(node)
    takes_part = isinstance(node, Apply) and operation(node.function).sharing is not Sharing.NEVER
    return isinstance(node, View) or takes_part or done.keeps_place or bool(done.reads or done.writes)


def always(_first: Value, _second: Value) -> bool:
    """The alias predicate that knows nothing."""
    return True


def _of_call(node: Apply) -> Effect:
    """What a call does, by the record of its function."""
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
    """Whether the node reads the entries of an array at the places that an index array, or a mask, gives."""
    first = node.operands[0] if node.operands else None
    is_tuple = isinstance(first, Value) and isinstance(first.type, Tuple)
    return node.function is operator.getitem and not is_tuple


def _has_out(node: Apply) -> bool:
    """Whether the node is a ufunc that is given the array to write to."""
    inputs = getattr(node.function, "nin", None)
    return isinstance(inputs, int) and len(node.operands) > inputs


def _is_integer(operand: Operand) -> bool:
    if isinstance(operand, Const):
        return isinstance(operand.value, int | np.integer)
    return isinstance(operand.type, Scalar) and operand.type.dtype.startswith(("int", "uint"))


def _memory(found: Iterable[Operand]) -> tuple[Value, ...]:
    """Those of the operands that may be memory, or hold some."""
    return tuple(
        operand
        for operand in found
        if isinstance(operand, Value) and not isinstance(operand.type, Scalar | Other)
    )
