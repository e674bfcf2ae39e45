"""Which values some path leaves unassigned: those of branches not taken, and of loops that do not run."""

from __future__ import annotations

from backsweep.ir.nodes import UNDEFINED, Block, For, If, Operand, Value, While
from backsweep.ir.walk import carried_parameters, walk


def perhaps_unassigned(body: Block) -> set[Value]:
    """The results of branches and loops, and what loops carry, that some path leaves unassigned."""
    sources: dict[Value, tuple[Operand, ...]] = {}
    for node in walk(body):
        match node:
            case If():
                sides = zip(node.then.yields, node.orelse.yields, strict=True)
                sources.update(zip(node.results, sides, strict=True))
            case For() | While():
                carried = carried_parameters(node)
                ends = list(zip(node.inits, node.body.yields, strict=True))
                sources.update(zip(carried, ends, strict=True))
                sources.update(zip(node.results, ends, strict=True))
            case _:
                pass
    found: set[Operand] = {UNDEFINED}
    while more := {value for value, ends in sources.items() if value not in found and found & set(ends)}:
        found |= more
    return {value for value in found if isinstance(value, Value)}
