"""Scale a product where it has fewest elements: `alpha * A @ x` is `alpha * (A @ x)`, `A / s @ x` is `(A @ x) / s`.

NumPy scales the matrix first: a copy of it, which the reverse sweep reads again for the adjoint of `alpha` and scales
again for that of the matrix. A matrix with its signs turned, `-A @ x`, is scaled, too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.integers.small import is_product
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Function, Node, Operand, Store, Value
from backsweep.ir.operations import canonical
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import leaving, map_blocks, operands, walk, with_body, with_nodes
from backsweep.rules.declare import is_elementwise


def scale_products(function: Function) -> Function:
    """The typed program, in which the result of a product is scaled in place of its matrix, if that costs less."""
    if not any(is_product(node) for node in walk(function.body)):
        return function
    body = _Scaling(function).block(function.body)
    return function if body is function.body else with_body(function, body)


class _Scaling:
    """Rebuilds blocks in program order; `users` are the nodes that use a value, where it stays in its block."""

    def __init__(self, function: Function) -> None:
        self.aliases: Aliases = find_aliases(function)
        self.users: dict[Operand, list[Node | None]] = {}
        for node in walk(function.body):
            for operand in operands(node):
                if isinstance(operand, Value):
                    self.users.setdefault(operand, []).append(node)
            self.leave(leaving(node))
        self.leave(function.body.yields)

    def leave(self, values: tuple[Operand, ...]) -> None:
        """Note that blocks yield these values, so that nodes elsewhere read them."""
        for value in values:
            if isinstance(value, Value):
                self.users.setdefault(value, []).append(None)

    def block(self, block: Block) -> Block:
        """The block with its scaled products."""
        made: dict[Operand, Apply] = {}
        nodes: list[Node] = []
        for node in block.nodes:
            written = self.scaled(node, made) if is_product(node) else [map_blocks(node, self.block)]
            made.update((each.result, each) for each in written if isinstance(each, Apply))
            nodes += written
        return with_nodes(block, nodes)

    def scaled(self, node: Apply, made: Mapping[Operand, Apply]) -> list[Node]:
        """The node; if it is better, the product of the matrix that is not scaled, and the scaling of this product."""
        for place, operand in enumerate(node.operands):
            parts = self.parts(made.get(operand), node) if self.users.get(operand) == [node] else None
            if parts is None or not self.is_better(node, place):
                continue
            scaling, array = parts
            operands_now = [*node.operands]
            operands_now[place] = array
            builder = Builder(loc=node.loc)
            product = builder.apply(node.function, *operands_now, type=node.result.type)
            self.users[product] = []
            return [*builder.current.nodes, scaling.of(product, node)]
        return [node]

    def parts(self, made: Apply | None, product: Apply) -> tuple[_Scale, Value] | None:
        """How a node scales an array, and the array; None for any other node."""
        scaling = None if made is None or made.keywords else _scaling(made)
        if made is None or scaling is None:
            return None
        scale, array = scaling
        assert isinstance(array.type, Array)
        same = isinstance(made.result.type, Array) and array.type.dtype == made.result.type.dtype
        memory = any(map(self.aliases.in_memory, (array, made.result, product.result)))
        # a number that is divided by zero raises, an array is not
        raises = scale.function is operator.truediv and not isinstance(product.result.type, Array)
        return (scale, array) if same and not memory and not raises else None

    def is_better(self, node: Apply, place: int) -> bool:
        """Whether scaling the product costs less: it has fewer elements than its operand, or its scaling merges into the node that reads it."""
        ranks = [type_.ndim if isinstance(type_, Array) else 0 for type_ in map(type_of, node.operands)]
        result = node.result.type.ndim if isinstance(node.result.type, Array) else 0
        if result < ranks[place]:
            return True
        if ranks != [2, 2]:
            return False
        match self.users.get(node.result):
            case [Apply() as user]:
                return is_elementwise(user) or is_product(user)
            case [Store() as user]:
                return user.value is node.result
            case _:
                return False


@dataclass(frozen=True, slots=True)
class _Scale:
    """A function that scales each entry of an array by one number: the operands beside the array."""

    function: Callable[..., object]
    before: tuple[Operand, ...] = ()
    after: tuple[Operand, ...] = ()

    def of(self, product: Value, node: Apply) -> Apply:
        """The node that scales the product in place of its operand."""
        return Apply(node.result, self.function, (*self.before, product, *self.after), node.loc)


def _scaling(made: Apply) -> tuple[_Scale, Value] | None:
    """How the node scales an array, and the array."""
    match canonical(made.function), made.operands:
        case operator.mul, (one, other) if _is_array(other) and _is_real(one):
            return _Scale(operator.mul, before=(one,)), other
        case operator.mul, (one, other) if _is_array(one) and _is_real(other):
            return _Scale(operator.mul, before=(other,)), one
        case operator.truediv, (one, other) if _is_array(one) and _is_real(other):
            return _Scale(operator.truediv, after=(other,)), one
        case operator.neg, (one,) if _is_array(one):
            return _Scale(operator.neg), one
        case _:
            return None


def _is_array(operand: Operand) -> TypeGuard[Value]:
    """Whether the operand is an array."""
    return isinstance(operand, Value) and isinstance(operand.type, Array)


def _is_real(operand: Operand) -> bool:
    """Whether the operand is a real number."""
    type_ = type_of(operand)
    return isinstance(type_, Scalar) and type_.dtype in ("float64", "float32", "int64")
