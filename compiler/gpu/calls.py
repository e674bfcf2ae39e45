"""Write the functions that an iteration calls into it, so that a kernel is one piece of code whose memory is known."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.nodes import (
    Apply,
    Block,
    Callee,
    Comment,
    Const,
    For,
    Function,
    If,
    Node,
    Operand,
    Sweep,
    Value,
    While,
)
from backsweep.ir.walk import blocks, map_blocks, renewed, substitute, with_body, with_nodes


def with_calls_written_out(function: Function, called: Mapping[str, Function]) -> Function:
    """The program, in whose marked loops each call of a function in `called` is its body. A function that calls itself is refused."""
    rebuilt = _Rebuilt(called)
    body = rebuilt.block(function.body, (), is_marked=False)
    body = substitute(body, rebuilt.replaced)
    return eliminate_dead_code(with_body(function, body))


class _Rebuilt:
    """Rebuilds blocks; `replaced` are results of calls, and items of tuples, with what they are in the written-out body."""

    def __init__(self, called: Mapping[str, Function]) -> None:
        self.called = called
        self.replaced: dict[Value, Operand] = {}
        self.tuples: dict[Value, tuple[Operand, ...]] = {}

    def block(self, block: Block, within: Sequence[str], *, is_marked: bool) -> Block:
        """The block, in a function that the functions `within` call, in a marked loop or not."""
        nodes = [each for node in block.nodes for each in self.node(node, within, is_marked=is_marked)]
        return with_nodes(block, nodes)

    def node(self, node: Node, within: Sequence[str], *, is_marked: bool) -> Sequence[Node]:
        """What takes the place of the node."""
        if isinstance(node, If | For | While):
            inside = is_marked or (isinstance(node, For) and node.parallel)
            return [map_blocks(node, lambda block: self.block(block, within, is_marked=inside))]
        if not is_marked or not isinstance(node, Apply):
            return [node]
        if isinstance(node.function, Callee):
            return self.call(node, node.function, within)
        if node.function is tuple:
            self.tuples[node.result] = node.operands
        if node.function is operator.getitem:
            whole, position = node.operands
            items = self.tuples.get(self.meant(whole))  # type: ignore[arg-type]
            if items is not None and isinstance(position, Const):
                self.replaced[node.result] = items[position.value]
                return []
        return [node]

    def meant(self, operand: Operand) -> Operand:
        """The operand, or what it was replaced by."""
        while isinstance(operand, Value) and operand in self.replaced:
            operand = self.replaced[operand]
        return operand

    def call(self, node: Apply, callee: Callee, within: Sequence[str]) -> Sequence[Node]:
        """The body of the called function."""
        if callee.name in within:
            message = f"`{callee.name}` calls itself, and a kernel of a GPU has no stack for that"
            remedy = "write it as a loop, or run this loop on the host: range in place of prange."
            raise UnsupportedError(Problem("BS701", message, node.loc, remedy))
        program = self.called[callee.name]
        own = renewed(program.body)
        given = dict(zip(own.parameters, map(self.meant, node.operands), strict=True))
        body = substitute(Block((), own.nodes, own.yields), given)
        nodes: list[Node] = []
        for each in body.nodes:
            plain: Node = Comment(each.text, each.loc) if isinstance(each, Sweep) else each
            nodes += self.node(plain, (*within, callee.name), is_marked=True)
        (result,) = body.yields
        self.replaced[node.result] = result
        return nodes


def holds_marked_loop(node: Node) -> bool:
    """Whether the node is a marked loop, or holds one."""
    if isinstance(node, For) and node.parallel:
        return True
    return any(holds_marked_loop(inner) for block in blocks(node) for inner in block.nodes)
