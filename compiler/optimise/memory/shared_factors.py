"""Factorise a matrix once where several systems, an inverse or a determinant ask for its factors.

The adjoint of a solution is a solution with the transposed matrix, its tangents are solutions with the matrix itself. Each factorises
it again, which takes n**3 steps; with the factors at hand a solution takes n**2.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.analysis.integers.extents import shapes_of
from backsweep.analysis.integers.small import is_small_system, is_system, numbers
from backsweep.ir.build import Builder, christen
from backsweep.ir.nodes import Apply, Const, Function, Node, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar, Tuple
from backsweep.ir.walk import changed, rewrite, walk
from backsweep.optimise.memory.value_numbering import ValueNumbering
from backsweep.runtime.matrices.lu import (
    ANSWERS,
    lu_determinant,
    lu_factors,
    lu_inverse,
    lu_solution,
    lu_solution_turned,
)


def share_factors(function: Function) -> Function:
    """The typed program, in which no matrix is factorised again that was factorised before and has not been written since."""
    if sum(isinstance(node, Apply) and node.function in ANSWERS for node in walk(function.body)) < 2:
        return function
    found = _Asking(function)
    found.block(function.body)
    if not any(uses > 1 for uses in found.uses.values()):
        return function
    factors: dict[Value, list[Value]] = {}

    def written(node: Node) -> list[Node]:
        request = found.requests.get(node)
        if request is None or found.uses[request.first] < 2:
            return [node]
        assert isinstance(node, Apply)
        before: list[Node] = []
        if request.first not in factors:
            before, *factors[request.first] = _factors(node, request.matrix)
        return [*before, _answer(node, request, *factors[request.first])]

    return rewrite(function, written)


@dataclass(frozen=True, slots=True)
class _Request:
    """What asks for factors of `matrix`, or with `is_turned` of its transpose; `first` is the result of who asked first."""

    matrix: Value
    is_turned: bool
    first: Value


class _Asking(ValueNumbering):
    """Finds who asks for factors of one matrix, and changes nothing."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.shapes = shapes_of(function)
        self.requests: dict[Node, _Request] = {}
        self.uses: dict[Value, int] = {}
        self.whole: dict[Value, Value] = {}
        """Of a transposed matrix, what it is a view of."""

    def number(self, node: Node) -> Hashable | None:  # noqa: ARG002  no node goes
        return None

    def rebuilt(self, node: Node) -> list[Node]:
        match node:
            case Apply(result=result, function=np.transpose, operands=(Value() as whole,), keywords=()):
                self.whole[result] = whole
            case Apply(operands=(Value(type=Array(ndim=2)) as matrix, *_)) if self.asks(node):
                self.ask(node, matrix)
        return super().rebuilt(node)

    def asks(self, node: Apply) -> bool:
        """Whether the node asks LAPACK for factors: it does not where the matrix is small."""
        if node.function not in ANSWERS or _dtype(node) is None or node.keywords:
            return False
        shapes = [shape for each in node.operands if (shape := self.shapes.of_operand(each)) is not None]
        return not (is_system(node) and is_small_system(*map(numbers, shapes)))

    def ask(self, node: Apply, matrix: Value) -> None:
        """Note who asks, unless it is for the inverse of a transposed matrix."""
        is_turned = False
        while matrix in self.whole:
            matrix, is_turned = self.whole[matrix], not is_turned
        if is_turned and ANSWERS[node.function] is lu_inverse:
            return
        number = matrix, self.version(matrix) if self.aliases.in_memory(matrix) else None
        first = self.known.setdefault(number, node.result)
        self.requests[node] = _Request(matrix, is_turned, first)
        self.uses[first] = self.uses.get(first, 0) + 1


def _dtype(node: Apply) -> str | None:
    """The one dtype of numbers that go in and come out; None if they are of several, or if no factors answer the request."""
    made = node.result.type
    types = [*map(type_of, node.operands), *(made.items if isinstance(made, Tuple) else (made,))]
    dtypes = {each.dtype if isinstance(each, Array | Scalar) else None for each in types}
    if len(dtypes) > 1 or (
        isinstance(made, Array) and f"{made.ndim}{made.layout}" not in _FORMS[ANSWERS[node.function]]
    ):
        return None
    (dtype,) = dtypes
    known = ("float64", "float32", *(() if isinstance(made, Tuple) else ("complex128", "complex64")))
    return dtype if dtype in known else None


def _factors(node: Apply, matrix: Value) -> tuple[list[Node], Value, Value]:
    """Nodes that factorise a matrix, its factors, and the exchanges of its rows."""
    builder = Builder(loc=node.loc)
    assert isinstance(matrix.type, Array)
    types = Array(matrix.type.dtype, 2, "F"), Array("int64", 1)
    both = builder.apply(lu_factors, matrix, type=Tuple(types))
    factors, pivots = (
        builder.apply(
            operator.getitem, both, Const(place), type=type_, name=f"{name}_{matrix.name}".rstrip("_")
        )
        for place, (name, type_) in enumerate(zip(("factors", "pivots"), types, strict=True))
    )
    return [*builder.current.nodes], factors, pivots


def _answer(node: Apply, request: _Request, factors: Value, pivots: Value) -> Apply:
    """What answers the request by factors."""
    function = ANSWERS[node.function]
    if request.is_turned and function is lu_solution:
        function = lu_solution_turned
    name = "transpose_" * request.is_turned + request.matrix.name
    if request.matrix.name:
        christen(node.result, f"{node.function.__name__}_{name}")
    itself = (request.matrix,) if function is lu_determinant else ()
    return changed(node, function=function, operands=(*itself, factors, pivots, *node.operands[1:]))


_FORMS: Mapping[Any, Sequence[str]] = {lu_solution: ("1C", "2F"), lu_inverse: ("2F",)}
"""The ranks and the layouts of the arrays that answers are."""
