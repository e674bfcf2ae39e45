"""Have the sums of marked loops begin at zero, and add what they began with afterwards.

The adjoint of a loop may add to an adjoint that the loop's own result has part in. If it begins at zero, it needs nothing of the
primal's loop, and may become one loop with it.
"""

from __future__ import annotations

import dataclasses
import operator

import numpy as np

from backsweep.analysis.order.iterations import order_of
from backsweep.ir.nodes import Apply, Const, For, Function, Node, Operand, Value, equals
from backsweep.ir.types import Scalar
from backsweep.ir.walk import rewrite


def sums_from_zero(function: Function) -> Function:
    """The program, in which each marked loop that carries sums alone begins them at zero."""
    order = order_of(function)

    def begun(node: Node) -> list[Node]:
        if not isinstance(node, For) or not node.parallel or not order.carries_sums(node):
            return [node]
        inits: list[Operand] = []
        results: list[Value] = []
        after: list[Node] = []
        for init, result in zip(node.inits, node.results, strict=True):
            zero = _zero(result)
            if zero is None or equals(init, 0):
                inits.append(init)
                results.append(result)
                continue
            part = dataclasses.replace(result)
            inits.append(zero)
            results.append(part)
            after.append(Apply(result, operator.add, (init, part), node.loc))
        return [dataclasses.replace(node, inits=tuple(inits), results=tuple(results)), *after]

    return rewrite(function, begun)


def _zero(value: Value) -> Const | None:
    """Zero in the type of a sum; None for what is no sum of numbers."""
    if not isinstance(value.type, Scalar) or np.dtype(value.type.dtype).kind not in "fiu":
        return None
    known = {"float64": 0.0, "int64": 0}
    return Const(known.get(value.type.dtype, getattr(np, value.type.dtype)(0)))
