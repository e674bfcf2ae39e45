"""Write the square of a root as what stands under it: `norm(x) ** 2` is a sum of squares, `d * d` of a distance, too.

At zero a root has a kink, and its derivative is chosen. Its square has none: what is squared is smooth, and all its
derivatives are known. Even powers, products of the root with itself, and signs and factors beside it (`-0.5 * d * d`,
`(d / scale) ** 2`) are traced to `sqrt`, `hypot`, `norm`, `std` and `abs`, as long as nothing writes what they read. The sum
of the squares of eigenvalues, which have kinks where two are equal, is that of the entries of the matrix.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, For, Function, If, Load, Node, Operand, Value, While
from backsweep.ir.operations import canonical, is_random, operation
from backsweep.ir.typed import dtype_of, rank, type_of
from backsweep.ir.types import Array, Scalar, Type
from backsweep.ir.walk import (
    carried_parameters,
    map_blocks,
    rename_operands,
    returned,
    walk,
    with_body,
    with_nodes,
)
from backsweep.runtime.special import squared_modulus

ROOTS = {
    np.sqrt,
    math.sqrt,
    np.hypot,
    math.hypot,
    np.linalg.norm,
    np.abs,
    abs,
    math.fabs,
    np.fabs,
    operator.abs,
    np.std,
    np.ndarray.std,
}
"""The functions whose squares are written otherwise."""
SPREADS = {np.std: np.var, np.ndarray.std: np.ndarray.var}
"""The functions that are the root of another, of the same operands."""
MOST = 16
"""The largest even power that is written as a power of the square."""


def write_squared_roots(function: Function) -> Function:
    """The typed program without squares of roots, norms and absolute values."""
    nodes = [node for node in walk(function.body) if isinstance(node, Apply | Load)]
    if not any(isinstance(node, Apply) and _root(node) in (*ROOTS, np.linalg.eigvalsh) for node in nodes):
        return function
    body = _Squares(function, nodes).block(function.body)
    return function if body is function.body else with_body(function, body)


class _Squares:
    """Rebuilds blocks in program order; `made` are the calls that make values, `replaced` what is read in place of a square."""

    def __init__(self, function: Function, nodes: Sequence[Apply | Load]) -> None:
        self.aliases: Aliases = find_aliases(function)
        self.made = {node.result: node for node in nodes if isinstance(node, Apply)}
        self.read = {node.result: node for node in nodes if isinstance(node, Load)}
        self.merged: dict[Value, tuple[Operand, ...]] = {}
        """For each value that a branch chooses or a loop carries, what it may be."""
        for node in walk(function.body):
            if isinstance(node, If):
                self.merged |= dict(
                    zip(node.results, zip(node.then.yields, node.orelse.yields, strict=True), strict=True)
                )
            elif isinstance(node, For | While):
                ends = list(zip(node.inits, node.body.yields, strict=True))
                tested = [node.condition.parameters] if isinstance(node, While) else []
                for values in (node.results, carried_parameters(node), *tested):
                    self.merged |= dict(zip(values, ends, strict=True))
        self.assumed: set[Value] = set()
        """Those of them that are not negative, by induction over the rounds of loops."""
        self.replaced: dict[Operand, Operand] = {}
        self.handed_out = set(returned(function.body))
        summed = [
            node for node in self.made.values() if canonical(node.function) is np.sum and not node.keywords
        ]
        self.summed = {
            self.squared_eigenvalues(node.operands[0]) for node in summed if len(node.operands) == 1
        }
        self.sums: dict[Value, Value] = {}
        """For eigenvalues the sum of their squares, computed where they are: the matrix may be written afterwards."""

    def rename(self, operand: Operand) -> Operand:
        """What is read in place of an operand."""
        return self.replaced.get(operand, operand)

    def block(self, block: Block) -> Block:
        """The block, in which no root is squared."""
        nodes: list[Node] = []
        for each in block.nodes:
            node = rename_operands(each, self.rename)
            nodes += (
                self.written(node) if isinstance(node, Apply) else [map_blocks(node, self.block, self.rename)]
            )
        return with_nodes(block, nodes, [*map(self.rename, block.yields)])

    def written(self, node: Apply) -> list[Node]:
        """The node, or those that compute the square in its place."""
        if node.result in self.summed and isinstance(matrix := node.operands[0], Value):
            beside = Builder(loc=node.loc)
            self.sums[node.result] = _sum_of_squares(matrix, Scalar(dtype_of(matrix)), beside)
            return [node, *beside.current.nodes]
        if node.keywords or not _is_real_float(node.result.type) or self._is_written(node.result):
            return [node]
        builder = Builder(loc=node.loc)
        found = self.square(node, builder)
        if found is None:
            return [node]
        made = builder.current.nodes
        last = made[-1] if made else None
        if isinstance(last, Apply) and last.result is found:
            return [*made[:-1], Apply(node.result, last.function, last.operands, node.loc, last.keywords)]
        if isinstance(node.result.type, Array) and node.result in self.handed_out:
            return [node]
        self.replaced[node.result] = found
        return [*made]

    def square(self, node: Apply, builder: Builder) -> Operand | None:
        """The value of a node that squares a root; None for any other node."""
        match canonical(node.function), node.operands:
            case operator.pow, (base, Const(value=int() | float() as power)) if _is_even(power):
                found = self.squared(base, node.result.type, builder)
                if found is None or power == 2:
                    return found
                half = Const(int(power) // 2)
                return builder.apply(operator.pow, found, half, type=node.result.type)
            case np.square, (base,):
                return self.squared(base, node.result.type, builder)
            case operator.mul, (one, other):
                return self.product(one, other, node.result.type, builder)
            case _, (radicand, *_) if _root(node) in (np.sqrt, math.sqrt):
                return self.of_power(radicand, node.result.type, builder)
            case np.sum, (squares,) if (values := self.squared_eigenvalues(squares)) is not None:
                return self.sums.get(values)
            case _:
                return None

    def of_power(self, radicand: Operand, type_: Type | None, builder: Builder) -> Operand | None:
        """The root of a power whose exponent is even and above 2: a power of the half exponent, which is smooth at zero."""
        node = self.node(radicand)
        match node and canonical(node.function), node.operands if node else ():
            case operator.pow, (base, Const(value=int() | float() as power)) if _is_even(power) and power > 2:
                pass
            case _:
                return None
        if not type_of(base) == type_of(radicand) == type_ or self._is_written(base):
            return None
        half = int(power) // 2
        if half % 2 == 1:
            base = builder.apply(np.abs, base, type=_as_computed(type_))
        return builder.apply(operator.pow, base, Const(half), type=type_)

    def squared_eigenvalues(self, operand: Operand) -> Value | None:
        """The eigenvalues whose squares an operand is: their sum is smooth, and they are not where two are equal."""
        node = self.node(operand)
        match node and canonical(node.function), node.operands if node else ():
            case operator.pow, (values, Const(value=int() | float() as power)) if power == 2:
                pass
            case np.square, (values,):
                pass
            case operator.mul, (values, other) if self.key(values) == self.key(other):
                pass
            case _:
                return None
        made = self.node(values)
        if (
            made is None
            or made.function is not np.linalg.eigvalsh
            or made.keywords
            or len(made.operands) != 1
        ):
            return None
        (matrix,) = made.operands
        is_fit = isinstance(matrix, Value) and rank(matrix) == 2 and _is_real_float(type_of(matrix))
        return made.result if is_fit else None

    def product(self, one: Operand, other: Operand, type_: Type | None, builder: Builder) -> Operand | None:
        """The product of a root with itself, whatever signs and factors stand beside."""
        if self.key(one) is not None and self.key(one) == self.key(other):
            return self.squared(one, type_, builder)
        (sign, factors), (other_sign, other_factors) = self.factors(one), self.factors(other)
        for place, each in enumerate(factors):
            for other_place, root in enumerate(other_factors):
                if self.key(each) is None or self.key(each) != self.key(root):
                    continue
                found = self.squared(root, type_, builder)
                if found is None:
                    continue
                rest = [*factors[:place], *factors[place + 1 :]]
                rest += [*other_factors[:other_place], *other_factors[other_place + 1 :]]
                for factor in rest:
                    found = builder.apply(operator.mul, factor, found, type=type_)
                return builder.apply(operator.neg, found, type=type_) if sign != other_sign else found
        return None

    def factors(self, operand: Operand) -> tuple[bool, list[Operand]]:
        """Whether an operand has a sign, and the factors of which it is the product."""
        node = self.node(operand)
        match node and canonical(node.function), node.operands if node else ():
            case operator.neg, (inner,):
                sign, found = self.factors(inner)
                return not sign, found
            case operator.mul, (one, other) if self.is_root(one) or self.is_root(other):
                (sign, found), (other_sign, others) = self.factors(one), self.factors(other)
                return sign != other_sign, [*found, *others]
            case _:
                return False, [operand]

    def squared(self, operand: Operand, type_: Type | None, builder: Builder) -> Operand | None:
        """The square of a root, or of a root with a sign, a factor or a divisor; None for anything else."""
        node = self.node(operand)
        if node is None:
            return None
        match canonical(node.function), node.operands:
            case operator.neg, (inner,):
                return self.squared(inner, type_, builder)
            case (operator.mul | operator.truediv) as function, (one, other):
                of_one, of_other = (self.squared(each, type_of(each), builder) for each in (one, other))
                if of_one is None and of_other is None:
                    return None
                one = of_one if of_one is not None else _times_itself(one, builder)
                other = of_other if of_other is not None else _times_itself(other, builder)
                return builder.apply(function, one, other, type=type_)
            case _:
                return self.under(node, type_, builder) if self.is_root(operand) else None

    def under(self, node: Apply, type_: Type | None, builder: Builder) -> Operand | None:
        """The square of what a node returns that takes a root."""
        operands, function = node.operands, _root(node)
        if function is np.sqrt:
            radicand = operands[0]
            if not type_of(radicand) == node.result.type == type_:
                return None
            if self.is_not_negative(radicand):
                return radicand
            if not isinstance(type_, Array):  # `np.where` gives no number; `math.sqrt` raises
                return None
            outside = builder.apply(operator.lt, radicand, Const(0.0), type=Array("bool", type_.ndim, "C"))
            return builder.apply(np.where, outside, Const(math.nan), radicand, type=type_)
        if function is np.linalg.norm:
            squares = self.squares_of(operands[0], builder)
            return builder.apply(np.sum, squares, type=type_)
        if function in SPREADS:
            return builder.apply(SPREADS[function], *operands, type=type_)
        found = self.squares_of(operands[0], builder)
        for each in operands[1:]:
            found = builder.apply(operator.add, found, _times_itself(each, builder), type=type_)
        return found

    def squares_of(self, operand: Operand, builder: Builder) -> Operand:
        """The squared absolute value of a number, or of each entry of an array."""
        if not _is_complex(operand):
            return _times_itself(operand, builder)
        real = dtype_of(operand).replace("complex128", "float64").replace("complex64", "float32")
        type_ = type_of(operand)
        made = Array(real, type_.ndim, "C") if isinstance(type_, Array) else Scalar(real)
        return builder.apply(squared_modulus, operand, type=made)

    def is_root(self, operand: Operand) -> bool:
        """Whether an operand is the result of a root, of operands that nothing writes."""
        node = self.node(operand)
        function = _root(node) if node is not None else None
        if node is None or function not in ROOTS or node.keywords:
            return False
        if function in SPREADS and _is_complex(node.operands[0]):
            return False
        if len(node.operands) > 1 and function in (np.linalg.norm, *SPREADS):
            order = node.operands[1].value if isinstance(node.operands[1], Const) else ()
            if function in SPREADS or order not in (None, 2) or rank(node.operands[0]) != 1:
                return False
            return not self._is_written(node.operands[0])
        return _is_real_float(node.result.type) and all(
            _is_float(type_of(each)) and not self._is_written(each) for each in node.operands
        )

    def node(self, operand: Operand) -> Apply | None:
        """The call that makes an operand which nothing writes."""
        if not isinstance(operand, Value) or self._is_written(operand):
            return None
        return self.made.get(operand)

    def _is_written(self, operand: Operand) -> bool:
        return (
            isinstance(operand, Value) and isinstance(operand.type, Array) and self.aliases.in_memory(operand)
        )

    def key(self, operand: Operand) -> Hashable:
        """What is equal for values that are computed alike; draws and what is read of written memory are equal to themselves alone."""
        node = self.node(operand)
        if node is not None and self._is_repeatable(node):
            return node.function, tuple(map(self.key, node.operands))
        if isinstance(operand, Const):
            return type(operand.value), repr(operand.value)
        load = self.read.get(operand)
        if load is None or self._is_written(load.buffer):
            return operand
        parts = [each for each in load.index if isinstance(each, Value | Const)]
        places = tuple(map(self.key, parts))
        return (load.buffer, places) if len(parts) == len(load.index) else operand

    def _is_repeatable(self, node: Apply) -> bool:
        """Whether a call gives the same wherever it stands: it draws nothing, and nothing writes what it reads."""
        return (
            operation(node.function).is_pure
            and not is_random(node.function)
            and not node.keywords
            and all(isinstance(type_of(each), Array | Scalar) for each in node.operands)
            and not any(map(self._is_written, node.operands))
        )

    def is_not_negative(self, operand: Operand, depth: int = 8) -> bool:
        """Whether an operand is a sum of squares, or anything else that has a root wherever it is a number."""
        node = self.node(operand)
        if isinstance(operand, Const):
            return isinstance(operand.value, int | float) and operand.value >= 0
        if (
            depth > 0
            and isinstance(operand, Value)
            and operand in self.merged
            and isinstance(operand.type, Scalar)
        ):
            if operand not in self.assumed:
                self.assumed.add(operand)
                if not all(self.is_not_negative(each, depth) for each in self.merged[operand]):
                    self.assumed.clear()
            return operand in self.assumed
        if node is None or depth == 0:
            return False

        def all_are(operands: tuple[Operand, ...]) -> bool:
            return all(self.is_not_negative(each, depth - 1) for each in operands)

        match canonical(node.function), node.operands:
            case operator.pow, (_, Const(value=int() | float() as power)) if _is_even(power):
                return True
            case ((np.square | np.exp), (_,)):
                return True
            case operator.mul, (one, other) if self.key(one) is not None and self.key(one) == self.key(other):
                return True
            case ((operator.add | operator.mul | operator.truediv | np.maximum), both):
                return all_are(both)
            case np.sum, (array, *_):
                return all_are((array,))
            case ((np.dot | operator.matmul), (one, other)) if self.key(one) == self.key(other):
                return type_of(one) == type_of(other) and rank(one) == 1
            case ((np.abs | operator.abs | np.var | np.ndarray.var), (_, *_)):
                return True
            case function, (_,):
                return function in (abs, math.fabs, np.fabs)
            case _:
                return False


def _sum_of_squares(matrix: Value, type_: Type | None, builder: Builder) -> Value:
    """The sum of the squares of a symmetric matrix, of which the lower triangle is read."""
    made = Array(dtype_of(matrix), 2, "C")
    lower = builder.apply(np.tril, matrix, type=made)
    below = builder.apply(np.tril, matrix, Const(-1), type=made)
    sums = [builder.apply(np.sum, _times_itself(each, builder), type=type_) for each in (lower, below)]
    return builder.apply(operator.add, *sums, type=type_)


def _root(node: Apply) -> Any:
    """The function of a node; that of a power of one half is the square root."""
    function = canonical(node.function)
    match function, node.operands:
        case operator.pow, (_, Const(value=float() as power)) if power == 0.5:
            return np.sqrt
        case _:
            return function


def _times_itself(operand: Operand, builder: Builder) -> Operand:
    """The square of a number, or of each entry of an array."""
    if isinstance(operand, Const):
        return Const(operand.value * operand.value)
    return builder.apply(operator.mul, operand, operand, type=_as_computed(type_of(operand)))


def _as_computed(type_: Type | None) -> Type | None:
    """The type of an array that is computed from one of this type: it is contiguous."""
    return Array(type_.dtype, type_.ndim, "C") if isinstance(type_, Array) else type_


def _is_even(power: float) -> bool:
    return power in range(2, MOST + 1, 2)


def _is_complex(operand: Operand) -> bool:
    return dtype_of(operand).startswith("complex")


def _is_float(type_: Type | None) -> bool:
    """Whether it is the type of floats or complex numbers, or of arrays of these."""
    return isinstance(type_, Array | Scalar) and str(type_.dtype).startswith(("float", "complex"))


def _is_real_float(type_: Type | None) -> bool:
    return isinstance(type_, Array | Scalar) and str(type_.dtype).startswith("float")
