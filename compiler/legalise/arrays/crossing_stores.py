"""Copy the value of a store that overlaps with its target at other elements, as in `a[:, -1] = a[1]`.

Numba copies first. NumPy, for vectors whose entries lie differently far apart, writes while it reads: what comes out depends
on the order in memory. With a copy the plain and the compiled program are the same, whatever the order.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.integers.affine import literal
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Dots, Function, Index, NewAxis, Node, Slice, Store, Value, View
from backsweep.ir.typed import rank
from backsweep.ir.types import Array
from backsweep.ir.walk import rewrite, walk


def copy_crossing_values(function: Function) -> Function:
    """The typed program, in which a vector that is stored to the memory that it lies in is copied, unless both lie alike."""
    if not any(_stores_array(node) for node in walk(function.body)):
        return function
    aliases = find_aliases(function)
    made = {node.result: node for node in walk(function.body) if isinstance(node, Apply | View)}

    def copied(node: Node) -> list[Node]:
        if not isinstance(node, Store) or not _stores_array(node) or not _crosses(node, aliases, made):
            return [node]
        builder = Builder(loc=node.loc)
        value = node.value
        assert isinstance(value, Value)
        assert isinstance(value.type, Array)
        copy = builder.apply(np.copy, value, type=Array(value.type.dtype, value.type.ndim))
        return [*builder.current.nodes, dataclasses.replace(node, value=copy)]

    return rewrite(function, copied)


def _stores_array(node: Node) -> bool:
    """Whether the node stores an array."""
    return isinstance(node, Store) and isinstance(node.value, Value) and isinstance(node.value.type, Array)


def _crosses(node: Store, aliases: Aliases, made: dict[Value, Apply | View]) -> bool:
    """Whether the node stores, to a vector, what may lie in the same memory, its entries differently far apart."""
    value, buffer = node.value, node.buffer
    assert isinstance(value, Value)
    if node.accumulate or not aliases.same(value, buffer):
        return False
    to = _direction(buffer, node.index)
    if to is None:
        return False
    view = made.get(value)
    of, source = value, None
    if isinstance(view, View):
        of, source = view.buffer, _direction(view.buffer, view.index)
    if _is_vector_in_rows(value) or (source is not None and _is_along_rows(of, source)):
        return not _is_along_rows(buffer, to) or (source or (1, 1)) != to
    is_same = of is buffer or (aliases.is_whole(of) and rank(of) == rank(buffer))
    return not is_same or source != to


Direction = tuple[int, int | None]
"""The axis along which a vector lies in an array, counted from the last, and its step; None for one that only the run tells."""


def _direction(buffer: Value, index: Index) -> Direction | None:
    """How a part of an array that is a vector lies in it; None for other parts."""
    if any(isinstance(item, Value) and isinstance(item.type, Array) for item in index):
        return None
    if any(isinstance(item, Dots | NewAxis) for item in index):
        return (1, 1) if rank(buffer) == 1 else None
    full = [*index, *(Slice() for _ in range(rank(buffer) - len(index)))]
    along = [axis for axis, item in enumerate(full) if isinstance(item, Slice)]
    if len(along) != 1:
        return None
    item = full[along[0]]
    assert isinstance(item, Slice)
    return len(full) - along[0], 1 if item.step is None else literal(item.step)


def _is_vector_in_rows(array: Value) -> bool:
    """Whether an array is a vector whose entries lie one behind the other."""
    return rank(array) == 1 and _lies_in_rows(array)


def _is_along_rows(buffer: Value, direction: Direction) -> bool:
    """Whether a part of an array that lies in rows is a vector along its last axis, with a step that is known."""
    axis, step = direction
    return axis == 1 and step is not None and _lies_in_rows(buffer)


def _lies_in_rows(array: Value) -> bool:
    return isinstance(array.type, Array) and array.type.layout == "C"
