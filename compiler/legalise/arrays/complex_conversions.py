"""Make implicit conversions of real numbers to complex ones explicit."""

from __future__ import annotations

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, For, Function, If, Node, Operand, Store, Value, While
from backsweep.ir.types import BOOL, FLOAT, Array, Scalar
from backsweep.ir.walk import changed, map_blocks, results, with_body, with_nodes
from backsweep.rules.matching import is_complex

OF_ONE_KIND = {np.outer, np.kron, np.correlate}
"""Functions of two arrays whose adjoints are of one kind: a real one beside a complex one is made complex."""


def make_complex_explicit(function: Function) -> Function:
    """The program with an explicit conversion wherever a real number is stored, passed on or carried as a complex one.

    The adjoint of a conversion takes the real part, so that the adjoint of a real number is real.
    """
    return with_body(function, _Converter().block(function.body))


class _Converter:
    """Rebuilds blocks in program order."""

    def __init__(self) -> None:
        self.builder = Builder()

    def block(self, block: Block) -> Block:
        with self.builder.block(*block.parameters) as written:
            for node in block.nodes:
                self.builder.loc = node.loc
                self.node(node)
        return with_nodes(block, written.nodes)

    def node(self, node: Node) -> None:
        match node:
            case If() | For() | While():
                self.builder.add(self.carrying(map_blocks(node, self.block)))
            case Store():
                self.builder.add(changed(node, value=self.converted(node.value, node.buffer)))
            case Apply(function=function) if function in OF_ONE_KIND:
                operands = tuple(self.converted(operand, node.result) for operand in node.operands)
                self.builder.add(changed(node, operands=operands))
            case _:
                self.builder.add(node)

    def converted(self, operand: Operand, like: Value) -> Operand:
        """The operand, converted explicitly if a real number becomes complex here, so that its adjoint is made real again."""
        if not isinstance(operand, Value) or not is_complex(like) or is_complex(operand):
            return operand
        if isinstance(operand.type, Array):
            type_ = Array("complex128", operand.type.ndim)
            return self.builder.apply(np.ndarray.astype, operand, Const(np.complex128), type=type_)
        if operand.type == BOOL:  # Numba has no complex number of a truth value
            operand = self.builder.apply(np.float64, operand, type=FLOAT)
        return self.builder.apply(complex, operand, type=Scalar("complex128"))

    def carrying(self, node: Node) -> Node:
        """The branch or loop; if it has complex results, what it yields for them, and begins with, is converted to complex."""
        if not any(map(is_complex, results(node))):
            return node
        if isinstance(node, If):
            return changed(
                node,
                then=self.yielding(node.then, node.results),
                orelse=self.yielding(node.orelse, node.results),
            )
        assert isinstance(node, For | While)
        pairs = zip(node.inits, node.results, strict=True)
        inits = tuple(self.converted(init, result) for init, result in pairs)
        return changed(node, inits=inits, body=self.yielding(node.body, node.results))

    def yielding(self, block: Block, results_: tuple[Value, ...]) -> Block:
        """The block, whose yields are converted to complex where the results are complex."""
        with self.builder.block(*block.parameters) as made:
            self.builder.add(*block.nodes)
            pairs = zip(block.yields, results_, strict=True)
            made.yields = tuple(self.converted(operand, result) for operand, result in pairs)
        return with_nodes(block, made.nodes, made.yields)
