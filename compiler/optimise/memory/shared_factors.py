"""Factorise a matrix once where several systems, an inverse or a determinant ask for its factors.

The adjoint of a solution is a solution with the transposed matrix, its tangents are solutions with the matrix itself. Each factorises
it again, which takes n**3 steps; with the factors at hand a solution takes n**2. A loop that solves systems with a matrix that it does
not change finds the factors made before it.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.analysis.integers.extents import shapes_of
from backsweep.analysis.integers.small import is_small_system, is_system, numbers
from backsweep.ir.build import Builder, christen
from backsweep.ir.effects import effect
from backsweep.ir.nodes import Apply, Const, For, Function, Node, Operand, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar, Tuple
from backsweep.ir.walk import blocks, changed, results, rewrite, walk
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
    loops = any(isinstance(node, For) for node in walk(function.body))
    if sum(_may_ask(node) for node in walk(function.body)) < (1 if loops else 2):
        return function
    found = _Asking(function)
    found.block(function.body)
    before: dict[Value, list[Node]] = {}
    factors: dict[Value, list[Value]] = {}
    for index, requests in found.ahead.items():
        for node, matrix in requests:
            made, *factors[node.result] = _factors(node, matrix)
            before.setdefault(index, []).extend(made)
    several = {first for first, uses in found.uses.items() if uses > 1}
    return _by_factors(function, found, several, factors, before)


def record_factors(function: Function) -> Function:
    """The typed primal, in which a loop factorises each matrix of its own before it solves systems with it.

    So the factors are recorded, and the reverse sweep factorises nothing. A matrix that the loop leaves as it is has its factors
    before the loop, later.
    """
    loops = [node for node in walk(function.body) if isinstance(node, For)]
    inside = {
        node.result
        for loop in loops
        for node in walk(loop.body)
        if isinstance(node, Apply) and _may_ask(node)
    }
    if not inside:
        return function
    found = _Asking(function)
    found.block(function.body)
    inside.difference_update(node.result for requests in found.ahead.values() for node, _ in requests)
    return _by_factors(function, found, inside, {}, {})


def _by_factors(
    function: Function,
    found: _Asking,
    wanted: AbstractSet[Value],
    factors: dict[Value, list[Value]],
    before: Mapping[Value, Sequence[Node]],
) -> Function:
    """The program in which factors answer who asks, where who asked first is `wanted`; some stand `before` loops, by their indices."""

    def written(node: Node) -> list[Node]:
        if isinstance(node, For):
            return [*before.get(node.body.parameters[0], ()), node]
        request = found.requests.get(node)
        if request is None or request.first not in wanted:
            return [node]
        assert isinstance(node, Apply)
        made: list[Node] = []
        if request.first not in factors:
            made, *factors[request.first] = _factors(node, request.matrix)
        return [*made, _answer(node, request, *factors[request.first])]

    return rewrite(function, written)


def _may_ask(node: Node) -> bool:
    return isinstance(node, Apply) and node.function in ANSWERS


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
        self.ahead: dict[Value, list[tuple[Apply, Value]]] = {}
        """By the index of a loop, who asks first in it for factors of a matrix that it leaves as it is, and the matrix."""
        self.whole: dict[Operand, Operand] = {
            node.result: node.operands[0]
            for node in walk(function.body)
            if isinstance(node, Apply)
            and node.function is np.transpose
            and len(node.operands) == 1
            and not node.keywords
        }
        """Of a transposed matrix, what it is a view of."""

    def number(self, node: Node) -> Hashable | None:  # noqa: ARG002  no node goes
        return None

    def rebuilt(self, node: Node) -> list[Node]:
        if isinstance(node, For):
            self.look_ahead(node)
        elif isinstance(node, Apply) and (asked := self.asked(node)) is not None:
            self.ask(node, *asked)
        return super().rebuilt(node)

    def asked(self, node: Apply) -> tuple[Value, bool] | None:
        """The matrix whose factors LAPACK computes for the node, and whether they are asked of its transpose.

        None if the node asks for none: the matrix is small, or it is the inverse of a transposed matrix.
        """
        if node.function not in ANSWERS or _dtype(node) is None or node.keywords:
            return None
        shapes = [shape for each in node.operands if (shape := self.shapes.of_operand(each)) is not None]
        if is_system(node) and is_small_system(*map(numbers, shapes)):
            return None
        matrix, is_turned = node.operands[0], False
        while matrix in self.whole:
            matrix, is_turned = self.whole[matrix], not is_turned
        if is_turned and ANSWERS[node.function] is lu_inverse:
            return None
        if not isinstance(matrix, Value) or not isinstance(matrix.type, Array) or matrix.type.ndim != 2:
            return None
        return matrix, is_turned

    def ask(self, node: Apply, matrix: Value, is_turned: bool) -> None:
        """Note who asks for factors."""
        first = self.known.setdefault(self.key(matrix), node.result)
        self.requests[node] = _Request(matrix, is_turned, first)
        self.uses[first] = self.uses.get(first, 0) + 1

    def key(self, matrix: Value) -> Hashable:
        """The same for a matrix with the same contents."""
        return matrix, self.version(matrix) if self.aliases.in_memory(matrix) else None

    def look_ahead(self, loop: For) -> None:
        """Note who asks, in each iteration, for factors of a matrix that the loop leaves as it is."""
        asking = [
            (node, asked[0])
            for node in _in_each_iteration(loop)
            if isinstance(node, Apply) and (asked := self.asked(node)) is not None
        ]
        if not asking:
            return
        inside = [*walk(loop.body)]
        done = [effect(node) for node in inside if not blocks(node)]
        made = {value for node in inside for value in results(node)}.union(
            loop.body.parameters, *(block.parameters for node in inside for block in blocks(node))
        )
        written = {self.aliases.of(value) for each in done for value in each.writes}
        if any(each.keeps_place for each in done):
            return
        for node, matrix in asking:
            key = self.key(matrix)
            if matrix in made or self.aliases.of(matrix) in written or key in self.known:
                continue
            self.known[key] = node.result
            self.uses[node.result] = 1
            self.ahead.setdefault(loop.body.parameters[0], []).append((node, matrix))


def _in_each_iteration(loop: For) -> Iterator[Node]:
    """The nodes that each iteration of a loop reaches, those of loops in it included."""
    for node in loop.body.nodes:
        yield node
        if isinstance(node, For):
            yield from _in_each_iteration(node)


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
