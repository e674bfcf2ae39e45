"""Put several lists in the place of one: what blocks take, and loops and branches hand on, are the several; and where the user wrote it."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from backsweep.diagnostics import Loc
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Block, For, Function, If, Node, Operand, Value, While
from backsweep.ir.walk import map_blocks
from backsweep.runtime.lists import FOLDER


def written_at(loc: Loc) -> Loc:
    """The place of the call in the user's text, for a statement that a method of lists stands for."""
    while loc.file.startswith(FOLDER) and loc.caller is not None:
        loc = loc.caller
    return loc


class ListSplitter(ABC):
    """Rebuilds blocks in program order; `parts` has, for each list that is split, the lists that stand for it."""

    def __init__(self, function: Function) -> None:
        self.parts: dict[Value, tuple[Value, ...]] = {}
        self.builder = Builder(loc=function.loc)

    @abstractmethod
    def is_split(self, value: Value) -> bool:
        """Whether several lists stand for the value."""

    @abstractmethod
    def split(self, value: Value) -> tuple[Value, ...]:
        """New lists for a list, noted in `parts`."""

    @abstractmethod
    def node(self, node: Node) -> None:
        """Rebuild one node; a branch or a loop is a `region`."""

    def block(self, block: Block) -> Block:
        """The block, which takes and yields the parts of lists."""
        with self.builder.block(*self.values(block.parameters)) as made:
            for node in block.nodes:
                self.builder.loc = node.loc
                self.node(node)
            made.yields = self.operands(block.yields)
        return made.finish()

    def region(self, node: If | For | While) -> None:
        """A branch or a loop, which hands on the parts."""
        made = map_blocks(node, self.block)
        assert isinstance(made, If | For | While)
        if not isinstance(made, If):
            made = dataclasses.replace(made, inits=self.operands(made.inits))
        self.builder.loc = node.loc
        self.builder.add(dataclasses.replace(made, results=self.values(node.results)))

    def values(self, values: Iterable[Value]) -> tuple[Value, ...]:
        """The values that a block takes or a node defines, with the parts of lists."""
        return tuple(
            part for each in values for part in (self.split(each) if self.is_split(each) else (each,))
        )

    def operands(self, handed: Sequence[Operand]) -> tuple[Operand, ...]:
        """What a loop or a branch hands on, with the parts of lists."""
        return tuple(part for each in handed for part in self.parts_of(each))

    def parts_of(self, operand: Operand) -> tuple[Operand, ...]:
        """The lists that stand for a list; any other operand alone."""
        return self.parts.get(operand, (operand,)) if isinstance(operand, Value) else (operand,)
