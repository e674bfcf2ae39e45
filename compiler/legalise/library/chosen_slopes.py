"""Make slopes that were chosen at kinks nan there, in programs that are differentiated again.

The tangent of a length or an absolute value is 0 where the length is: one of its slopes. It is right for the tangent alone. A second derivative
that took it for the slope of a smooth function would be a wrong number.
"""

from __future__ import annotations

from backsweep.ir.nodes import Apply, Function, Node
from backsweep.ir.walk import changed, rewrite
from backsweep.runtime.special import UNCHOSEN


def leave_slopes_unchosen(function: Function) -> Function:
    """The typed program, in which no slope is chosen at zero."""

    def written(node: Node) -> list[Node]:
        if isinstance(node, Apply) and node.function in UNCHOSEN:
            return [changed(node, function=UNCHOSEN[node.function])]
        return [node]

    return rewrite(function, written)
