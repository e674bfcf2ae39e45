"""The memory that an iteration makes: a small array of known extents is the thread's own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.integers.affine import Affine
from backsweep.analysis.integers.extents import shapes_of
from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.gpu.text import local_array
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.nodes import Apply, Block, Const, For, Function, Node, Operand, Store, Value, While
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import INT, Array
from backsweep.ir.walk import leaving, rewrite, walk

MOST_BYTES = 2048
"""The largest array of a thread."""


def with_memory_of_threads(kernel: Function) -> Function:
    """The kernel, in which the arrays that an iteration makes are memory of the thread."""
    if not any(map(makes_memory, walk(kernel.body))):
        return kernel
    shapes, aliases = shapes_of(kernel), find_aliases(kernel)
    carried = _carried(kernel, aliases)

    def own(node: Node) -> list[Node]:
        if not makes_memory(node):
            return [node]
        assert isinstance(node, Apply)
        if aliases.of(node.result) in carried:
            raise refused(node.loc, "an iteration makes an array in a loop, and keeps it for the next round")
        return _of_thread(node, shapes.of(node.result))

    return eliminate_dead_code(rewrite(kernel, own))


def makes_memory(node: Node) -> bool:
    """Whether the node makes an array of a shape that is given."""
    return (
        isinstance(node, Apply)
        and isinstance(node.result.type, Array)
        and kind(node.function) in (Kind.NEW, Kind.ALIKE)
    )


def refused(loc: Loc, message: str) -> UnsupportedError:
    """The error for memory that a thread cannot have."""
    remedy = "give the extents as numbers, as in np.zeros(3); or make the array before the loop, with an axis for the iterations."
    return UnsupportedError(Problem("BS702", message, loc, remedy))


def _carried(kernel: Function, aliases: Aliases) -> set[Value]:
    """The memory that a loop hands from round to round, or a branch hands on: one place cannot hold two of it."""
    found: set[Value] = set()
    for node in walk(kernel.body):
        if isinstance(node, For | While):
            found.update(
                aliases.of(each)
                for each in leaving(node)
                if isinstance(each, Value) and isinstance(each.type, Array)
            )
    return found


def _of_thread(node: Apply, shape: Sequence[Affine]) -> list[Node]:
    """The nodes that give the array of this shape to the thread, filled with what it begins with."""
    type_ = node.result.type
    assert isinstance(type_, Array)
    if any(extent.terms for extent in shape):
        raise refused(node.loc, "an iteration makes an array whose extents are known only when it runs")
    extents = [extent.const for extent in shape]
    size = np.dtype(type_.dtype).itemsize * int(np.prod(extents))
    if size > MOST_BYTES:
        raise refused(
            node.loc, f"an iteration makes an array of {size} bytes, more than a thread of a GPU has"
        )
    dtype = np.bool_ if type_.dtype == "bool" else getattr(np, type_.dtype)
    room = tuple(max(extent, 1) for extent in extents)
    made = Apply(
        node.result, local_array, (Const(room[0] if len(room) == 1 else room), Const(dtype)), node.loc
    )
    begun = _first_entries(node)
    return [made] if begun is None else [made, *_filled(node.result, extents, begun, node.loc)]


def _first_entries(node: Apply) -> Operand | None:
    """What the array is filled with; None if nothing."""
    name = node.function.__name__.removesuffix("_like")
    if name == "empty":
        return None
    return node.operands[1] if name == "full" else Const({"zeros": 0.0, "ones": 1.0}[name])


def _filled(array: Value, extents: Sequence[int], entry: Operand, loc: Loc) -> list[Node]:
    """The loops that write a number to each element."""

    def along(axis: int, index: tuple[Operand, ...]) -> list[Node]:
        if axis == len(extents):
            return [Store(array, index, entry, loc)]
        place = Value("", INT, loc)
        inner = Block((place,), tuple(along(axis + 1, (*index, place))), ())
        return [For(Const(0), Const(extents[axis]), Const(1), (), inner, (), loc)]

    return along(0, ())
