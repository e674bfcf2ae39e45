"""Write explicit copies where a function such as `np.ravel` silently copies an array that is written.

`np.ravel(a)` is a view of a contiguous array and a copy of any other; the layouts that Numba infers decide which. This
pass runs before written arguments are copied, because a copy is contiguous whatever the caller's array was.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable

import numpy as np
from numpy.lib.stride_tricks import as_strided

from backsweep.analysis.alias import (
    Aliases,
    find_aliases,
    is_perhaps_view,
    items_of_arguments,
)
from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.ir.build import Builder
from backsweep.ir.effects import written_by
from backsweep.ir.nodes import Append, Apply, Block, Const, For, Function, Node, Operand, Value
from backsweep.ir.operations import Kind, Sharing, operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, Scalar, is_float, with_layout
from backsweep.ir.walk import blocks, free_values, results, rewrite_block, substitute, walk, with_body
from backsweep.runtime.support.marks import seen_as_view

SHOWING = (np.einsum, as_strided)
"""Functions that stay calls where nothing asks for their derivative, and whose results show the memory of an operand."""


def make_copies_explicit(function: Function) -> Function:
    """The same program with an explicit copy wherever a function silently copies an array that is written."""
    aliases = find_aliases(function)
    if not any(_is_unclear(node, aliases) or _is_turned(node) for node in walk(function.body)):
        return function
    given = (*function.body.parameters, *(node.result for node in items_of_arguments(function)))
    strided = {aliases.of(each) for each in given if isinstance(each.type, Array) and each.type.layout != "C"}

    same: dict[Value, Operand] = {}

    def decided(node: Node) -> list[Node]:
        if not isinstance(node, Apply) or not (_is_unclear(node, aliases) or _is_turned(node)):
            return [node]
        if _is_written_through(node, function, aliases):
            raise _written_through(node)
        if node.function in SHOWING:
            return [node]
        if node.function is np.reshape and aliases.is_buffer(node.result):
            turned = _is_turned(node) and not _is_complete(node, function, aliases)
            if turned or (not _is_turned(node) and aliases.of(node.result) in strided):
                raise _undecided(node)
        if node.function is seen_as_view:
            same[node.result] = node.operands[0]
            if aliases.is_buffer(node.operands[1]) and not _is_read_at_once(node, 1, function, aliases):
                raise _differing(node)
            return []
        if node.function in (np.diag, np.broadcast_to) and not _is_read_at_once(node, 0, function, aliases):
            raise _differing(node)
        builder = Builder(loc=node.loc)
        _settle(builder, node, same)
        return builder.current.nodes

    body = rewrite_block(function.body, decided)
    return with_body(function, substitute(body, same))


def copy_turned_arrays(function: Function) -> Function:
    """The typed derivative, in which an array in Fortran's order is copied in rows before it is reshaped, which Numba does not do.

    Such arrays arise when values are computed again from records: these are in rows, whatever the values' order was.
    """
    if not any(map(_is_turned, walk(function.body))):
        return function
    aliases = find_aliases(function)

    def copied(node: Node) -> list[Node]:
        if not isinstance(node, Apply) or not _is_turned(node):
            return [node]
        if aliases.is_buffer(node.result) and not _is_complete(node, function, aliases):
            return [node]
        builder = Builder(loc=node.loc)
        _settle(builder, node, same)
        return builder.current.nodes

    same: dict[Value, Operand] = {}
    body = rewrite_block(function.body, copied)
    return with_body(function, substitute(body, same))


def _is_unclear(node: Node, aliases: Aliases) -> bool:
    """Whether the node returns a view or a copy of written memory, depending on the layout, or on NumPy or Numba (`np.diag`), or a view that shows entries more than once."""
    if not isinstance(node, Apply):
        return False
    if node.function is seen_as_view:
        return True
    if node.function in SHOWING:
        return aliases.is_buffer(node.result) and (node.function is as_strided or _is_shown(node))
    if node.function is np.diag:
        return _is_matrix(node.operands[0]) and aliases.is_buffer(node.operands[0])
    if node.function is np.broadcast_to:  # a view of which entries share memory: none can be its adjoint
        return is_float(type_of(node.operands[0])) and aliases.is_buffer(node.operands[0])
    if not aliases.is_buffer(node.result):
        return False
    sharing = operation(node.function).sharing
    return sharing is Sharing.FORTRAN or (sharing is Sharing.CONTIGUOUS and is_perhaps_view(node))


def _is_shown(node: Apply) -> bool:
    """Whether a call of `np.einsum` shows entries of its only array, of which NumPy makes a view."""
    if len(node.operands) != 2 or node.keywords or not isinstance(node.operands[0], Const):
        return False
    given, _, found = str(node.operands[0].value).partition("->")
    return set(given.strip()) == set(found.strip())


def _is_turned(node: Node) -> bool:
    """Whether the node reshapes an array in Fortran's order: NumPy copies it, Numba raises when the program runs."""
    if not isinstance(node, Apply) or node.function is not np.reshape:
        return False
    type_ = type_of(node.operands[0])
    return isinstance(type_, Array) and type_.layout == "F"


def _is_complete(node: Apply, function: Function, aliases: Aliases) -> bool:
    """Whether nothing writes to the memory of the node's result after the node: then a view and a copy are the same."""
    own = aliases.of(node.result)
    written = [
        any(aliases.of(each) == own for inner in walk(Block((), (outer,), ())) for each in written_by(inner))
        for outer in function.body.nodes
    ]
    here = next(k for k, outer in enumerate(function.body.nodes) if node in walk(Block((), (outer,), ())))
    return not any(written[here:])


def _is_read_at_once(node: Apply, place: int, function: Function, aliases: Aliases) -> bool:
    """Whether all that reads the node's result stands in its block, before anything there writes to the memory of the operand at a place."""
    base = node.operands[place]
    own = aliases.of(base) if isinstance(base, Value) else None
    whole = (function.body, *(inner for outer in walk(function.body) for inner in blocks(outer)))
    block = next(each for each in whole if node in each.nodes)
    behind = [each for each in block.nodes[block.nodes.index(node) + 1 :] if not _asks_for_extents(each)]
    writes = [
        k
        for k, outer in enumerate(behind)
        if any(
            aliases.of(each) == own for inner in walk(Block((), (outer,), ())) for each in written_by(inner)
        )
    ]
    if not writes and block is function.body:
        return True
    names = {node.result}
    for outer in behind:
        inside = Block((), (outer,), ())
        if names.isdisjoint(free_values(inside)):
            continue
        names |= {inner.buffer for inner in walk(inside) if isinstance(inner, Append)}
        names |= {
            each
            for each in results(outer)
            if not isinstance(each.type, Array | Scalar) or aliases.of(each) == aliases.of(node.result)
        }
    rest = Block((), tuple(behind[min(writes) :]) if writes else (), block.yields)
    return names.isdisjoint(free_values(rest))


def _asks_for_extents(node: Node) -> bool:
    """Whether the node looks at the extents of an array only, which no write changes."""
    return isinstance(node, Apply) and operation(node.function).kind is Kind.EXTENT


def _is_written_through(node: Apply, function: Function, aliases: Aliases) -> bool:
    """Whether a copy that stands for a view of another array is written after it is made, and that array may be read then."""
    if node.function is not seen_as_view and node.function not in SHOWING:
        return False
    base = node.operands[0 if node.function is as_strided else 1]
    copied = node.operands[0] if node.function is seen_as_view else node.result
    if not isinstance(copied, Value) or not isinstance(base, Value):
        return False
    whole = (function.body, *(inner for outer in walk(function.body) for inner in blocks(outer)))
    block = next(each for each in whole if node in each.nodes)
    place = block.nodes.index(node)
    made = next((k for k, each in enumerate(block.nodes) if copied in results(each)), 0)

    def writes(nodes: Iterable[Node]) -> bool:
        inside = walk(Block((), tuple(nodes), ()))
        return any(aliases.same(each, copied) for inner in inside for each in written_by(inner))

    k = next((k for k in range(place + 1, len(block.nodes)) if writes(block.nodes[k : k + 1])), None)
    if k is None:
        within = {id(each) for each in block.nodes[made : place + 1]}
        others = (each for each in walk(function.body) if id(each) not in within)
        is_handed_on = block is not function.body and copied in free_values(Block((), (), block.yields))
        return is_handed_on and writes(others)
    if block is not function.body:
        return True
    later = Block((), block.nodes[k:], block.yields)
    return any(aliases.same(each, base) for each in free_values(later) if isinstance(each.type, Array))


def _written_through(node: Apply) -> UnsupportedError:
    message = "this is a view in NumPy and a copy in compiled code, and is written"
    remedy = "write to a copy of it, .copy(), or to the array itself."
    return UnsupportedError(Problem("BS207", message, node.loc, remedy))


def _differing(node: Apply) -> UnsupportedError:
    if node.function is seen_as_view:
        message = "this is a view in NumPy and a copy in compiled code, and its array is written later"
        remedy = "take a copy of the result, .copy(), or write the array before."
        return UnsupportedError(Problem("BS207", message, node.loc, remedy))
    if node.function is np.broadcast_to:
        message = "`np.broadcast_to` gives a view of an array that is written later"
        remedy = "take a copy of the result, .copy(), or write the array before."
        return UnsupportedError(Problem("BS207", message, node.loc, remedy))
    message = "`np.diag` of an array that is written later is a view in NumPy and a copy in Numba"
    remedy = "write np.diag(a).copy(), or read the entries a[i, i] in a loop."
    return UnsupportedError(Problem("BS207", message, node.loc, remedy))


def _is_matrix(operand: Operand) -> bool:
    return isinstance(operand, Value) and isinstance(operand.type, Array) and operand.type.ndim == 2


def _settle(builder: Builder, node: Apply, same: dict[Value, Operand]) -> None:
    """Write a copy where Numba copies, and use the array itself where only its layout would change."""
    base = node.operands[0]
    assert isinstance(base, Value)
    assert isinstance(base.type, Array)
    if node.function is np.asfortranarray and not is_perhaps_view(node):
        same[node.result] = base
    elif node.function is np.asfortranarray:
        builder.add(dataclasses.replace(node, function=np.copy))
    elif node.function is np.reshape and not _is_turned(node):
        builder.add(node)
    elif node.function is np.diag:  # a view in NumPy, a copy in Numba
        _read_diagonal(builder, node, base)
    else:
        copied = builder.apply(np.copy, base, type=Array(base.type.dtype, base.type.ndim))
        again = dataclasses.replace(node, operands=(copied, *node.operands[1:]))
        if _is_turned(node) and node.result.type is not None:  # Numba keeps the order
            in_rows = dataclasses.replace(node.result, type=with_layout(node.result.type, "C"))
            same[node.result], again = in_rows, dataclasses.replace(again, result=in_rows)
        builder.add(again)


def _read_diagonal(builder: Builder, node: Apply, base: Value) -> None:
    """Read the entries of a diagonal that are there now, one after the other."""
    given = [*node.operands[1:], *dict(node.keywords).values()]
    offset = given[0].value if given and isinstance(given[0], Const) else 0
    assert isinstance(node.result.type, Array)
    down, right = max(-offset, 0), max(offset, 0)
    rows, columns = builder.extent(base, 0), builder.extent(base, 1)
    below, beside = _shifted(builder, rows, -down), _shifted(builder, columns, -right)
    count = builder.apply(min, below, beside, type=INT)
    count = builder.apply(max, count, Const(0), type=INT) if offset else count
    type_ = node.result.type
    dtype = () if type_.dtype == "float64" else (Const(np.dtype(type_.dtype).type),)
    builder.add(Apply(node.result, np.empty, (count, *dtype), node.loc))
    i = builder.value("i", INT)
    with builder.block(i) as body:
        place = (_shifted(builder, i, down), _shifted(builder, i, right))
        builder.store(node.result, (i,), builder.load(base, place, type=Scalar(type_.dtype)))
    builder.add(For(Const(0), count, Const(1), (), body.finish(), (), node.loc))


def _shifted(builder: Builder, index: Operand, shift: int) -> Operand:
    """An index, or an extent, plus a number."""
    if shift == 0:
        return index
    function = operator.add if shift > 0 else operator.sub
    return builder.apply(function, index, Const(abs(shift)), type=INT)


def _undecided(node: Apply) -> UnsupportedError:
    message = "only the run decides whether this is a view or a copy of an array that is written"
    remedy = "copy the array first with .copy(), or make it contiguous."
    return UnsupportedError(Problem("BS207", message, node.loc, remedy))
