"""Add a product and the transpose of its mirror image with one product.

The adjoint of `x.T @ x` is `x @ s + (s @ x.T).T` for the adjoint `s` of the product, which is `x @ (s + s.T)`: the sum of
two small matrices in place of a second product. Covariances, least squares and kernels are such products.
"""

from __future__ import annotations

import dataclasses
import operator

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import Apply, Block, Dots, Function, Node, Store, Value
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import Array
from backsweep.ir.walk import leaving, map_blocks, operands, walk, with_body, with_nodes


def join_mirrored_products(function: Function) -> Function:
    """The typed program, in which no product is computed to be added, transposed, to its mirror image."""
    if not any(
        isinstance(node, Store) and node.accumulate and node.index == (Dots(),)
        for node in walk(function.body)
    ):
        return function
    body = _Joining(function).block(function.body)
    return function if body is function.body else with_body(function, body)


class _Joining:
    """Rebuilds blocks; `users` counts how often each value is used, `made` are the nodes that make arrays."""

    def __init__(self, function: Function) -> None:
        self.made: dict[Value, Apply] = {}
        self.users: dict[Value, int] = {}
        for node in walk(function.body):
            if isinstance(node, Apply):
                self.made[node.result] = node
            for each in (*operands(node), *leaving(node)):
                if isinstance(each, Value):
                    self.users[each] = self.users.get(each, 0) + 1
        for each in function.body.yields:
            if isinstance(each, Value):
                self.users[each] = self.users.get(each, 0) + 1

    def block(self, block: Block) -> Block:
        """The block with such products joined."""
        nodes = [map_blocks(node, self.block) for node in block.nodes]
        for node in block.nodes:
            if isinstance(node, Store):
                nodes = self.joined(nodes, node)
        return with_nodes(block, nodes)

    def joined(self, nodes: list[Node], store: Store) -> list[Node]:
        """The nodes; without the store, if it adds the mirror image of a product to that."""
        value = store.value
        product, turned = self.made.get(store.buffer), self.turned(value)
        mirror = None if turned is None else self.made.get(turned)
        if (
            product is None
            or mirror is None
            or not isinstance(value, Value)
            or not store.accumulate
            or store.index != (Dots(),)
        ):
            return nodes
        if (
            not {product, mirror, store} <= {*nodes}
            or self.users[mirror.result] != 1
            or self.users[value] != 1
        ):
            return nodes
        place = self.shared(product, mirror)
        first, last = nodes.index(product), nodes.index(store)
        between = nodes[min(first, nodes.index(mirror)) : last]
        is_used = any(product.result in operands(node) for node in nodes[first:last])
        if place is None or is_used or any(map(has_effect, between)):
            return nodes
        matrix = product.operands[place]
        assert isinstance(matrix, Value)
        assert isinstance(matrix.type, Array)
        builder = Builder(loc=product.loc)
        flipped = {"C": "F", "F": "C"}.get(matrix.type.layout, "A")
        other = builder.apply(np.transpose, matrix, type=dataclasses.replace(matrix.type, layout=flipped))
        both = builder.apply(operator.add, matrix, other, type=Array(matrix.type.dtype, 2))
        mirrored = tuple(both if number == place else each for number, each in enumerate(product.operands))
        builder.add(dataclasses.replace(product, operands=mirrored))
        gone = {mirror, self.made[value], store}
        return [
            each
            for node in nodes
            if node not in gone
            for each in (builder.current.nodes if node is product else [node])
        ]

    def turned(self, value: object) -> Value | None:
        """The matrix whose transpose this is; None for anything else."""
        made = self.made.get(value) if isinstance(value, Value) else None
        if made is None or made.function is not np.transpose or len(made.operands) != 1 or made.keywords:
            return None
        (source,) = made.operands
        return source if isinstance(source, Value) else None

    def shared(self, product: Apply, mirror: Apply) -> int | None:
        """The position of the matrix that both products have, if the other ones are each other's transposes."""
        if not all(
            kind(each.function) is Kind.PRODUCT and len(each.operands) == 2 for each in (product, mirror)
        ):
            return None
        types = {each.type for node in (product, mirror) for each in node.operands if isinstance(each, Value)}
        plain = all(isinstance(each, Array) and each.ndim == 2 for each in types)
        if not plain or len({each.dtype for each in types if isinstance(each, Array)}) > 1:
            return None
        for place in (0, 1):
            one, other = product.operands[1 - place], mirror.operands[place]
            is_turned = self.turned(one) is other or self.turned(other) is one
            if product.operands[place] is mirror.operands[1 - place] and is_turned:
                return place
        return None
