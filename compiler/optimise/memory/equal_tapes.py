"""Merge lists that hold the same entries: a second derivative often records what the first one has recorded."""

from __future__ import annotations

from collections import defaultdict

from backsweep.ir.nodes import Append, Apply, Block, Function, Load, Node, Operand, Value
from backsweep.ir.types import List
from backsweep.ir.walk import leaving, map_blocks, operands, rewrite_block, substitute, walk, with_body


def merge_equal_tapes(function: Function) -> Function:
    """The program, in which lists that are made at one place and get the same entries, one by one, are one list."""
    lists = _Lists(function.body)
    same: dict[Value, Operand] = {}
    first: dict[object, Value] = {}
    for made, key in lists.keys().items():
        known = first.setdefault(key, made)
        if known is not made and lists.in_step(known, made):
            same[made] = known
    if not same:
        return function

    body = rewrite_block(function.body, lambda node: [] if _builds(node, same) else [node])
    return with_body(function, substitute(body, same))


def _builds(node: Node, lists: dict[Value, Operand]) -> bool:
    """Whether the node makes one of these lists, or appends to it."""
    return (isinstance(node, Apply) and node.result in lists) or (
        isinstance(node, Append) and node.buffer in lists
    )


class _Lists:
    """The lists of a program that only get entries and are read entry by entry."""

    def __init__(self, body: Block) -> None:
        self.made: dict[Value, tuple[Apply, Block]] = {}
        self.appended: defaultdict[Value, list[tuple[Append, Block]]] = defaultdict(list)
        self._find(body)
        used: list[Operand] = list(body.yields)
        for node in walk(body):
            used += leaving(node)
            match node:
                case Append(value=value):
                    used.append(value)
                case Load(index=index):
                    used += (item for item in index if isinstance(item, Value))
                case _:
                    used += operands(node)
        for each in self.made.keys() & set(used):
            del self.made[each]

    def _find(self, block: Block) -> None:
        for node in block.nodes:
            if isinstance(node, Apply) and isinstance(node.result.type, List) and not node.operands:
                self.made[node.result] = (node, block)
            elif isinstance(node, Append):
                self.appended[node.buffer].append((node, block))
            map_blocks(node, self._visited)

    def _visited(self, block: Block) -> Block:
        self._find(block)
        return block

    def keys(self) -> dict[Value, object]:
        """For each list a key, equal for lists to be merged: where and how the list is made, and what is appended at which places."""
        return {
            each: (
                node.function,
                block,
                each.type,
                *((at, append.value) for append, at in self.appended[each]),
            )
            for each, (node, block) in self.made.items()
        }

    def in_step(self, one: Value, other: Value) -> bool:
        """Whether no node reads either list between the append to one and the matching append to the other."""
        for (first, block), (second, _) in zip(self.appended[one], self.appended[other], strict=True):
            places = sorted((block.nodes.index(first), block.nodes.index(second)))
            between = Block((), block.nodes[places[0] : places[1]], ())
            if any(isinstance(node, Load) and node.buffer in (one, other) for node in walk(between)):
                return False
        return True
