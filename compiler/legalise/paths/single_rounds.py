"""Write a `while True` that is always left at the end of its first round as the statements of that round.

Such a loop is how people write a block that may be left early. Nothing is carried by it: what it "hands on to the next
round" has no type, because that round does not exist, so that no shadow could be made for it.
"""

from __future__ import annotations

from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.ir.nodes import UNDEFINED, Block, Const, Function, Node, Operand, Value, While
from backsweep.ir.walk import map_blocks, operands, substitute, walk, with_body, with_nodes


def write_single_rounds_out(function: Function) -> Function:
    """The program in which the statements of a loop's only round stand in the loop's place."""
    replacement: dict[Value, Operand] = {}
    body = _written_out(function.body, replacement)
    return with_body(function, substitute(body, replacement))


def _written_out(block: Block, replacement: dict[Value, Operand]) -> Block:
    """The block with the statements of single rounds; `replacement` tells what the loops' own values are."""
    nodes: list[Node] = []
    for node in block.nodes:
        inner = map_blocks(node, lambda each: _written_out(each, replacement))
        if not isinstance(inner, While) or not _has_one_round(inner):
            nodes.append(inner)
            continue
        _refuse_unassigned(inner)
        for part in (inner.condition, inner.body):
            replacement.update(zip(part.parameters, inner.inits, strict=True))
            nodes += part.nodes
        replacement.update(zip(inner.results, inner.body.yields, strict=True))
    return with_nodes(block, nodes)


def _has_one_round(loop: While) -> bool:
    """Whether the loop is `while True` and always ends after its first iteration."""
    tests = (loop.condition.yields[0], loop.exit)
    return all(isinstance(each, Const) and each.value is True for each in tests)


def _refuse_unassigned(loop: While) -> None:
    """Raise for a variable that the only round reads before it is assigned."""
    unassigned = {
        value
        for part in (loop.condition, loop.body)
        for value, init in zip(part.parameters, loop.inits, strict=True)
        if init is UNDEFINED
    }
    for node in (each for part in (loop.condition, loop.body) for each in walk(part)):
        for value in unassigned.intersection(operands(node)):
            message, remedy = (
                f"`{value.name}` is read before it is assigned",
                f"assign `{value.name}` on every path before this line",
            )
            raise UnsupportedError(Problem("BS105", message, node.loc, remedy))
