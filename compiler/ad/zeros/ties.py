"""Derivatives of choices at a tie: the first shares the cotangent, the ones after it take one side.

A smooth function of the larger of two has at a tie the second derivative of either side, but not that of their mean: `max(x, -x) ** 2` is `x ** 2`.
So the derivative of a share (`tied`, `tied_off`) is that of one side, and in a program with shares, which is a derivative, choices take that side.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from typing import Any

from backsweep.analysis.structure import Facts
from backsweep.ir.nodes import Apply
from backsweep.ir.walk import walk
from backsweep.rules.expression import is_local, resolved
from backsweep.runtime.special import SHARES, first_among, shared, tied


def has_shares(facts: Facts) -> bool:
    """Whether a program is a derivative in which a cotangent is shared at a tie."""
    return any(isinstance(node, Apply) and node.function in SHARES for node in walk(facts.function.body))


def at_tie(adjoint: ast.expr, names: Mapping[str, Any], *, again: bool, alone: bool) -> ast.expr:
    """The adjoint of a choice; `again` says that it is of a derivative, `alone` that the first operand does not vary.

    Then the side that varies is the one that is taken.
    """
    if not (again or alone) or not any(each in names.values() for each in SHARES):
        return adjoint

    class Settled(ast.NodeTransformer):
        def visit_Call(self, call: ast.Call) -> ast.expr:
            self.generic_visit(call)
            function = None if is_local(call.func, names) else resolved(call.func, names)
            if function not in SHARES:
                return call
            if function is shared:
                share, _, at_tie = call.args
                found: Any = first_among
                first = ast.Call(ast.Constant(found), [at_tie], [])
                return ast.Call(call.func, [share, share, first], []) if again else call
            if function is tied or alone:
                constant: Any = tied
                return call.args[0] if again else ast.Call(ast.Constant(constant), call.args, [])
            return ast.Constant(0.0)

    found: ast.expr = Settled().visit(ast.parse(ast.unparse(adjoint), mode="eval").body)
    return found


def with_tangent(partial: ast.expr, bars: Sequence[str], dot: ast.expr) -> ast.expr:
    """A share in which the cotangent is 1, with a tangent in its place."""

    class Replaced(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return dot if name.id in bars else name

    found: ast.expr = Replaced().visit(copy.deepcopy(partial))
    return found
