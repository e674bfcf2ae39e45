"""Make the arrays of an iteration once, before the loop: making a small array costs as much as a hundred additions.

An array that is only used element by element within the iteration that makes it, and that has no other name, can be the
same memory in all iterations. One that begins with zeros is made in each: filling it is what costs.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from backsweep.analysis.hoisting import extent_before
from backsweep.analysis.integers.affine import Affine, Dim, literal
from backsweep.analysis.structure import facts_of
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, For, Function, Load, Node, Operand, Store, Value, While
from backsweep.ir.operations import operation
from backsweep.ir.types import INT, Array, Tuple
from backsweep.ir.walk import blocks, map_blocks, operands, walk, with_body, with_nodes


def make_scratch_once(function: Function) -> Function:
    """The program, in which arrays that an iteration makes for itself are made once, before the loop, if that is possible."""
    arrays = _scratch(function)
    return with_body(function, _Scratch(function, arrays).block(function.body)) if arrays else function


def _scratch(function: Function) -> dict[Value, Apply]:
    """The arrays made in loops of which only elements are read and written, and shapes asked for."""
    loops = [node for node in walk(function.body) if isinstance(node, For | While)]
    made = {
        node: None for loop in loops for node in walk(loop.body) if isinstance(node, Apply) and _is_made(node)
    }
    found = {node.result: node for node in made}
    if not found:
        return found
    for node in walk(function.body):
        used = [*operands(node), *(each for block in blocks(node) for each in block.yields)]
        if isinstance(node, Load) or (isinstance(node, Store) and not _is_array(node.value)):
            used = used[1:] if _is_element(node) else used
        elif isinstance(node, Apply):
            shapes = operation(node.function).shape_only
            used = [each for place, each in enumerate(used) if place not in shapes]
        for each in used:
            if isinstance(each, Value):
                found.pop(each, None)
    return found


def _is_made(node: Apply) -> bool:
    """Whether the node makes an array of floats, in rows."""
    type_ = node.result.type
    in_rows = isinstance(type_, Array) and type_.dtype == "float64" and type_.layout == "C"
    return (
        in_rows
        and node.function in (np.empty, np.empty_like)
        and len(node.operands) == 1
        and not node.keywords
    )


def _is_array(operand: Operand) -> bool:
    return isinstance(operand, Value) and isinstance(operand.type, Array)


def _is_element(access: Load | Store) -> bool:
    """Whether the access is to one element."""
    type_ = access.buffer.type if isinstance(access.buffer, Value) else None
    numbers = all(
        isinstance(item, Const) or (isinstance(item, Value) and item.type == INT) for item in access.index
    )
    return isinstance(type_, Array) and len(access.index) == type_.ndim and numbers


class _Scratch:
    """Rebuilds blocks; `waiting` holds what goes before each loop, by the loop."""

    def __init__(self, function: Function, arrays: dict[Value, Apply]) -> None:
        self.facts = facts_of(function)
        self.waiting: dict[Node, list[Node]] = {}
        self.moved: set[Node] = set()
        for node in arrays.values():
            self.consider(node)

    def block(self, block: Block) -> Block:
        """The block with the arrays made before their loops."""
        nodes: list[Node] = []
        for node in block.nodes:
            nodes += self.waiting.get(node, ())
            if node not in self.moved:
                nodes.append(map_blocks(node, self.block))
        return with_nodes(block, nodes)

    def consider(self, node: Apply) -> None:
        """Make the array before the outermost loop before which its shape is known."""
        shape = self.facts.shapes.of(node.result)
        for loop in reversed(self.facts.loops(node)):
            builder = Builder(loc=node.loc)
            lengths = self.lengths(shape, loop, builder)
            if lengths is not None:
                tupled = Tuple((INT,) * len(lengths))
                whole = lengths[0] if len(lengths) == 1 else builder.apply(tuple, *lengths, type=tupled)
                builder.add(Apply(node.result, np.empty, (whole,), node.loc))
                self.waiting.setdefault(loop, []).extend(builder.current.nodes)
                self.moved.add(node)
                return

    def lengths(self, shape: Iterable[Affine], loop: For | While, builder: Builder) -> list[Operand] | None:
        """The extents, computed before the loop; None if one is not known there."""
        found: list[Operand] = []
        for length in shape:
            known = extent_before(length, loop, self.facts)
            if known is None:
                return None
            builder.add(*known[0])
            clipped = (
                length.const < 0
                or self.is_extent(length)
                or self.facts.shapes.relations.is_nonnegative(length)
            )
            found.append(known[1] if clipped else builder.apply(max, known[1], Const(0), type=INT))
        return found

    def is_extent(self, length: Affine) -> bool:
        """Whether the length is a number or one extent, which is not negative even if the loop does not run."""
        if not length.terms:
            return True
        if length.const or list(length.terms.values()) != [1]:
            return False
        (atom,) = length.terms
        made = self.facts.definitions.get(atom) if isinstance(atom, Value) else None
        return isinstance(atom, Dim) or (
            isinstance(made, Apply) and made.function is max and literal(made.operands[1]) == 0
        )
