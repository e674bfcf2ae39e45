"""Run loops of the reverse sweep forwards if their iterations commute: easier to read, and contiguous for the machine."""

from __future__ import annotations

from backsweep.analysis.order.iterations import order_of
from backsweep.analysis.trip_counts import upwards
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Block, Const, For, Function, Node
from backsweep.ir.sweeps import rebuild_reverse_sweep
from backsweep.ir.types import List
from backsweep.ir.walk import map_blocks, with_nodes


def run_loops_forwards(function: Function) -> Function:
    """The same program with the commuting loops of its reverse sweep run forwards.

    A pullback that gets lists of arrays stays as it is: two arrays in the lists may be the same memory.
    """
    if any(isinstance(parameter.type, List) for parameter in function.body.parameters):
        return function
    return rebuild_reverse_sweep(function, _Turning(function).node)


class _Turning:
    """Rebuilds blocks, inner loops first; the commutation test looks at the original loop."""

    def __init__(self, function: Function) -> None:
        self.order = order_of(function)

    def node(self, node: Node) -> list[Node]:
        """The node; it runs forwards if it is a commuting loop, and so do the commuting loops in it."""
        inside = map_blocks(node, self.block)
        if not isinstance(node, For) or not _runs_down(node) or not self.order.commutes(node):
            return [inside]
        assert isinstance(inside, For)
        builder = Builder(loc=node.loc)
        turned = upwards(builder, inside)
        return [*builder.current.nodes, turned]

    def block(self, block: Block) -> Block:
        return with_nodes(block, [each for node in block.nodes for each in self.node(node)])


def _runs_down(loop: For) -> bool:
    return loop.exit is None and isinstance(loop.step, Const) and loop.step.value == -1
