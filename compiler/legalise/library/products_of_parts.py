"""Write a product of parts of arrays within a loop as a loop over its terms.

`np.dot(A[i, :j], A[j, :j])`, of the parts or of copies of them, reads elements of which analyses can tell whether they are overwritten before the reverse
sweep; of the whole rows they cannot, and each would be recorded. A library call for a short row costs more than its terms.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

import numpy as np

from backsweep.analysis.integers.affine import Affine, Dim
from backsweep.analysis.integers.extents import shapes_of
from backsweep.ir.build import Builder
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import Apply, Const, For, Function, Index, Node, Operand, Slice, Value, View, While
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, Scalar
from backsweep.ir.walk import blocks, leaving, operands, rewrite, walk


def write_products_of_parts(function: Function) -> Function:
    """The typed program, in whose loops a product of two vectors, one of them a part of an array, is a loop."""
    views = {node.result: node for node in walk(function.body) if isinstance(node, View)}
    views |= dict(_copied(function, views))
    inside = {
        inner for node in walk(function.body) if isinstance(node, For | While) for inner in walk(node.body)
    }
    if not any(_is_product(node, views) for node in inside):
        return function
    writer = _Writer(function, views)
    return rewrite(
        function, lambda node: writer.loop(node) if node in inside and _is_product(node, views) else [node]
    )


def _copied(function: Function, views: Mapping[Value, View]) -> Iterator[tuple[Value, View]]:
    """The copies of parts that only the product after them reads: the product may read the parts themselves."""
    uses = Counter(operand for node in walk(function.body) for operand in (*operands(node), *leaving(node)))
    for block in (function.body, *(inner for node in walk(function.body) for inner in blocks(node))):
        fresh: dict[Operand, View] = {}
        for node in block.nodes:
            if isinstance(node, Apply) and kind(node.function) is Kind.PRODUCT:
                yield from (
                    (each, fresh[each]) for each in node.operands if isinstance(each, Value) and each in fresh
                )
            match node:
                case Apply(result=copy, function=np.copy, operands=(Value() as part,), keywords=()) if (
                    part in views
                ):
                    if uses[copy] == 1:
                        fresh[copy] = views[part]
                case View():
                    pass
                case Apply() if not has_effect(node):
                    pass
                case _:
                    fresh.clear()


def _is_product(node: Node, views: Mapping[Value, View]) -> TypeGuard[Apply]:
    """Whether the node is a product of two vectors of floats, one of them a part of an array."""
    match node:
        case Apply(result=Value(type=Scalar(dtype="float64")), operands=(one, other), keywords=()):
            vectors = all(type_of(each) in _VECTORS for each in (one, other))
            return kind(node.function) is Kind.PRODUCT and vectors and (one in views or other in views)
        case _:
            return False


class _Writer:
    """Writes the loops for products of parts."""

    def __init__(self, function: Function, views: Mapping[Value, View]) -> None:
        self.views = views
        self.shapes = shapes_of(function)

    def loop(self, node: Apply) -> list[Node]:
        """The loop over the terms of the product."""
        builder = Builder(loc=node.loc)
        vectors = node.operands
        counter, total = builder.value("", INT), Value("", node.result.type, node.loc)
        count = self.count(builder, vectors)
        with builder.block(counter, total) as body:
            terms = [self.element(builder, each, counter) for each in vectors]
            product = builder.apply(operator.mul, *terms, type=node.result.type)
            body.yields = (builder.apply(operator.add, total, product, type=node.result.type),)
        builder.add(For(Const(0), count, Const(1), (Const(0.0),), body.finish(), (node.result,), node.loc))
        return builder.current.nodes

    def count(self, builder: Builder, vectors: Sequence[Operand]) -> Operand:
        """The number of terms: the difference of a slice's ends if it surely ends within its array, else the extent at run time."""
        for vector in vectors:
            (length,) = self.shapes.of_operand(vector) or ()
            spelled = self.spelled(builder, length) if vector in self.views or not length.terms else None
            if spelled is not None:
                return spelled
        return builder.apply(np.size, vectors[0], type=INT)

    def spelled(self, builder: Builder, length: Affine) -> Operand | None:
        """The length as a sum of integers and extents of arguments; None where it is made of anything else."""
        total: Operand | None = None
        for atom, times in sorted(length.terms.items(), key=lambda term: -term[1]):
            if isinstance(atom, Dim) and atom.value in self.shapes.parameters:
                part: Operand = builder.extent(atom.value, atom.axis)
            elif isinstance(atom, Value) and atom.type == INT:
                part = atom
            else:
                return None
            if times not in (1, -1) or (total is None and times < 0):
                return None
            function = operator.add if times > 0 else operator.sub
            total = part if total is None else builder.apply(function, total, part, type=INT)
        if total is None:
            return Const(length.const)
        if length.const:
            function = operator.add if length.const > 0 else operator.sub
            total = builder.apply(function, total, Const(abs(length.const)), type=INT)
        return total

    def element(self, builder: Builder, vector: Operand, place: Operand) -> Value:
        """An element of a vector, read from the array that the vector is a part of if its index there is plain."""
        view = self.views.get(vector) if isinstance(vector, Value) else None
        index = None if view is None else self.index_below(builder, view, place)
        if view is None or index is None:
            return builder.load(vector, (place,), type=Scalar("float64"))
        return builder.load(view.buffer, index, type=Scalar("float64"))

    def index_below(self, builder: Builder, view: View, place: Operand) -> Index | None:
        """The index of the part's element in the array; None where the part begins at an unknown place."""
        assert isinstance(view.buffer.type, Array)
        if len(view.index) != view.buffer.type.ndim:
            return None
        found: list[Operand] = []
        for item in view.index:
            match item:
                case Slice(start=None, step=None | Const(value=1)):
                    found.append(place)
                case Slice(start=Const() | Value() as start, step=None | Const(value=1)):
                    if not self.shapes.is_nonnegative_at(start, view):
                        return None
                    found.append(builder.apply(operator.add, place, start, type=INT))
                case Const() | Value(type=Scalar()):
                    found.append(item)
                case _:
                    return None
        return tuple(found)


_VECTORS = tuple(Array("float64", 1, layout) for layout in "CFA")
