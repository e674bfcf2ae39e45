"""Recognise the growth of an array in emitted code, and make it a `Grow` node.

The two statements are `if count == x.size: x = grown(x)` and `x = reserved(x, count)`.
"""

from __future__ import annotations

import ast
from typing import Any

from backsweep.frontend.context.lowerer import Lowerer
from backsweep.ir.nodes import Const, Grow, Value
from backsweep.runtime.tape import grown, reserved
from backsweep.typing.infer import plain


def growth(lowerer: Lowerer, statement: ast.Assign | ast.If) -> Grow | None:
    """The `Grow` node for a statement that enlarges an array in place; None for any other statement."""
    match statement:
        case ast.If(
            test=ast.Compare(
                left=count, ops=[ast.Eq()], comparators=[ast.Attribute(ast.Name(filled), "size")]
            ),
            body=[ast.Assign([ast.Name(name)], ast.Call(function, [ast.Name(old)], []))],
            orelse=[],
        ) if filled == name == old and _is(lowerer, function, grown):
            return _node(lowerer, statement, name, grown, count)
        case ast.Assign([ast.Name(name)], ast.Call(function, [ast.Name(old), count], [])) if (
            name == old and _is(lowerer, function, reserved)
        ):
            return _node(lowerer, statement, name, reserved, count)
        case _:
            return None


def _is(lowerer: Lowerer, expression: ast.expr, function: object) -> bool:
    """Whether an expression names the function, or the copy of the function in a saved module."""
    if not isinstance(expression, ast.Name):
        return False
    found = lowerer.find(expression.id, lowerer.frame)
    return isinstance(found, Const) and _code(found.value) == _code(function)


def _code(function: Any) -> tuple[Any, ...]:
    """A key that is equal for two copies of a function: its bytecode, names and constants."""
    code = getattr(plain(function), "__code__", None)
    return (function,) if code is None else (code.co_code, code.co_names, code.co_consts)


def _node(lowerer: Lowerer, statement: ast.stmt, name: str, function: Any, count: ast.expr) -> Grow:
    buffer = lowerer.lower(ast.copy_location(ast.Name(name, ast.Load()), statement))
    assert isinstance(buffer, Value)
    return Grow(buffer, function, lowerer.lower(count), lowerer.loc(statement))
