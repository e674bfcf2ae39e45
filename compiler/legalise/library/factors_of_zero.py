"""Let a factor of zero leave out what is not known at a kink, in programs that are differentiated again.

The slope of a length where that is zero is nan in such a program. A mask or a weight of zero before the length leaves it out of the result; in IEEE
arithmetic zero times nan is nan.
"""

from __future__ import annotations

import operator

from backsweep.analysis.activity import find_active
from backsweep.analysis.alias import find_aliases
from backsweep.ir.nodes import Apply, Function, Node
from backsweep.ir.operations import canonical
from backsweep.ir.walk import changed, rewrite, walk
from backsweep.rules.matching import is_constant
from backsweep.runtime.special import CHOSEN, UNKNOWN_AGAIN, mutual_product

_UNKNOWN = tuple(UNKNOWN_AGAIN[each] for each in CHOSEN)
"""What is nan at a kink."""


def leave_out_by_zero(function: Function) -> Function:
    """The typed program, in which nan from a kink contributes nothing through a factor of zero, as that of a mask."""
    unknown = [
        node.result for node in walk(function.body) if isinstance(node, Apply) and node.function in _UNKNOWN
    ]
    if not unknown:
        return function
    varied = find_active(function, unknown, find_aliases(function), is_constant).varied

    def written(node: Node) -> list[Node]:
        if (
            isinstance(node, Apply)
            and canonical(node.function) is operator.mul
            and varied & set(node.operands)
        ):
            return [changed(node, function=mutual_product)]
        return [node]

    return rewrite(function, written)
