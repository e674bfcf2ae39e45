"""Give equal values one number, and compute each once; the number of what is in memory counts the writes to it.

What two statements compute is equal if they apply the same function to equal operands, and read memory that nothing wrote
in between (J. Cocke, "Global common subexpression elimination", 1970; for memory: B. Rosen, M. Wegman, F. K. Zadeck,
"Global value numbers and redundant computations", 1988). What a block computes is known to the blocks in it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import ChainMap
from collections.abc import Hashable, Iterable

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.ir.build import christen
from backsweep.ir.effects import effect
from backsweep.ir.nodes import Block, Function, Grow, Node, Operand, Value
from backsweep.ir.walk import blocks, map_blocks, rename_operands, results, walk, with_nodes


class ValueNumbering(ABC):
    """Rebuilds blocks in program order; a pass says which nodes it numbers, and by what.

    `known` holds, by number, the value that was computed first; `replaced` holds what is read in place of a value.
    """

    def __init__(self, function: Function) -> None:
        self.aliases: Aliases = find_aliases(function)
        self.known: ChainMap[Hashable, Value] = ChainMap()
        self.replaced: dict[Operand, Operand] = {}
        self._written: dict[Value, int] = {}
        """How often each memory was written up to here."""
        self._moved: dict[Value, int] = {}
        """How often each list has got room up to here: its entries may be in another memory since."""
        self._unknown = 0
        """How many nodes kept their place: nothing is known of what they write."""

    @abstractmethod
    def number(self, node: Node) -> Hashable | None:
        """A key that is equal for nodes that compute the same; None for a node that must stay."""

    def version(self, value: Value) -> Hashable:
        """A key for what the memory of the value holds now."""
        return self._written.get(self.aliases.of(value), 0), self._unknown

    def place(self, value: Value) -> Hashable:
        """A key for where the entries of the value are: a view of a list that grows is no view of it afterwards."""
        return self._moved.get(self.aliases.of(value), 0)

    def rename(self, operand: Operand) -> Operand:
        """What is read in place of an operand."""
        return self.replaced.get(operand, operand)

    def block(self, block: Block) -> Block:
        """The block, in which each value is computed once; what is computed in it is known in it alone."""
        self.known = self.known.new_child()
        nodes: list[Node] = []
        for node in block.nodes:
            nodes += self.rebuilt(rename_operands(node, self.rename))
        self.known = self.known.parents
        return with_nodes(block, nodes, [*map(self.rename, block.yields)])

    def rebuilt(self, node: Node) -> list[Node]:
        """The node; nothing in its place if its value is known."""
        number = self.number(node)
        if number is not None:
            (result,) = results(node)
            if number in self.known:
                christen(self.known[number], result.name)
                self.replaced[result] = self.known[number]
                return []
            self.known[number] = result
        inside = [*walk(Block((), (node,), ()))]
        if blocks(node):  # another iteration, or the other branch, may have written before
            self._count(inside)
        kept = map_blocks(node, self.block, self.rename)
        self._count(inside)
        return [kept]

    def _count(self, nodes: Iterable[Node]) -> None:
        """Take into account what the nodes write."""
        for node in nodes:
            if blocks(node):
                continue
            if isinstance(node, Grow):
                leader = self.aliases.of(node.buffer)
                self._moved[leader] = self._moved.get(leader, 0) + 1
            done = effect(node)
            for leader in {self.aliases.of(each) for each in done.writes}:
                self._written[leader] = self._written.get(leader, 0) + 1
            self._unknown += done.keeps_place
