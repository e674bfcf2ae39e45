"""Derivatives of choices at a tie: the first shares the cotangent, the ones after it take one side: of the larger of two the first, of the smaller the second.

A smooth function of the larger of two has at a tie the second derivative of either side, but not that of their mean: `max(x, -x) ** 2` is `x ** 2`.
So the derivative of a share (`tied`, `tied_off`) is that of one side, and in a program with shares, which is a derivative, choices take that side.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Container, Mapping, Sequence
from typing import Any

from backsweep.analysis.structure import Facts
from backsweep.ir.nodes import Apply, Operand
from backsweep.ir.operations import canonical
from backsweep.ir.walk import walk
from backsweep.rules.expression import is_local, resolved
from backsweep.rules.limits import LARGER, SMALLER, Range
from backsweep.runtime.gather import first_among, last_among
from backsweep.runtime.special import SHARES, shared, signed, tied


def has_shares(facts: Facts) -> bool:
    """Whether a program is a derivative in which a cotangent is shared at a tie."""
    return any(isinstance(node, Apply) and node.function in SHARES for node in walk(facts.function.body))


class Choice:
    """What is known of a choice between two operands, or of an absolute value: which operands vary, and where they may lie."""

    def __init__(self, node: Apply, varying: Container[Operand], ranges: Sequence[Range]) -> None:
        moves = [each in varying for each in node.operands]
        self.alone = moves.count(True) == 1 if len(moves) == 2 else bool(moves) and not moves[0]
        """Whether one of two varies, or the first of three does not. Then the side that varies is the one that is taken."""
        self.certain: int | None = None
        """The operand that is what is computed, as the other is never larger, or never smaller: no tie is shared."""
        self.shares = tuple(reversed(SHARES[:2])) if canonical(node.function) in SMALLER else SHARES[:2]
        """Those of the operands: of the larger the first takes all where one side is taken, of the smaller the second, so that both meet in one order."""
        self.sign = 0
        """That of the first operand, if it is known."""
        function = canonical(node.function)
        if len(ranges) == 2 and any(moves) and function in (*LARGER, *SMALLER):
            one, other = ranges if function in LARGER else reversed(ranges)
            self.certain = 0 if one.low >= other.high else 1 if other.low >= one.high else None
        elif ranges:
            self.sign = 1 if ranges[0].low >= 0.0 else -1 if ranges[0].high <= 0.0 else 0


def at_tie(adjoint: ast.expr, names: Mapping[str, Any], choice: Choice, *, again: bool) -> ast.expr:
    """The adjoint of a choice; `again` says that it is of a derivative.

    An absolute value of a number whose sign is known chooses nothing.
    """
    is_choice = any(value is each for each in SHARES for value in names.values())
    is_settled = again or choice.alone or choice.certain is not None
    is_sign = choice.sign != 0 and any(value is signed for value in names.values())
    if not is_sign and not (is_choice and is_settled):
        return adjoint

    class Settled(ast.NodeTransformer):
        def visit_Call(self, call: ast.Call) -> ast.expr:
            self.generic_visit(call)
            function = None if is_local(call.func, names) else resolved(call.func, names)
            if function is signed and choice.sign:
                return call.args[0] if choice.sign > 0 else ast.UnaryOp(ast.USub(), call.args[0])
            if function not in SHARES or not is_settled:
                return call
            if function is shared:
                share, _, at_tie = call.args
                is_smallest = isinstance(at_tie, ast.Compare) and isinstance(at_tie.ops[0], ast.LtE)
                found: Any = last_among if is_smallest else first_among
                first = ast.Call(ast.Constant(found), [at_tie], [])
                return ast.Call(call.func, [share, share, first], []) if again else call
            if choice.certain is not None:
                return call.args[0] if choice.shares[choice.certain] is function else ast.Constant(0.0)
            if function is tied or choice.alone:
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
