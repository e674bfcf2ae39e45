"""Compare the lengths of loops and slices with the widths of the stencils that they read.

A stencil is what one iteration reads of an array: neighbouring elements such as `x[i - 1]`, `x[i]` and `x[i + 1]`. Its adjoint adds
to neighbours, and is gathered (`optimise/loops/gathering.py`) if the loop is longer than the stencil is wide. A call may assume that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.integers.affine import Affine, literal, variable
from backsweep.analysis.integers.extents import Shapes
from backsweep.analysis.order.references import References
from backsweep.ir.nodes import Apply, Const, For, Function, Load, Node, Operand, Slice, Store, Value, View
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import is_inexact
from backsweep.ir.types import Array
from backsweep.ir.walk import operands, walk


def stencil_margins(function: Function, shapes: Shapes) -> Iterator[Affine]:
    """For each loop and each group of slices that reads a stencil: its length minus the stencil's width, which may be negative."""
    references = References(function, find_aliases(function))
    views: dict[tuple[object, ...], list[tuple[Affine, int]]] = {}
    for node in walk(function.body):
        match node:
            case For() as loop if literal(loop.step) == 1:
                yield from _of_loop(loop, references.within(loop), shapes)
            case View(buffer=buffer) as view if _is_inexact(buffer):
                for axis, length, start in _parts(view, shapes):
                    key = (buffer, axis, frozenset(length.terms.items()), length.const)
                    views.setdefault(key, []).append((length, start))
            case _:
                pass
    for parts in views.values():
        starts = {start for _, start in parts}
        if len(starts) > 1:
            yield parts[0][0] - (max(starts) - min(starts))


def _of_loop(loop: For, aliases: Aliases, shapes: Shapes) -> Iterator[Affine]:
    """The margins of one loop, one for each width of a stencil; arrays that the loop writes are left out."""
    inside = list(walk(loop.body))
    written = {aliases.of(node.buffer) for node in inside if isinstance(node, Store)}
    index = variable(loop.body.parameters[0])
    offsets: dict[tuple[Value, int], list[int]] = {}
    readers: dict[Operand, list[Node]] = {}
    for node in inside:
        for operand in operands(node):
            readers.setdefault(operand, []).append(node)
    for node in inside:
        if not isinstance(node, Load) or not _is_inexact(node.buffer) or aliases.of(node.buffer) in written:
            continue
        if _is_added_up(node.result, readers):
            for axis, item in enumerate(node.index):
                offset = shapes.length(item) - index if isinstance(item, Operand) else index
                if not offset.terms:
                    offsets.setdefault((node.buffer, axis), []).append(offset.const)
    spans = {max(found) - min(found) for found in offsets.values()}
    for span in spans - {0}:
        yield shapes.length(loop.stop) - shapes.length(loop.start) - span


def _is_added_up(value: Value, readers: Mapping[Operand, Sequence[Node]]) -> bool:
    """Whether sums and products are all that comes of a value: what its adjoint is computed from is inexpensive."""
    todo, seen = [value], {value}
    while todo:
        for node in readers.get(todo.pop(), ()):
            if isinstance(node, Apply):
                if kind(node.function) is not Kind.ARITHMETIC:
                    return False
                if node.result not in seen:
                    seen.add(node.result)
                    todo.append(node.result)
    return True


def _parts(view: View, shapes: Shapes) -> Iterator[tuple[int, Affine, int]]:
    """The axis, the length and the start of each slice of a view that begins at a literal."""
    shape = shapes.of_view(view)
    if shape is None or not all(isinstance(item, Slice | Value | Const) for item in view.index):
        return
    lengths = iter(shape)
    for axis, item in enumerate(view.index):
        if isinstance(item, Slice):
            length, start = next(lengths), 0 if item.start is None else literal(item.start)
            if start is not None and start >= 0 and (item.step is None or literal(item.step) == 1):
                yield axis, length, start


def _is_inexact(operand: Operand) -> TypeGuard[Value]:
    """Whether the operand is an array of floating-point or complex numbers."""
    return isinstance(operand, Value) and isinstance(operand.type, Array) and is_inexact(operand)
