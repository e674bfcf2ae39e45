"""Make slopes that were chosen at kinks nan there, in programs that are differentiated again.

The tangent of a length or an absolute value is 0 where the length is: one of its slopes. It is right for the tangent alone. A second derivative
that took it for the slope of a smooth function would be a wrong number.
"""

from __future__ import annotations

import operator

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Const, Function, Node, Value
from backsweep.ir.walk import changed, rewrite, walk
from backsweep.runtime.gather import first_among, last_among
from backsweep.runtime.special import SHARES, UNCHOSEN, UNKNOWN_AGAIN, shared


def leave_slopes_unchosen(function: Function) -> Function:
    """The typed program, in which no slope is chosen at zero."""

    def written(node: Node) -> list[Node]:
        if isinstance(node, Apply) and node.function in UNCHOSEN:
            return [changed(node, function=UNCHOSEN[node.function])]
        return [node]

    return rewrite(function, written)


def with_one_side(function: Function) -> Function:
    """A derivative of which no value is asked for, in which one side of a tie has the whole cotangent: what that is multiplied with is differentiated, too.

    It is the first, of smallest entries the last: the largest and the smallest are different ones.
    """
    made = {node.result: node.function for node in walk(function.body) if isinstance(node, Apply)}

    def written(node: Node) -> list[Node]:
        if isinstance(node, Apply) and node.function is shared:
            share, _, at_tie = node.operands
            if not isinstance(at_tie, Value):
                return [node]
            builder = Builder(loc=node.loc)
            side = last_among if made.get(at_tie) in (operator.le, np.less_equal) else first_among
            one = builder.apply(side, at_tie, type=at_tie.type)
            return [*builder.current.nodes, changed(node, operands=(share, share, one))]
        if isinstance(node, Apply) and node.function in SHARES:
            return [changed(node, operands=(node.operands[0], Const(0.0)))]
        if isinstance(node, Apply) and node.function in UNKNOWN_AGAIN:
            return [changed(node, function=UNKNOWN_AGAIN[node.function])]
        return [node]

    return rewrite(function, written)
