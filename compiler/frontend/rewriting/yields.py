"""Put the body of a loop where a generator yields, so that either side may leave."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass

from backsweep.frontend.rewriting.syntax import assign, variable, with_exits
from backsweep.reading.control_flow import OTHER_SCOPES
from backsweep.reading.origins import placed


@dataclass(eq=False)
class Leaving:
    """The flags by which both sides of a loop over a generator leave it: `ended` by either, `left` by the loop's `break`."""

    ended: str
    left: str
    uses_loop: bool = False
    uses_flag: bool = False
    breaks: bool = False

    def begin(self, node: ast.AST) -> list[ast.stmt]:
        """The flags before the loop."""
        names = [*([self.ended] if self.uses_flag else []), *([self.left] if self.breaks else [])]
        return [_flag(name, False, node) for name in names]

    def out(self, node: ast.AST, in_loop: bool) -> list[ast.stmt]:
        """What leaves the generator."""
        self.uses_loop = True
        stop = placed(ast.Break(), node)
        if not in_loop:
            return [stop]
        self.uses_flag = True
        return [_flag(self.ended, True, node), stop]


def _flag(name: str, value: bool, node: ast.AST) -> ast.stmt:
    return placed(assign(name, ast.Constant(value)), node)


def one_round(name: str, body: list[ast.stmt], node: ast.AST) -> ast.stmt:
    """A loop of one round, which `break` leaves."""
    one = ast.Tuple([ast.Constant(0)], ast.Load())
    return placed(ast.For(ast.Name(name, ast.Store()), one, body, []), node)


def with_body(
    statements: Sequence[ast.stmt], loop: ast.For, leaving: Leaving, in_loop: bool
) -> list[ast.stmt]:
    """The generator's statements: where it yields the loop's body stands, and where it returns it ends."""
    found: list[ast.stmt] = []
    for node in statements:
        match node:
            case ast.Expr(value=ast.Yield(value=value)):
                target = copy.deepcopy(loop.target)
                for part in ast.walk(target):
                    ast.copy_location(part, node)
                taken = ast.Assign([target], value or ast.Constant(None))
                found += [placed(taken, node), *_body_of(loop, leaving, in_loop)]
                continue
            case ast.Return():
                found += leaving.out(node, in_loop)
                continue
            case _ if isinstance(node, OTHER_SCOPES):
                pass
            case ast.For() | ast.While():
                before = leaving.uses_flag
                leaving.uses_flag = False
                node.body = with_body(node.body, loop, leaving, in_loop=True)
                node.orelse = with_body(node.orelse, loop, leaving, in_loop)
                found.append(node)
                if leaving.uses_flag:
                    stop = ast.If(variable(leaving.ended), [ast.Break()], [])
                    leaving.uses_loop = True
                    found.append(placed(stop, node))
                leaving.uses_flag |= before
                continue
            case ast.If():
                node.body = with_body(node.body, loop, leaving, in_loop)
                node.orelse = with_body(node.orelse, loop, leaving, in_loop)
            case ast.Try():  # with `finally` alone: the generator of a manager
                node.body = with_body(node.body, loop, leaving, in_loop)
            case _:
                pass
        found.append(node)
    return found


def _body_of(loop: ast.For, leaving: Leaving, in_loop: bool) -> list[ast.stmt]:
    """A copy of the loop's body, in which `continue` ends the body and `break` both."""
    jumps: list[ast.stmt] = []

    def leave(node: ast.stmt, _: bool) -> list[ast.stmt]:
        if isinstance(node, ast.Return):
            return [node]
        jumps.append(node)
        return [_flag(leaving.left, True, node), node] if isinstance(node, ast.Break) else [ast.Break()]

    body = with_exits(copy.deepcopy(loop.body), leave)
    if not jumps:
        return body
    breaks = any(isinstance(each, ast.Break) for each in jumps)
    leaving.breaks |= breaks
    found = [one_round(f".{leaving.left}", body, loop)]
    if breaks:
        test = variable(leaving.left)
        found.append(placed(ast.If(test, leaving.out(loop, in_loop), []), loop))
    return found
