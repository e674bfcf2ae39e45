"""Let inlined functions raise where they fall off their end, if the call cannot use the None that Python returns there.

Python raises a TypeError where None is unpacked or computed with, and Numba where it needs the value. What falls through is most
often a case that the author knew to be impossible, as behind `elif n == 3:`.
"""

from __future__ import annotations

import ast
import functools

from backsweep.reading.control_flow import Ways, own_nodes, ways_out


def raising(
    definition: ast.FunctionDef | ast.Lambda, call: ast.AST, statement: ast.AST | None, *, is_library: bool
) -> ast.FunctionDef | ast.Lambda:
    """The function with an error at its end, if it returns values elsewhere and the call needs one.

    `statement` is that of the call. A library function, `is_library`, never means to return None.
    """
    if isinstance(definition, ast.Lambda) or Ways.FALLS not in ways_out(definition.body):
        return definition
    needs_value = is_library or _needs_value(call, statement)
    return _with_error(definition) if needs_value else definition


@functools.lru_cache(maxsize=1024)
def _with_error(definition: ast.FunctionDef) -> ast.FunctionDef:
    """The function with an error at its end, if all that it returns elsewhere are values."""
    returns = [node.value for node in own_nodes(definition.body) if isinstance(node, ast.Return)]
    if not returns or any(map(_is_none, returns)):
        return definition
    error = ast.parse(f'raise TypeError("`{definition.name}` returns None here")').body[0]
    for node in ast.walk(error):
        ast.copy_location(node, definition.body[-1])
    fields = {name: getattr(definition, name) for name in definition._fields}
    return ast.copy_location(ast.FunctionDef(**{**fields, "body": [*definition.body, error]}), definition)


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _needs_value(call: ast.AST, statement: ast.AST | None) -> bool:
    """Whether a statement computes with the result of the call, or unpacks it."""
    for node in () if statement is None else ast.walk(statement):
        match node:
            case ast.Assign(targets=targets, value=value) if value is call:
                return any(isinstance(target, ast.Tuple | ast.List) for target in targets)
            case ast.AugAssign(value=value) | ast.Subscript(value=value) | ast.Attribute(value=value):
                needed: list[ast.AST] = [value]
            case ast.BinOp(left=left, right=right):
                needed = [left, right]
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                needed = [operand]
            case _:
                continue
        if any(each is call for each in needed):
            return True
    return False
