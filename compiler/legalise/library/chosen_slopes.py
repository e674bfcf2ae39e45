"""Make slopes that were chosen at kinks nan there, in programs that are differentiated again.

The tangent of a length is 0 where the length is: one of its slopes. It is right for the tangent alone. A second derivative
that took it for the slope of a smooth function would be a wrong number.
"""

from __future__ import annotations

from backsweep.ir.nodes import Apply, Function, Node
from backsweep.ir.walk import changed, rewrite
from backsweep.runtime.special import along_or_nan, chosen_slope


def leave_slopes_unchosen(function: Function) -> Function:
    """The typed program, in which no slope of a length is chosen at zero."""

    def written(node: Node) -> list[Node]:
        is_chosen = isinstance(node, Apply) and node.function is chosen_slope
        return [changed(node, function=along_or_nan)] if is_chosen else [node]

    return rewrite(function, written)
