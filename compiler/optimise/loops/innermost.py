"""An innermost loop, for the passes that split loops: which node computes a value, and which nodes a part needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from backsweep.ir.nodes import Apply, Block, Comment, For, Load, Node, Operand, Store, Value
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import INT, Array, Scalar
from backsweep.ir.walk import operands, renewed

FLOAT = Scalar("float64")


def is_innermost(loop: For) -> bool:
    """Whether the loop only computes, loads and stores."""
    return all(isinstance(each, Apply | Load | Store | Comment) for each in loop.body.nodes)


class Innermost:
    """A loop that only computes, loads and stores."""

    def __init__(self, loop: For) -> None:
        self.loop = loop
        self.index = loop.body.parameters[0]
        self.place = {node: number for number, node in enumerate(loop.body.nodes)}
        self.definitions: dict[Operand, Apply | Load] = {
            node.result: node for node in loop.body.nodes if isinstance(node, Apply | Load)
        }
        self.stores = [node for node in loop.body.nodes if isinstance(node, Store)]

    def needed(
        self,
        sinks: Iterable[Node],
        more: Iterable[Operand] = (),
        is_at_hand: Callable[[Operand], bool] = lambda _: False,
    ) -> set[Node]:
        """These nodes, and the nodes that compute what they and `more` read and what is not at hand."""
        found = set(sinks)
        todo = [*more, *(operand for node in found for operand in operands(node))]
        while todo:
            operand = todo.pop()
            node = self.definitions.get(operand)
            if node is not None and node not in found and not is_at_hand(operand):
                found.add(node)
                todo += operands(node)
        return found

    def part(self, nodes: Iterable[Node]) -> Block:
        """The body of a loop of these nodes, which carries nothing and defines new values."""
        return renewed(Block((self.index,), tuple(nodes), ()))

    def is_fixed(self, operand: Operand) -> bool:
        """Whether an array or an index is the same in every iteration."""
        node = self.definitions.get(operand)
        if node is None:
            return operand not in self.loop.body.parameters
        return is_index(node) and all(map(self.is_fixed, operands(node)))

    def is_along(self, access: Load | Store, is_last: Callable[[Operand], bool] | None = None) -> bool:
        """Whether iterations access adjacent elements: the last index is the loop's own, or one that `is_last` accepts."""
        if not access.index:
            return False
        *others, last = access.index
        buffer = access.buffer
        assert isinstance(buffer, Value)
        in_rows = isinstance(buffer.type, Array) and buffer.type.layout == "C"
        fixed = all(isinstance(each, Operand) and self.is_fixed(each) for each in (buffer, *others))
        if not isinstance(last, Operand) or not in_rows or not fixed:
            return False
        return last is self.index or (is_last is not None and is_last(last))


def is_index(node: Node) -> bool:
    """Whether the node computes an index."""
    return isinstance(node, Apply) and node.result.type == INT


def kind_of(node: Node) -> Kind | None:
    """The family of the function that the node calls; None if it calls none."""
    return kind(node.function) if isinstance(node, Apply) else None
